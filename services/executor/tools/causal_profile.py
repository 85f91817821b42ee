"""causal.profile: what the columns are, and which parts they may play."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool


class ProfileArguments(ToolArguments):
    """The frame of step `input`; treatment and outcome where they are known; `tiers` says when
    columns were measured (a higher number is later)."""

    input: str = Field(min_length=1, description="the step whose frame is profiled")
    treatment: str | None = None
    outcome: str | None = None
    tiers: dict[str, int] = Field(default_factory=dict, max_length=1_000)


@tool("causal.profile", ProfileArguments)
def causal_profile(arguments: ProfileArguments, context: ToolContext) -> ToolResult:
    """Say of each column what it is and which causal role it may have: a row a column.

    type is numeric, categorical, binary or ordinal; usable is false for what is constant, an
    identifier, free text, all missing or of too many levels (why_not). Scores run from 0 to 1, and
    from 0.5 on a column is a candidate: treatment_score and outcome_score from values and names,
    confounder_score from going with both, instrument_score from going with the treatment and little
    with the outcome beside it. Where no treatment or outcome is named, the best candidate stands
    in, as a note says. is_time tells when rows were, post_treatment what by its tier or name comes
    after the treatment, discontinuity the value at which the chance of treatment jumps. reason says
    it in words.
    """
    from services.executor.causal.profiling.columns import input_frame
    from services.executor.causal.profiling.profile import profile
    from services.executor.causal.threads import one_thread

    frame = input_frame(arguments.input, context)
    with one_thread():
        rows, notes = profile(frame, arguments.treatment, arguments.outcome, arguments.tiers)
    return ToolResult(frame=rows, summary=f"{rows.num_rows} columns", notes=tuple(notes))
