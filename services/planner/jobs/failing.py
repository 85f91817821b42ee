"""Why the steps of a job failed, in words for people."""

from __future__ import annotations

from mesh.errors import (
    REASONS,
    ROW_LIMIT,
    SQL_REFUSED,
    STATEMENT_FAILED,
    STEP_FAILED,
    TIMEOUT,
    TOOL_CHANGED,
    TOOL_NOT_APPROVED,
    AssayError,
)
from services.planner.domain.calls import Observation, ObservationStatus, ToolCall
from services.planner.domain.jobs.job import Job
from services.planner.domain.question import analysis_of
from services.planner.domain.request import MAX_ROW_LIMIT
from services.planner.domain.routing.asked import CALL_TOOL, approving
from services.planner.domain.statements.readable import QUERYING_TOOL
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
        if call.tool_name == CALL_TOOL:
            return called_in_vain(call, observation)
        if job.request.statement and call.tool_name == QUERYING_TOOL:
            if observation.error_category in _IN_THE_STATEMENT:
                reason = STATEMENT_FAILED
            if reason is ROW_LIMIT:
                return _too_many_rows(job, observation)
            return AssayError(reason, observation.error_message or reason.meaning)
        text = f"step {call.task_id} ({call.tool_name}): {observation.error_message}"
        return AssayError(reason, text, metadata={"task_id": call.task_id})
    return AssayError(STEP_FAILED, "no step gave a result")


def _too_many_rows(job: Job, observation: Observation) -> AssayError:
    """Of a statement: whether the limit can be raised, and what is enough for a test."""
    text = observation.error_message or ROW_LIMIT.meaning
    request = analysis_of(job.request)
    if request.constraints.row_limit < MAX_ROW_LIMIT:
        return AssayError(ROW_LIMIT, text)
    hint = "Aggregate, or filter the rows: no request may have more."
    if request.test.kind:
        hint = "Test fewer; a fifth of so many is enough: WHERE md5(KEY) < '3'."
    return AssayError(ROW_LIMIT, text.partition(". ")[0], hint=hint)


async def too_many_failed(with_: Collaborators, job: Job, failures: int, limit: int) -> AssayError:
    """The error of a job of which more steps failed than may: that of the first, for people."""
    first = await why_failed(with_, job)
    text = f"{failures} steps failed, where at most {limit} may; {first.message}"
    return AssayError(first.reason, text, hint=first.hint, metadata=first.metadata)


def called_in_vain(call: ToolCall, observation: Observation) -> AssayError:
    """Why a domain's tool gave nothing, for people: a changed one is not approved any more."""
    reason = REASONS.get(str(observation.error_details.get("reason")), STEP_FAILED)
    sentence = (observation.error_message or reason.meaning).replace(reason.remedy, "")
    text = sentence.strip().rstrip(".")
    if reason is not TOOL_CHANGED:
        return AssayError(reason, text)
    domain, tool = str(call.arguments["domain"]), str(call.arguments["tool"])
    return AssayError(TOOL_NOT_APPROVED, text, hint=approving(domain, tool))
