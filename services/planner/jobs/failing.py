"""Why the steps of a job failed, in words for people."""

from __future__ import annotations

from mesh.errors import (
    ROW_LIMIT,
    SQL_REFUSED,
    STATEMENT_FAILED,
    STEP_FAILED,
    TIMEOUT,
    AssayError,
)
from services.planner.domain.calls import ObservationStatus
from services.planner.domain.job import Job
from services.planner.domain.statement import QUERYING_TOOL
from services.planner.jobs.collaborators import Collaborators

_IN_THE_STATEMENT = frozenset("sql_syntax type_mismatch missing_column invalid_arguments".split())


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
        if job.request.statement and call.tool_name == QUERYING_TOOL:
            if observation.error_category in _IN_THE_STATEMENT:
                reason = STATEMENT_FAILED
            return AssayError(reason, observation.error_message or reason.meaning)
        text = f"step {call.task_id} ({call.tool_name}): {observation.error_message}"
        return AssayError(reason, text, metadata={"task_id": call.task_id})
    return AssayError(STEP_FAILED, "no step gave a result")
