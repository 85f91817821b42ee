"""What went wrong when a plan came to no answer, and whether another plan may come to one."""

from __future__ import annotations

from mesh.errors import ROW_LIMIT, SQL_REFUSED, STEP_FAILED, TIMEOUT, AssayError
from services.planner.collaborators import Collaborators
from services.planner.domain.calls import ObservationStatus
from services.planner.domain.decision import Planning
from services.planner.domain.job import Job
from services.planner.domain.past import Evidence
from services.planner.learning import reused


async def failed_recipe(
    with_: Collaborators, job: Job, evidence: dict[str, Evidence], planning: Planning
) -> str:
    """How the plan of a recipe, or of a language model, failed; empty when it came to an answer,
    or is not to blame."""
    if job.plan is None or job.plan.draft.answer_task in evidence:
        return ""
    if not reused(planning) and not planning.by_model:
        return ""
    error = await why_failed(with_, job)
    # What a model's query may not do, the rules' may.
    blamed = {STEP_FAILED, SQL_REFUSED} if planning.by_model else {STEP_FAILED}
    return error.message if error.reason in blamed else ""


async def why_failed(with_: Collaborators, job: Job) -> AssayError:
    """The error of the first failed step of a job's plan, for people."""
    attempts = {step.task_id: step.attempt for step in job.steps}
    for call, observation in await with_.jobs.observations(job.job_id):
        if observation is None or observation.succeeded:
            continue
        if job.plan is None or call.plan_id != job.plan.plan_id:
            continue
        if call.attempt_number < attempts[call.task_id]:
            continue
        if observation.error_category == "policy_denied":
            reason = SQL_REFUSED
        elif observation.status is ObservationStatus.TIMEOUT:
            reason = TIMEOUT
        elif observation.status is ObservationStatus.RESOURCE_LIMIT:
            reason = ROW_LIMIT
        else:
            reason = STEP_FAILED
        text = f"step {call.task_id} ({call.tool_name}): {observation.error_message}"
        return AssayError(reason, text, metadata={"task_id": call.task_id})
    return AssayError(STEP_FAILED, "no step gave a result")
