"""The steps that prepare an answer about cohorts for people: a triangle, and all at once."""

from __future__ import annotations

from typing import Any

from services.planner.domain.charts.choosing import Layout
from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Cohort, CohortView, Intent

_LOAD = "load"
_TRANSFORM_SECONDS = 0.02
_SHARES = (CohortView.RETENTION, CohortView.CURVE, CohortView.RETURNED)


def of_cohorts(intent: Intent) -> bool:
    """Whether the answer's numbers are shares of things followed, of which no sum makes sense."""
    return intent.cohort is not None and intent.cohort.view in _SHARES


def cohort_tasks(intent: Intent, cohort: Cohort, place: Layout) -> list[Subtask]:
    """For retention one row a cohort, and what holds of all cohorts; nothing for other views.

    What is said of all of them is worked out here, since a sentence computes nothing.
    """
    if cohort.view is not CohortView.RETENTION or place.y is None:
        return []
    since = intent.dimensions[1].label
    size, active = (measure.label for measure in intent.measures[:2])
    share = intent.derived[0].label
    sums = [{"function": "sum", "column": name, "name": name} for name in (size, active)]
    together: list[dict[str, Any]] = [
        {"operation": "aggregate", "by": [since], "measures": sums},
        {"operation": "derive", "column": share, "expression": f'"{active}" * 1.0 / "{size}"'},
        {"operation": "sort", "by": [{"column": since}]},
    ]
    pivot = {
        "operation": "pivot",
        "index": [intent.dimensions[0].label],
        "columns": since,
        "values": place.y,
        "function": "max",
        "max_columns": 200,
    }
    return [
        _task("shape", f"one row for each {intent.dimensions[0].label}", [pivot]),
        _task("curve", f"{share} over all that were seen for so long", together),
    ]


def _task(task_id: str, rule: str, steps: list[dict[str, Any]]) -> Subtask:
    return Subtask(
        task_id=task_id,
        description=rule,
        tool_name="df.transform",
        arguments={"input": _LOAD, "steps": steps},
        dependencies=(_LOAD,),
        invariants=(rule,),
        estimated_cost_seconds=_TRANSFORM_SECONDS,
    )
