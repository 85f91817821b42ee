"""Caps that were reached: fewer rows, said so; or the time that is still there."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from services.planner.domain.analysis.planning import Repair, RepairInput
from services.planner.domain.request import MAX_ROW_LIMIT, MAX_TIMEOUT_SECONDS
from services.planner.domain.statements.parsing import rendered, statement

# A wider table than this nobody reads, and making it takes memory and time for each column.
_MOST_PIVOT_COLUMNS = 400
# More time is worth a second attempt only when it is clearly more.
_CLEARLY_MORE = 1.5


def repair_exhausted(given: RepairInput) -> Repair | None:
    """The call within its cap: the first rows, a wider pivot, or more of the time left."""
    details = given.observation.error_details
    limit = details.get("limit")
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return None
    if details.get("unit") == "seconds":
        return _longer(given, float(limit))
    if details.get("unit") == "rows" and limit >= 1:
        return _fewer_rows(given, min(int(limit), MAX_ROW_LIMIT))
    if isinstance(seen := details.get("seen"), int) and isinstance(details.get("column"), str):
        return _wider_pivot(given, seen)
    return None


def _longer(given: RepairInput, limit: float) -> Repair | None:
    """A larger timeout for a call that set itself less than the job has left."""
    own = given.call.arguments.get("timeout")
    left = min(int(given.seconds_left), MAX_TIMEOUT_SECONDS)
    if isinstance(own, bool) or not isinstance(own, int | float) or own > limit + 1:
        return None
    if left < own * _CLEARLY_MORE or left <= own:
        return None
    return Repair(
        arguments={**given.call.arguments, "timeout": left},
        reason=f"timeout {own:g} s → {left} s, the time the job has left",
    )


def _fewer_rows(given: RepairInput, limit: int) -> Repair | None:
    arguments = given.call.arguments
    if isinstance(query := arguments.get("query"), str):
        return _limited_query(given, query, limit)
    if isinstance(steps := arguments.get("steps"), list | tuple):
        return _limited_steps(given, list(steps), limit)
    if given.call.tool_name == "profiler.analyze" and arguments.get("top", 5) != 0:
        return Repair(
            arguments={**arguments, "top": 0},
            reason="the most frequent values are not listed",
            caveat="The profile lists no most frequent values: there were too many columns.",
        )
    return None


def _limited_query(given: RepairInput, query: str, limit: int) -> Repair | None:
    own = given.call.arguments.get("row_limit")
    allowed = given.request.constraints.row_limit
    if isinstance(own, int) and own <= limit < allowed:
        return Repair(
            arguments={**given.call.arguments, "row_limit": allowed},
            reason=f"row limit {own:,} → {allowed:,}, what the request allows",
        )
    tree = statement(query)
    if tree is None or tree.args.get("limit") is not None:
        return None
    order = tree.args.get("order")
    if order is None:
        tree = tree.order_by(exp.Ordered(this=exp.Var(this="ALL")))
        text = "ordered by all columns from left to right"
    else:
        text = "ordered by " + ", ".join(rendered(term) for term in order.expressions)
    return Repair(
        arguments={**given.call.arguments, "query": rendered(tree.limit(limit))},
        reason=f"kept the first {limit:,} rows",
        caveat=f"Only the first {limit:,} rows were used, {text}; there are more.",
    )


def _limited_steps(given: RepairInput, steps: list[Any], limit: int) -> Repair | None:
    """A limit at the end; of no use when the step that grew too large comes before."""
    cut = {"operation": "limit", "rows": limit}
    if "step" in given.observation.error_details or (steps and steps[-1] == cut):
        return None
    return Repair(
        arguments={**given.call.arguments, "steps": [*steps, cut]},
        reason=f"kept the first {limit:,} rows",
        caveat=f"Only the first {limit:,} rows were used, in the order of the steps before; "
        "there are more.",
    )


def _wider_pivot(given: RepairInput, seen: int) -> Repair | None:
    steps = given.call.arguments.get("steps")
    number = given.observation.error_details.get("step")
    if not isinstance(steps, list | tuple) or not isinstance(number, int):
        return None
    if not 1 <= number <= len(steps) or not seen <= _MOST_PIVOT_COLUMNS:
        return None
    widened = [
        {**step, "max_columns": seen} if position == number else step
        for position, step in enumerate(steps, start=1)
    ]
    return Repair(
        arguments={**given.call.arguments, "steps": widened},
        reason=f"the pivot may have {seen:,} columns",
    )
