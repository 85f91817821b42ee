"""How the values of one number lie: the middle one, and the ends of the middle half."""

from __future__ import annotations

from typing import Any

from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import ChartType, Intent

MEDIAN, LOWER, UPPER = "median of ", "lower quartile of ", "upper quartile of "


def shows_spread(intent: Intent) -> bool:
    """Whether the answer is the values themselves of one number, drawn as a histogram."""
    raw = len(intent.measures) == 1 and intent.measures[0].aggregate is None
    return intent.chart is ChartType.HISTOGRAM and raw and not intent.derived


def spread_task(intent: Intent, load: str, seconds: float) -> Subtask:
    """One row with the median and the quartiles, by linear interpolation."""
    label = intent.measures[0].label
    measures: list[dict[str, Any]] = [
        {"function": "count", "name": "rows"},
        {"function": "median", "column": label, "name": f"{MEDIAN}{label}"},
        {"function": "quantile", "quantile": 0.25, "column": label, "name": f"{LOWER}{label}"},
        {"function": "quantile", "quantile": 0.75, "column": label, "name": f"{UPPER}{label}"},
    ]
    return Subtask(
        task_id="facts",
        description="median and quartiles",
        tool_name="df.transform",
        arguments={
            "input": load,
            "steps": [{"operation": "aggregate", "by": [], "measures": measures}],
        },
        dependencies=(load,),
        invariants=("exactly one row",),
        estimated_cost_seconds=seconds,
    )
