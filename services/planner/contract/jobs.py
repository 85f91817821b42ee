"""Jobs, plans, steps, answers and events."""

from __future__ import annotations

import json
from datetime import datetime

from assay.common.v1 import data_pb2, job_pb2
from services.planner.contract.calls import artifact_to, frame_to
from services.planner.contract.requests import request_to
from services.planner.contract.times import duration, timestamp
from services.planner.domain import job as jobs
from services.planner.domain.model_use import ModelUse
from services.planner.domain.plan import PlanDraft
from services.planner.domain.reading import ReadDecision

_JOB_STATES = {
    jobs.JobState.SUBMITTED: job_pb2.JOB_STATE_SUBMITTED,
    jobs.JobState.PLANNING: job_pb2.JOB_STATE_PLANNING,
    jobs.JobState.WAITING: job_pb2.JOB_STATE_WAITING,
    jobs.JobState.EXECUTING: job_pb2.JOB_STATE_EXECUTING,
    jobs.JobState.COMPLETED: job_pb2.JOB_STATE_COMPLETED,
    jobs.JobState.FAILED: job_pb2.JOB_STATE_FAILED,
    jobs.JobState.PARTIAL_SUCCESS: job_pb2.JOB_STATE_PARTIAL_SUCCESS,
    jobs.JobState.CANCELLED: job_pb2.JOB_STATE_CANCELLED,
}
_STEP_STATES = {
    jobs.StepState.WAITING: job_pb2.STEP_STATE_WAITING,
    jobs.StepState.RUNNING: job_pb2.STEP_STATE_RUNNING,
    jobs.StepState.DONE: job_pb2.STEP_STATE_DONE,
    jobs.StepState.REPAIRING: job_pb2.STEP_STATE_REPAIRING,
    jobs.StepState.FAILED: job_pb2.STEP_STATE_FAILED,
    jobs.StepState.SKIPPED: job_pb2.STEP_STATE_SKIPPED,
}
_EMPTY = {
    jobs.EmptyReason.NO_ROWS: job_pb2.EMPTY_REASON_NO_ROWS,
    jobs.EmptyReason.NOT_PERMITTED: job_pb2.EMPTY_REASON_NOT_PERMITTED,
    jobs.EmptyReason.TIMED_OUT: job_pb2.EMPTY_REASON_TIMED_OUT,
    jobs.EmptyReason.NOT_ASKED: job_pb2.EMPTY_REASON_NOT_ASKED,
}


def plan_to(
    plan_id: str, request_id: str, draft: PlanDraft, made: datetime, state: str
) -> job_pb2.Plan:
    """A plan for the contract."""
    return job_pb2.Plan(
        plan_id=plan_id,
        request_id=request_id,
        subtasks=[
            job_pb2.Subtask(
                task_id=task.task_id,
                description=task.description,
                tool_name=task.tool_name,
                dependencies=task.dependencies,
                invariants=task.invariants,
                estimated_cost_seconds=task.estimated_cost_seconds,
                arguments_json=json.dumps(task.arguments),
            )
            for task in draft.subtasks
        ],
        total_estimated_seconds=draft.total_estimated_seconds,
        created_at=timestamp(made),
        reasoning=draft.reasoning,
        state=state,
        answer_task=draft.answer_task,
    )


def _stored_plan(plan: jobs.Plan) -> job_pb2.Plan:
    return plan_to(plan.plan_id, plan.request_id, plan.draft, plan.created_at, plan.state.value)


def step_to(step: jobs.Step) -> job_pb2.Step:
    """A step for the contract."""
    return job_pb2.Step(
        task_id=step.task_id,
        description=step.description,
        tool_name=step.tool_name,
        state=_STEP_STATES[step.state],
        attempt=step.attempt,
        rows=step.rows,
        columns=step.columns,
        detail=step.detail,
        elapsed=duration(step.elapsed_seconds),
    )


