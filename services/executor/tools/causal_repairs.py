"""causal.repairs: what is wrong with the data, and how each fault would be repaired."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool


class RepairsArguments(ToolArguments):
    """The frame of step `input`; treatment and outcome, which are never imputed."""

    input: str = Field(min_length=1, description="the step whose frame is looked at")
    treatment: str | None = None
    outcome: str | None = None


@tool("causal.repairs", RepairsArguments)
def causal_repairs(arguments: RepairsArguments, context: ToolContext) -> ToolResult:
    """Propose repairs of a frame: a row a repair, in the order they are done; nothing is changed.

    kind is type (numbers, dates, yes and no stored as text), missing (gaps, and signs such as -999
    that stand for no value), duplicate, outlier or constant. method, column and parameters are what
    causal.repair takes. applied is false where something is only flagged. Of gaps, mechanism is
    MCAR, MAR or MNAR?, with the p-value of the score test of the column's missingness on the
    others; a note gives Little's MCAR test of all. before and after show cells or counts, reason
    says why, and reversal how the original is had back.
    """
    from services.executor.causal.profiling.columns import input_frame
    from services.executor.causal.repairing.proposing import propose
    from services.executor.causal.threads import one_thread

    frame = input_frame(arguments.input, context, every=True)
    with one_thread():
        rows, notes = propose(frame, arguments.treatment, arguments.outcome)
    changing = sum(rows["applied"].to_pylist())
    summary = f"{changing} repairs proposed, {rows.num_rows - changing} faults flagged"
    return ToolResult(frame=rows, summary=summary, notes=tuple(notes))
