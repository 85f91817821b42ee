"""The planning decision on a question that consists of instructions."""

from __future__ import annotations

from mesh.errors import NOTHING_UNDERSTOOD
from services.planner.domain.analysis.decided import proposed
from services.planner.domain.analysis.deliver import with_files
from services.planner.domain.analysis.planning import Planning, PlanningInput, RecipeUse
from services.planner.domain.failure import Failure
from services.planner.domain.reader.instructions.analysis import Analysis
from services.planner.domain.reader.instructions.plan import planned
from services.planner.domain.reader.instructions.read import Refusal, instructed

_HINT = "Say that part in other words, or ask for the rest alone; the rest was not answered."


async def by_instructions(given: PlanningInput, use: RecipeUse) -> Planning | None:
    """The plan, or why there is none; None where the question is of another kind."""
    request = given.request
    found = await instructed(request.intent, given.catalogue, given.lookup)
    if found is None:
        return None
    if isinstance(found, Refusal):
        failure = Failure(reason=NOTHING_UNDERSTOOD.code, message=found.message, hint=_HINT)
        return Planning(recipe=use, reason=found.message, failure=failure)
    draft = planned(
        found,
        given.catalogue,
        row_limit=request.constraints.row_limit,
        timeout_seconds=request.constraints.timeout_seconds,
    )
    return Planning(
        understood=describe_analysis(found),
        reason="read sentence by sentence as instructions",
        confidence="medium",
        draft=with_files(draft, request.deliverables),
        assumptions=found.notes,
        recipe=use,
        proposal=proposed(describe_analysis(found), draft, given, use),
    )


def describe_analysis(analysis: Analysis) -> str:
    """The analysis in one line for people."""
    steps = "; ".join(step.text for step in analysis.steps)
    figures = "; ".join(figure.label for figure in analysis.figures)
    return f"{steps}; then {figures}" if steps else figures
