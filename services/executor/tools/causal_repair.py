"""causal.repair: the data repaired, in a new frame."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mesh.tool import ErrorCategory, ToolArguments, ToolContext, ToolError, ToolResult, tool


class RepairStep(ToolArguments):
    """One repair, as causal.repairs lists it."""

    repair_id: str = Field(min_length=1, max_length=40)
    column: str = ""
    kind: str = ""
    method: str
    parameters: dict[str, Any] = Field(default_factory=dict)


class RepairArguments(ToolArguments):
    """The frame of step `input`, and the repairs to make of it."""

    input: str = Field(min_length=1, description="the step whose frame is repaired")
    repairs: tuple[RepairStep, ...] = Field(max_length=5_000)
    imputations: int = Field(default=5, ge=0, le=50)
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool("causal.repair", RepairArguments)
def causal_repair(arguments: RepairArguments, context: ToolContext) -> ToolResult:
    """Make the repairs named and return the data with `_row`, the number of the row as loaded.

    Where gaps were filled, the frame has the data `imputations` times over, told apart by
    `_imputation` from 0; estimates are made in each and pooled by Rubin's rules. Types are mended
    first, then signs for missing values, then rows are left out, and gaps are filled last. The
    input stays as it is: its cells at the same `_row` are the originals.
    """
    from services.executor.causal.profiling.columns import input_frame
    from services.executor.causal.repairing.applying import Repair, apply
    from services.executor.causal.threads import one_thread

    def stopped() -> None:
        if context.cancelled.is_set():
            raise ToolError(ErrorCategory.CANCELLED, "the repair was cancelled.")
        if context.seconds_left <= 0:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                "time ran out while missing values were filled.",
                hint="Ask for fewer imputations, or load fewer rows.",
                details={"limit": 0, "unit": "seconds"},
            )

    frame = input_frame(arguments.input, context, every=True)
    repairs = [Repair(r.repair_id, r.column, r.method, r.parameters) for r in arguments.repairs]
    with one_thread("sklearn.linear_model"):
        repaired, notes = apply(frame, repairs, arguments.imputations, arguments.seed, stopped)
    return ToolResult(
        frame=repaired.replace_schema_metadata(None),
        summary=f"{len(notes)} repairs made of {frame.num_rows:,} rows",
        notes=tuple(notes),
    )
