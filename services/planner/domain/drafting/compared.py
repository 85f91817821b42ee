"""The step that sets two periods side by side for each group, with what lies between them."""

from __future__ import annotations

from typing import Any

from services.planner.domain.charts.choosing import Layout
from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Intent, Period

_LOAD = "load"
_TRANSFORM_SECONDS = 0.02
CHANGE, GROWTH = "change", "growth"


def compared_task(intent: Intent, place: Layout, periods: tuple[Period, Period]) -> Subtask:
    """One row for each group: both numbers, their difference, and it as a part of the earlier.

    A group without any row in a period has nought there where numbers are summed or counted; a
    month without one may lie outside the data, and has none.
    """
    before, after = (_quoted(period.label) for period in periods)
    group = [{"column": place.x}]
    along = intent.dimensions[0].grain is not None
    order = group if along else [{"column": CHANGE, "descending": True}, *group]
    additive = intent.measures[0].additive
    fill = "zero" if additive and not along else "null"
    steps: list[dict[str, Any]] = [
        {
            "operation": "pivot",
            "index": [place.x],
            "columns": place.series,
            "values": place.y,
            "function": "sum" if additive else "max",
            "fill": fill,
        },
        {"operation": "derive", "column": CHANGE, "expression": f"{after} - {before}"},
        {
            "operation": "derive",
            "column": GROWTH,
            "expression": f"({after} - {before}) * 1.0 / {before}",
        },
        {"operation": "sort", "by": order},
    ]
    rule = f"one row for each {place.x}, with {periods[0].label} and {periods[1].label}"
    return Subtask(
        task_id="shape",
        description=rule,
        tool_name="df.transform",
        arguments={"input": _LOAD, "steps": steps},
        dependencies=(_LOAD,),
        invariants=(rule,),
        estimated_cost_seconds=_TRANSFORM_SECONDS,
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
