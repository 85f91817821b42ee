"""From the arguments of `causal.estimate` to its frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.executor.causal.estimation.arguments import CausalEstimateArguments, DesignArguments
from services.executor.causal.estimation.run import SCHEMA, rows_of
from services.executor.causal.frame import Study, studies_in, table_of

NEEDED = {"IV": ("instruments",), "RDD": ("running", "cutoff"), "DiD": ("unit", "time")}


def estimate_frame(arguments: CausalEstimateArguments, context: ToolContext) -> ToolResult:
    """Run the method over every imputation and pool. Raises ToolError."""
    studies = studies_for(arguments, table_of(arguments.input, context), arguments.method)
    rows = rows_of(arguments.method, studies, lambda: require_time(context))
    if arguments.estimand is not None:
        wanted = arguments.estimand
        rows = [each for each in rows if each["estimand"] == wanted or each["reason"]]
    value = sum(each["status"] == "ok" for each in rows)
    return ToolResult(
        frame=pa.Table.from_pylist(rows, schema=SCHEMA),
        summary=f"{value} of {len(rows)} estimates by {arguments.method} stand",
        notes=studies[0].notes,
    )


def require_time(context: ToolContext) -> None:
    """Raises ToolError where the call is cancelled or its time is up."""
    if context.cancelled.is_set():
        raise ToolError(ErrorCategory.CANCELLED, "the call was cancelled.")
    if context.seconds_left < 0:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            "the estimates did not end in their time.",
            hint="Ask for fewer rows, imputations or repetitions.",
        )


def studies_for(
    arguments: DesignArguments, table: pa.Table, method: str | None = None
) -> list[Study]:
    """The studies of a table with what the method needs beside. Raises ToolError."""
    if method is None and isinstance(arguments, CausalEstimateArguments):
        method = arguments.method
    roles = _roles(arguments, str(method))
    beside = [
        each
        for value in roles.values()
        for each in (value if isinstance(value, tuple) else [value])
        if isinstance(each, str)
    ]
    if taken := {*beside} & {arguments.treatment, arguments.outcome}:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{min(taken)} cannot be treatment or outcome and be needed beside.",
        )
    kept = tuple(each for each in arguments.adjustment if each not in beside)
    chosen = arguments.model_copy(update={"adjustment": kept})
    return [replace(each, roles=roles) for each in studies_in(table, chosen, beside)]


def _roles(arguments: DesignArguments, method: str) -> dict[str, Any]:
    """The columns that the method needs beside. Raises ToolError where one is not named."""
    roles: dict[str, Any] = {}
    for name in NEEDED.get(method, ()):
        value = getattr(arguments, name)
        if value is None or value == ():
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"{method} needs {name}.",
                hint=f"Give {name}, or choose another method.",
            )
        roles[name] = value
    return roles
