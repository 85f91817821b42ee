"""What an analysis leaves in memory: a recipe, its report, and how the recipes it met did."""

from __future__ import annotations

from services.planner.analysis.deciding import Decided
from services.planner.domain.analysis.generalise import generalised
from services.planner.domain.analysis.narrate import Narration
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.evidence import was_hurried
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.lesson import Lesson
from services.planner.domain.question import analysis_of
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.lessons import tell_or_keep


async def learn(
    with_: Collaborators, job: Job, decided: Decided, state: JobState, narration: Narration
) -> str:
    """Tell memory what a job taught, now or later, and say in a few words what became of it.

    Raises AssayError when it can neither be told nor kept.
    """
    lesson = _lesson(job, decided, state is JobState.COMPLETED, narration)
    if job.session_id and not lesson.document and narration.text:
        update = {"document": _document(job, narration), "session_id": job.session_id}
        lesson = lesson.model_copy(update=update)
    if lesson.empty:
        return ""
    is_mentioned = await tell_or_keep(with_, lesson)
    if reused(decided.planning):
        use = decided.planning.recipe
        text = "remembered plan used" if use.exact else f"recipe {use.how}"
        return text if is_mentioned else f"{text}, memory away by then"
    if lesson.recipe is None:
        return ""
    if lesson.recipe.exact_question:
        return "plan remembered" if is_mentioned else "memory away, plan kept for later"
    return "recipe saved" if is_mentioned else "memory away, recipe kept for later"


async def learn_failure(with_: Collaborators, job_id: str, planning: Planning, why: str) -> None:
    """Tell memory of the recipes that a job without an answer met.

    `why` says how the one in use failed; empty when it is not to blame, as for a time limit.
    """
    failed = dict(planning.recipe.failed)
    if why and reused(planning):
        failed[planning.recipe.recipe_id] = why
    lesson = Lesson(job_id=job_id, failed=failed)
    if not lesson.empty:
        await tell_or_keep(with_, lesson)


def reused(planning: Planning) -> bool:
    """Whether a plan was made from a recipe."""
    return planning.recipe.how in ("used", "adapted")


def _lesson(job: Job, decided: Decided, complete: bool, narration: Narration) -> Lesson:
    planning = decided.planning
    failed = dict(planning.recipe.failed)
    # Nothing was read that could be remembered, or it is of one domain among several.
    domains = analysis_of(job.request).domains
    if job.request.statement or (domains and (len(domains) > 1 or not planning.intent)):
        return Lesson(job_id=job.job_id, failed=failed)
    if reused(planning):
        if not complete:
            failed[planning.recipe.recipe_id] = "a step of its plan failed"
            return Lesson(job_id=job.job_id, failed=failed)
        return Lesson(job_id=job.job_id, failed=failed, worked=planning.recipe.recipe_id)
    # What was decided in want of something better, such as a model that was away or whose
    # plan failed, or readings that the data was too busy for, teaches nothing.
    hurried = was_hurried(planning.assumptions)
    sound = not planning.caveats and not decided.abandoned_model and not hurried
    worked = complete and sound and narration.empty_reason is None
    if not worked:
        return Lesson(job_id=job.job_id, failed=failed)
    recipe = generalised(
        job.job_id,
        analysis_of(job.request),
        planning,
        decided.described.catalogue,
        job.updated_at,
    )
    if recipe is None:
        return Lesson(job_id=job.job_id, failed=failed)
    return Lesson(
        job_id=job.job_id,
        failed=failed,
        recipe=recipe,
        document=_document(job, narration),
        session_id=job.session_id,
    )


def _document(job: Job, narration: Narration) -> str:
    """What is remembered to find the job by when something is asked about it."""
    parts = (job.request.question, job.understood, narration.text)
    return "\n\n".join(part for part in parts if part)
