"""Jobs, plans, steps and events."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from assay.common.v1 import analysis_pb2, job_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb2
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.contract.answers import answer_to, empty_to
from services.planner.contract.artifacts import artifact_to
from services.planner.contract.calls import frame_to
from services.planner.contract.causal import causal_result_to, critique_to, progress_to
from services.planner.contract.investigations import finding_to, hypothesis_to, result_to
from services.planner.contract.proposals import proposal_to
from services.planner.contract.requests import work_to
from services.planner.contract.times import duration, timestamp
from services.planner.domain.answer import Answer
from services.planner.domain.causal.result import CausalResult
from services.planner.domain.causal.results import CritiqueFeedback
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.investigation.hypothesis import Hypothesis
from services.planner.domain.investigation.iteration import Finding
from services.planner.domain.investigation.result import InvestigationResult
from services.planner.domain.jobs import job as jobs
from services.planner.domain.jobs.kinds import Result
from services.planner.domain.plan import Plan, PlanState
from services.planner.domain.request import JobKind
from services.planner.domain.statements.readable import Statement, statement_of
from services.planner.domain.step import Step, StepState

JOB_STATE_NUMBERS = {
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
    StepState.WAITING: job_pb2.STEP_STATE_WAITING,
    StepState.RUNNING: job_pb2.STEP_STATE_RUNNING,
    StepState.DONE: job_pb2.STEP_STATE_DONE,
    StepState.REPAIRING: job_pb2.STEP_STATE_REPAIRING,
    StepState.FAILED: job_pb2.STEP_STATE_FAILED,
    StepState.SKIPPED: job_pb2.STEP_STATE_SKIPPED,
}
JOB_STATES = {number: state for state, number in JOB_STATE_NUMBERS.items()}
JOB_KIND_NUMBERS = {
    JobKind.ANALYSIS: job_pb2.JOB_KIND_ANALYSIS,
    JobKind.INVESTIGATION: job_pb2.JOB_KIND_INVESTIGATION,
    JobKind.CAUSAL: job_pb2.JOB_KIND_CAUSAL,
}
JOB_KINDS = {number: kind for kind, number in JOB_KIND_NUMBERS.items()}
_PHASES = {
    jobs.JobPhase.PLANNING: job_pb2.JOB_PHASE_PLANNING,
    jobs.JobPhase.RUNNING: job_pb2.JOB_PHASE_RUNNING,
    jobs.JobPhase.CONCLUDING: job_pb2.JOB_PHASE_CONCLUDING,
    jobs.JobPhase.ENDED: job_pb2.JOB_PHASE_ENDED,
}
_PLAN_STATES = {
    PlanState.DRAFT: analysis_pb2.PLAN_STATE_DRAFT,
    PlanState.VALIDATED: analysis_pb2.PLAN_STATE_VALIDATED,
    PlanState.EXECUTING: analysis_pb2.PLAN_STATE_EXECUTING,
    PlanState.COMPLETED: analysis_pb2.PLAN_STATE_COMPLETED,
    PlanState.ABANDONED: analysis_pb2.PLAN_STATE_ABANDONED,
}
_RESULT: TypeAdapter[Result] = TypeAdapter(Result)


def plan_to(plan: Plan, *, reading: bool = False) -> analysis_pb2.Plan:
    """A plan for the contract; with the queries of its steps where they are to be read."""
    draft = plan.draft
    return analysis_pb2.Plan(
        plan_id=plan.plan_id,
        job_id=plan.request_id,
        subtasks=[
            analysis_pb2.Subtask(
                task_id=task.task_id,
                description=task.description,
                tool_name=task.tool_name,
                dependencies=task.dependencies,
                invariants=task.invariants,
                estimated_cost=duration(task.estimated_cost_seconds),
                arguments_json=json.dumps(task.arguments),
                statement=_statement_to(statement_of(task.tool_name, task.arguments))
                if reading
                else None,
            )
            for task in draft.subtasks
        ],
        total_estimated_cost=duration(draft.total_estimated_seconds),
        created_at=timestamp(plan.created_at),
        reasoning=draft.reasoning,
        state=_PLAN_STATES[plan.state],
        answer_task=draft.answer_task,
        proposal=proposal_to(plan.proposal) if plan.proposal is not None else None,
    )


def step_to(step: Step) -> job_pb2.Step:
    """A step for the contract."""
    return job_pb2.Step(
        task_id=step.task_id,
        description=step.description,
        tool_name=step.tool_name,
        state=_STEP_STATES[step.state],
        attempt=step.attempt,
        rows=step.rows,
        columns=step.columns if step.rows is not None else None,
        detail=step.detail,
        elapsed=duration(step.elapsed_seconds),
        statement=_statement_to(step.statement),
        frame=frame_to(step.frame) if step.frame is not None else None,
    )


def _statement_to(statement: Statement | None) -> analysis_pb2.Statement | None:
    return analysis_pb2.Statement(**statement.model_dump()) if statement is not None else None


def clarification_to(value: Clarification) -> job_pb2.Clarification:
    """A question back, for the contract."""
    return job_pb2.Clarification(
        question=value.question,
        options=[
            job_pb2.Choice(option_id=choice.option_id, text=choice.text, glimpse=choice.glimpse)
            for choice in value.choices
        ],
    )


def failure_to(value: Failure) -> job_pb2.Failure:
    """A failure for the contract."""
    return job_pb2.Failure(
        reason=value.reason,
        message=value.message,
        hint=value.hint,
        empty_reason=empty_to(value.empty_reason),
    )


def job_to(job: jobs.Job, now: datetime, audit_entries: int | None = None) -> job_pb2.Job:
    """A job for the contract."""
    end = job.updated_at if job.state.final else now
    return job_pb2.Job(
        job_id=job.job_id,
        state=JOB_STATE_NUMBERS[job.state],
        **work_to(job.request),
        **_result_to(job.answer),
        phase=_PHASES[job.phase] if job.phase else job_pb2.JOB_PHASE_UNSPECIFIED,
        progress=job_pb2.JobProgress(
            percent=job.progress, reason=job.progress_reason, queue_position=job.queue_position
        ),
        understood=job.understood,
        plan=plan_to(job.plan) if job.plan else None,
        steps=[step_to(step) for step in job.steps],
        clarification=clarification_to(job.clarification) if job.clarification else None,
        failure=failure_to(job.failure) if job.failure else None,
        created_at=timestamp(job.created_at),
        updated_at=timestamp(job.updated_at),
        elapsed=duration(max((end - job.created_at).total_seconds(), 0.0)),
        session_id=job.session_id,
        conversation_id=job.conversation_id,
        turn=job.turn,
        parent_job_id=job.parent_job_id,
        trace_id=job.trace_id,
        audit_entries=audit_entries,
        partial_artifacts=[artifact_to(artifact) for artifact in job.partial_artifacts],
        asked_by=job.asked_by,
    )


def _result_to(result: Answer | InvestigationResult | CausalResult | None) -> dict[str, Any]:
    """A result for the contract: its answer, and what its kind has beside it."""
    if result is None:
        return {}
    beside: dict[str, Any] = {}
    if isinstance(result, InvestigationResult):
        beside = {"investigation_result": result_to(result)}
    elif isinstance(result, CausalResult):
        beside = {"causal_result": causal_result_to(result)}
    return {"answer": answer_to(result), **beside}


def event_to(event: jobs.JobEvent) -> job_pb2.JobEvent:
    """An event for the contract."""
    message = job_pb2.JobEvent(sequence=event.sequence, timestamp=timestamp(event.timestamp))
    if event.kind == "state":
        message.state = JOB_STATE_NUMBERS[jobs.JobState(event.data["state"])]
    elif event.kind == "understood":
        message.understood = event.data["text"]
    elif event.kind == "plan":
        message.plan.CopyFrom(plan_to(Plan.model_validate(event.data)))
    elif event.kind == "progress":
        message.progress.CopyFrom(job_pb2.JobProgress(**event.data))
    elif event.kind == "plan_abandoned":
        message.plan_abandoned.CopyFrom(job_pb2.PlanAbandoned(**event.data))
    elif event.kind == "step":
        message.step.CopyFrom(step_to(Step.model_validate(event.data)))
    elif event.kind == "clarification":
        value = Clarification.model_validate(event.data)
        message.clarification.CopyFrom(clarification_to(value))
    elif event.kind == "hypothesis":
        message.hypothesis.CopyFrom(hypothesis_to(Hypothesis.model_validate(event.data)))
    elif event.kind == "finding":
        message.finding.CopyFrom(finding_to(Finding.model_validate(event.data)))
    elif event.kind == "causal":
        message.causal.CopyFrom(progress_to(event.data))
    elif event.kind == "critique":
        message.critique.CopyFrom(critique_to(CritiqueFeedback.model_validate(event.data)))
    elif event.kind == "answer":
        message.answer.CopyFrom(answer_to(_RESULT.validate_python(event.data)))
    else:
        message.failure.CopyFrom(failure_to(Failure.model_validate(event.data)))
    return message


def filter_from(message: planner_pb2.ListJobsRequest) -> jobs.JobFilter:
    """Which jobs are wanted. Raises AssayError(INVALID_ARGUMENT)."""
    for name, values, known in (
        ("kind", [message.kind] if message.kind else [], JOB_KINDS),
        ("states", message.states, JOB_STATES),
    ):
        if unknown := [number for number in values if number not in known]:
            raise AssayError(
                INVALID_ARGUMENT,
                f"{name} holds {unknown[0]}, which is not known",
                fields={name: "unknown"},
            )
    return jobs.JobFilter(
        session_id=message.session_id,
        asked_by=message.asked_by,
        kind=JOB_KINDS.get(message.kind),
        states=tuple(JOB_STATES[number] for number in message.states),
    )


def count_to(count: jobs.JobCount) -> planner_pb2.SessionJobCount:
    """A count for the contract."""
    return planner_pb2.SessionJobCount(
        session_id=count.session_id,
        state=JOB_STATE_NUMBERS[count.state],
        count=count.count,
        with_report=count.with_report,
        newest_at=timestamp(count.newest_at),
    )
