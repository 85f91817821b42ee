"""What went wrong when a plan came to no answer, and whether another plan may come to one."""

from __future__ import annotations

from mesh.errors import SQL_REFUSED, STEP_FAILED
from services.planner.analysis.deciding import Decided
from services.planner.analysis.learning import reused
from services.planner.domain.analysis.adapting import restored
from services.planner.domain.analysis.afterwards import broken
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.jobs.job import Job
from services.planner.domain.query.defining.columns import with_columns
from services.planner.domain.query.intent import Intent
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.failing import why_failed

MOST_CHECKED_ROWS = 20_000
"""Rows of a remembered plan's answer up to which it is checked."""


async def failed_recipe(
    with_: Collaborators, job: Job, evidence: dict[str, Evidence], decided: Decided
) -> str:
    """How the plan of a recipe, or of a language model, failed; empty when it came to an answer
    that holds, or is not to blame."""
    planning = decided.planning
    if job.plan is None:
        return ""
    if job.plan.draft.answer_task in evidence:
        return await _does_not_hold(with_, evidence[job.plan.draft.answer_task], decided)
    if not reused(planning) and not planning.by_model:
        return ""
    error = await why_failed(with_, job)
    # What a model's query may not do, the rules' may.
    blamed = {STEP_FAILED, SQL_REFUSED} if planning.by_model else {STEP_FAILED}
    return error.message if error.reason in blamed else ""


async def _does_not_hold(with_: Collaborators, answer: Evidence, decided: Decided) -> str:
    """What of a remembered plan's answer cannot be; larger ones than are read for words are not
    looked at."""
    frame = answer.observation.frame
    planning = decided.planning
    checked = reused(planning) and planning.intent  # of a model's plan nothing more is known
    if not checked or frame is None or frame.rows > MOST_CHECKED_ROWS:
        return ""
    intent = Intent.model_validate(restored(planning.intent, decided.described.catalogue))
    rows = await with_.tools.read(frame)
    catalogue = with_columns(decided.described.catalogue, intent.defined)
    return broken(intent, rows, catalogue)
