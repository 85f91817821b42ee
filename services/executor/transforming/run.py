"""Runs a list of steps over one frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.executor.transforming import (
    aggregating,
    expression,
    filtering,
    joining,
    pivoting,
    resampling,
    rows,
    steps,
    windowing,
)
from services.executor.transforming.relation import Relation
from services.executor.transforming.workspace import Workspace, workspace

_OPERATIONS: dict[str, Callable[[Any, Relation, Workspace], Relation]] = {
    "select": rows.select,
    "filter": filtering.filter_rows,
    "derive": expression.derive,
    "aggregate": aggregating.aggregate,
    "join": joining.join,
    "pivot": pivoting.pivot,
    "window": windowing.window,
    "sort": rows.sort,
    "limit": rows.limit,
    "resample": resampling.resample,
}


def transform(name: str | None, wanted: Sequence[steps.Step], context: ToolContext) -> ToolResult:
    """The frame after all steps. Raises ToolError, whose message names the step at fault."""
    start = name or _only_input(wanted, context)
    with workspace(context) as space:
        relation = space.load(start)
        for number, step in enumerate(wanted, start=1):
            context.progress(f"{step.operation}", (number - 1) / len(wanted))
            with _naming(number, step.operation, len(wanted)):
                relation = _OPERATIONS[step.operation](step, relation, space)
        frame = space.fetch(relation)
        notes = tuple(space.notes)
    done = " → ".join(step.operation for step in wanted)
    rows = "row" if frame.num_rows == 1 else "rows"
    columns = "column" if frame.num_columns == 1 else "columns"
    summary = f"{done}: {frame.num_rows:,} {rows}, {frame.num_columns:,} {columns}"
    return ToolResult(frame=frame, summary=summary, notes=notes)


def _only_input(wanted: Sequence[steps.Step], context: ToolContext) -> str:
    joined = {step.right for step in wanted if isinstance(step, steps.Join)}
    left = [name for name in context.inputs if name not in joined] or list(context.inputs)
    if len(left) != 1:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "it is not clear which frame to transform",
            hint=f"Set `input` to one of: {', '.join(sorted(context.inputs)) or 'none there'}.",
            details={"inputs": sorted(context.inputs)},
        )
    return left[0]


@contextmanager
def _naming(number: int, operation: str, total: int) -> Iterator[None]:
    """Say in an error which step it came from, where there are several."""
    import duckdb

    from services.executor.transforming.failure import tool_error

    try:
        yield
    except duckdb.InterruptException:
        raise
    except (ToolError, duckdb.Error) as error:
        failure = error if isinstance(error, ToolError) else tool_error(error)
        place = f"step {number} ({operation}): " if total > 1 else ""
        raise ToolError(
            failure.category,
            place + failure.message,
            hint=failure.hint,
            details={**failure.details, "step": number},
        ) from error
