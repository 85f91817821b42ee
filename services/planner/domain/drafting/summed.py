"""Sums over the answer's groups that sentences tell: of all, and of each name.

What is there at a time (people, stock) is no sum over times, and is not added up over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.plan import Subtask
from services.planner.domain.query.along import adds_up_over
from services.planner.domain.query.intent import Aggregate, Dimension, Grain, Intent, Measure

LOAD = "load"
TRANSFORM_SECONDS = 0.02


def transform(task_id: str, description: str, steps: list[dict[str, Any]], rule: str) -> Subtask:
    """A step that works on the answer's rows."""
    return Subtask(
        task_id=task_id,
        description=description,
        tool_name="df.transform",
        arguments={"input": LOAD, "steps": steps},
        dependencies=(LOAD,),
        invariants=(rule,),
        estimated_cost_seconds=TRANSFORM_SECONDS,
    )


def facts(intent: Intent, catalogue: Catalogue) -> Subtask:
    """One row: how many rows, and the totals and extremes of every number."""
    measures: list[dict[str, Any]] = [{"function": "count", "name": "rows"}]
    of = intent.dimensions[0].label
    for measure in intent.measures:
        name = measure.label
        if _is_whole(intent, measure, intent.dimensions, catalogue):
            measures.append({"function": "sum", "column": name, "name": f"total {name}"})
        measures += [
            {"function": "max", "column": name, "name": f"highest {name}"},
            {"function": "arg_max", "column": name, "of": of, "name": f"{of} of highest {name}"},
            {"function": "min", "column": name, "name": f"lowest {name}"},
            {"function": "arg_min", "column": name, "of": of, "name": f"{of} of lowest {name}"},
        ]
    step = {"operation": "aggregate", "by": [], "measures": _distinct(measures)}
    return transform("facts", "totals and extremes", [step], "exactly one row")


def _distinct(measures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept: dict[str, dict[str, Any]] = {}
    for measure in measures:
        kept.setdefault(str(measure["name"]), measure)
    return list(kept.values())


def _is_whole(
    intent: Intent, measure: Measure, over: Sequence[Dimension], catalogue: Catalogue
) -> bool:
    """Whether the sum of a number's groups over these dimensions is a whole of anything."""
    adds_up = measure.aggregate in (Aggregate.SUM, Aggregate.COUNT) and not _picked(intent)
    return adds_up and all(adds_up_over(d, measure.expression, catalogue) for d in over)


def breakdowns(intent: Intent, catalogue: Catalogue) -> list[Subtask]:
    """Sums over all but one dimension, with shares; only where sums make sense and are whole."""
    measure = intent.measures[0] if intent.measures else None
    if measure is None or not measure.additive or not _is_whole(intent, measure, (), catalogue):
        return []
    labels = [dimension.label for dimension in intent.dimensions]
    timed = intent.dimensions[0].grain not in (None, Grain.WEEKDAY, Grain.MONTH_OF_YEAR)
    if len(labels) == 1:
        alone = not timed and adds_up_over(intent.dimensions[0], measure.expression, catalogue)
        return [_summed("leaders", labels[0], measure.label, share=True)] if alone else []
    sums = []
    for name, of, share in (("leaders", 1, True), ("totals", 0, not timed)):
        rest = [d for at, d in enumerate(intent.dimensions) if at != of]
        if _is_whole(intent, measure, rest, catalogue):
            sums.append(_summed(name, labels[of], measure.label, share=share))
    return sums


def _summed(task_id: str, by: str, number: str, *, share: bool) -> Subtask:
    total = {"function": "sum", "column": number, "name": number}
    steps: list[dict[str, Any]] = [{"operation": "aggregate", "by": [by], "measures": [total]}]
    if share:
        steps.append(
            {"operation": "window", "function": "share", "column": number, "name": "share"}
        )
        steps.append({"operation": "sort", "by": [{"column": number, "descending": True}]})
    rule = f"one row for each {by}"
    return transform(task_id, f"{number} by {by}", steps, rule)


def _picked(intent: Intent) -> bool:
    """Whether only some groups are kept, whose total is not the total of all."""
    kept = any(d.only for d in intent.derived) or intent.top_of_each is not None
    return kept or bool(intent.limit or intent.limit_per_series or intent.having)