def clarification_to(value: jobs.Clarification) -> job_pb2.Clarification:
    """A question back, for the contract."""
    return job_pb2.Clarification(question=value.question, options=value.options)


def failure_to(value: jobs.Failure) -> job_pb2.Failure:
    """A failure for the contract."""
    return job_pb2.Failure(reason=value.reason, message=value.message, hint=value.hint)


def answer_to(answer: jobs.Answer) -> job_pb2.Answer:
    """An answer for the contract."""
    return job_pb2.Answer(
        text=answer.text,
        table=frame_to(answer.table) if answer.table else None,
        display=frame_to(answer.display) if answer.display else None,
        artifacts=[artifact_to(artifact) for artifact in answer.artifacts],
        claims=[job_pb2.Claim(**claim.model_dump()) for claim in answer.claims],
        caveats=answer.caveats,
        empty_reason=_EMPTY[answer.empty_reason]
        if answer.empty_reason
        else job_pb2.EMPTY_REASON_UNSPECIFIED,
        confidence=answer.confidence,
        reasoner=answer.reasoner,
        recipe=answer.recipe,
        model_use=_model_use_to(answer.model_use) if answer.model_use else None,
        decisions=[data_pb2.ReadDecision(**item.model_dump()) for item in answer.decisions],
        formats=answer.formats,
    )


def read_decision_from(message: data_pb2.ReadDecision) -> ReadDecision:
    """What was decided while a file was read, from the contract."""
    return ReadDecision(
        source_name=message.source_name,
        table=message.table,
        subject=message.subject,
        value=message.value,
        column=message.column,
        because=message.because,
        certain=message.certain,
    )


def _model_use_to(use: ModelUse) -> job_pb2.ModelUse:
    return job_pb2.ModelUse(
        model=use.model,
        requests=use.requests,
        input_tokens=use.input_tokens,
        output_tokens=use.output_tokens,
        cost=use.cost,
        currency=use.currency,
        elapsed=duration(use.seconds),
    )


def job_to(job: jobs.Job, now: datetime, audit_entries: int = 0) -> job_pb2.Job:
    """A job for the contract."""
    end = job.updated_at if job.state.final else now
    return job_pb2.Job(
        job_id=job.job_id,
        state=_JOB_STATES[job.state],
        request=request_to(job.request),
        understood=job.understood,
        plan=_stored_plan(job.plan) if job.plan else None,
        steps=[step_to(step) for step in job.steps],
        clarification=clarification_to(job.clarification) if job.clarification else None,
        answer=answer_to(job.answer) if job.answer else None,
        failure=failure_to(job.failure) if job.failure else None,
        created_at=timestamp(job.created_at),
        updated_at=timestamp(job.updated_at),
        progress=job.progress,
        trace_id=job.trace_id,
        audit_entries=audit_entries,
        elapsed=duration(max((end - job.created_at).total_seconds(), 0.0)),
        partial_artifacts=[artifact_to(artifact) for artifact in job.partial_artifacts],
    )


def event_to(event: jobs.JobEvent) -> job_pb2.JobEvent:
    """An event for the contract."""
    message = job_pb2.JobEvent(sequence=event.sequence, timestamp=timestamp(event.timestamp))
    if event.kind == "state":
        message.state = _JOB_STATES[jobs.JobState(event.data["state"])]
    elif event.kind == "understood":
        message.understood = event.data["text"]
    elif event.kind == "plan":
        message.plan.CopyFrom(_stored_plan(jobs.Plan.model_validate(event.data)))
    elif event.kind == "step":
        message.step.CopyFrom(step_to(jobs.Step.model_validate(event.data)))
    elif event.kind == "clarification":
        value = jobs.Clarification.model_validate(event.data)
        message.clarification.CopyFrom(clarification_to(value))
    elif event.kind == "answer":
        message.answer.CopyFrom(answer_to(jobs.Answer.model_validate(event.data)))
    else:
        message.failure.CopyFrom(failure_to(jobs.Failure.model_validate(event.data)))
    return message
