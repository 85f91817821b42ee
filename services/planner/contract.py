"""The planner's domain to and from its contracts; the only place where both are known."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import data_pb2, job_pb2
from assay.memory.v1 import memory_service_pb2 as memory_pb2
from mesh.errors import UNKNOWN_DELIVERABLE, AssayError
from mesh.ids import parse_id
from mesh.policy import Policy
from services.planner.domain import job as jobs
from services.planner.domain.calls import Artifact, Frame, Observation, ObservationStatus, ToolCall
from services.planner.domain.plan import PlanDraft
from services.planner.domain.recipe import Parameter, Recipe
from services.planner.domain.request import (
    AnalysisRequest,
    Constraints,
    DataSource,
    Deliverable,
)

_SOURCE_TYPES = {1: "sql", 2: "csv", 3: "json", 4: "parquet"}
_SOURCE_NUMBERS = {name: number for number, name in _SOURCE_TYPES.items()}
_DELIVERABLES = {
    1: Deliverable.TABLES,
    2: Deliverable.CHARTS,
    3: Deliverable.REPORTS,
    4: Deliverable.SUMMARY,
}
_DELIVERABLE_NUMBERS = {item: number for number, item in _DELIVERABLES.items()}
_STATUSES = {
    1: ObservationStatus.SUCCESS,
    2: ObservationStatus.ERROR,
    3: ObservationStatus.TIMEOUT,
    4: ObservationStatus.RESOURCE_LIMIT,
}
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


def timestamp(moment: datetime) -> Timestamp:
    """A moment as the contract's timestamp."""
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def moment(stamp: Timestamp) -> datetime:
    """A timestamp as a moment in UTC."""
    return stamp.ToDatetime(tzinfo=UTC)


def duration(seconds: float) -> Duration:
    """Seconds as the contract's duration."""
    span = Duration()
    span.FromNanoseconds(int(seconds * 1e9))
    return span


def request_from(message: job_pb2.AnalysisRequest, now: datetime) -> AnalysisRequest:
    """A request as the domain knows it. Raises AssayError for what cannot be one."""
    unknown = [number for number in message.deliverables if number not in _DELIVERABLES]
    if unknown:
        raise AssayError(
            UNKNOWN_DELIVERABLE,
            f"deliverable {unknown[0]} is not known",
            fields={"deliverables": "tables, charts, reports or summary"},
        )
    chosen = tuple(_DELIVERABLES[number] for number in message.deliverables)
    return AnalysisRequest(
        request_id=parse_id(message.request_id, "request_id"),
        intent=message.intent,
        data_sources=tuple(source_from(source) for source in message.data_sources),
        constraints=Constraints(
            row_limit=message.constraints.row_limit or Constraints().row_limit,
            timeout_seconds=message.constraints.timeout_seconds or Constraints().timeout_seconds,
        ),
        deliverables=chosen or tuple(Deliverable),
        policy=Policy(
            allowed_columns=tuple(message.policy.allowed_columns),
            blocked_patterns=tuple(message.policy.blocked_patterns),
        ),
        timestamp=moment(message.timestamp) if message.HasField("timestamp") else now,
        assume=message.assume,
    )


def source_from(message: data_pb2.DataSource) -> DataSource:
    """A source as the domain knows it."""
    return DataSource(
        type=_SOURCE_TYPES.get(message.type, ""),
        connection_string=message.connection_string,
        file_path=message.file_path,
        file_id=message.file_id,
        schema_fingerprint=message.schema_fingerprint,
        name=message.name,
    )


def source_to(source: DataSource) -> data_pb2.DataSource:
    """A source for the contract."""
    return data_pb2.DataSource(
        type=data_pb2.DataSourceType.ValueType(_SOURCE_NUMBERS.get(source.type, 0)),
        connection_string=source.connection_string,
        file_path=source.file_path,
        file_id=source.file_id,
        schema_fingerprint=source.schema_fingerprint,
        name=source.name,
    )


def sources_to(request: AnalysisRequest) -> list[data_pb2.DataSource]:
    """All sources of a request."""
    return [source_to(source) for source in request.data_sources]


def policy_to(policy: Policy) -> data_pb2.Policy:
    """A policy for the contract."""
    return data_pb2.Policy(
        allowed_columns=policy.allowed_columns, blocked_patterns=policy.blocked_patterns
    )


def constraints_to(constraints: Constraints) -> data_pb2.Constraints:
    """Limits for the contract."""
    return data_pb2.Constraints(
        row_limit=constraints.row_limit, timeout_seconds=constraints.timeout_seconds
    )


def request_to(request: AnalysisRequest) -> job_pb2.AnalysisRequest:
    """A request for the contract. Credentials stay behind: nobody asks for them back."""
    shown = [
        source.model_copy(update={"connection_string": "", "name": source.label})
        for source in request.data_sources
    ]
    return job_pb2.AnalysisRequest(
        request_id=request.request_id,
        intent=request.intent,
        data_sources=[source_to(source) for source in shown],
        constraints=constraints_to(request.constraints),
        deliverables=[
            job_pb2.Deliverable.ValueType(_DELIVERABLE_NUMBERS[d]) for d in request.deliverables
        ],
        policy=policy_to(request.policy),
        timestamp=timestamp(request.timestamp),
        assume=request.assume,
    )


def frame_from(message: data_pb2.FrameRef) -> Frame:
    """A frame's name as the domain knows it."""
    import pyarrow as pa

    columns = len(pa.ipc.read_schema(pa.py_buffer(message.schema)))
    return Frame(
        name=message.name,
        schema_base64=base64.b64encode(message.schema).decode(),
        rows=message.rows,
        columns=columns,
        bytes=message.bytes,
        digest=message.digest,
        locations=tuple((place.kind, place.uri) for place in message.locations),
    )


def frame_to(frame: Frame) -> data_pb2.FrameRef:
    """A frame's name for the contract."""
    return data_pb2.FrameRef(
        name=frame.name,
        schema=base64.b64decode(frame.schema_base64),
        rows=frame.rows,
        bytes=frame.bytes,
        digest=frame.digest,
        locations=[data_pb2.FrameLocation(kind=k, uri=u) for k, u in frame.locations],
    )


def artifact_from(message: job_pb2.Artifact) -> Artifact:
    """An artifact as the domain knows it."""
    return Artifact(
        artifact_id=message.artifact_id,
        request_id=message.request_id,
        artifact_type=message.artifact_type,
        content_ref=message.content_ref,
        content_hash=message.content_hash,
        metadata=json.loads(message.metadata_json or "{}"),
        size_bytes=message.size_bytes,
        created_at=moment(message.created_at),
        local_path=message.local_path,
        media_type=message.media_type,
    )


def artifact_to(artifact: Artifact) -> job_pb2.Artifact:
    """An artifact for the contract."""
    return job_pb2.Artifact(
        artifact_id=artifact.artifact_id,
        request_id=artifact.request_id,
        artifact_type=artifact.artifact_type,
        content_ref=artifact.content_ref,
        content_hash=artifact.content_hash,
        metadata_json=json.dumps(artifact.metadata, sort_keys=True),
        size_bytes=artifact.size_bytes,
        created_at=timestamp(artifact.created_at),
        local_path=artifact.local_path,
        media_type=artifact.media_type,
    )


def call_to(call: ToolCall) -> job_pb2.ToolCall:
    """A call for the contract."""
    return job_pb2.ToolCall(
        call_id=call.call_id,
        task_id=call.task_id,
        tool_name=call.tool_name,
        arguments_json=json.dumps(call.arguments),
        timestamp=timestamp(call.timestamp),
        attempt_number=call.attempt_number,
        change_reason=call.change_reason,
    )


def observation_from(message: job_pb2.Observation) -> Observation:
    """What came back, as the domain knows it."""
    return Observation(
        observation_id=message.observation_id,
        call_id=message.call_id,
        status=_STATUSES[message.status],
        frame=frame_from(message.frame) if message.HasField("frame") else None,
        artifacts=tuple(artifact_from(artifact) for artifact in message.artifacts),
        summary=message.summary,
        notes=tuple(message.notes),
        error_message=message.error_message or None,
        error_category=message.error_category or None,
        error_details=json.loads(message.error_details_json or "{}"),
        execution_time_seconds=max(message.execution_time.ToNanoseconds() / 1e9, 1e-9),
        row_count=message.row_count if message.HasField("row_count") else None,
        timestamp=moment(message.timestamp),
    )


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


def recipe_to(recipe: Recipe) -> memory_pb2.Recipe:
    """A recipe for the contract."""
    return memory_pb2.Recipe(
        recipe_id=recipe.recipe_id,
        schema_fingerprint=recipe.schema_fingerprint,
        intent_template=recipe.intent_template,
        plan_structure_json=json.dumps(recipe.plan_structure, sort_keys=True),
        tool_argument_templates_json=json.dumps(recipe.tool_argument_templates, sort_keys=True),
        success_count=recipe.success_count,
        created_at=timestamp(recipe.created_at),
        last_used_at=timestamp(recipe.last_used_at),
        failure_count=recipe.failure_count,
        quarantined=recipe.quarantined,
        parameters_json=json.dumps([item.model_dump() for item in recipe.parameters]),
    )


def recipe_from(message: memory_pb2.Recipe) -> Recipe:
    """A recipe as the domain knows it."""
    return Recipe(
        recipe_id=message.recipe_id,
        schema_fingerprint=message.schema_fingerprint,
        intent_template=message.intent_template,
        plan_structure=json.loads(message.plan_structure_json or "{}"),
        tool_argument_templates=json.loads(message.tool_argument_templates_json or "[]"),
        parameters=tuple(
            Parameter.model_validate(item) for item in json.loads(message.parameters_json or "[]")
        ),
        success_count=message.success_count,
        created_at=moment(message.created_at),
        last_used_at=moment(message.last_used_at),
        failure_count=message.failure_count,
        quarantined=message.quarantined,
    )


def recipes_to(recipes: Sequence[Recipe]) -> list[memory_pb2.Recipe]:
    """Recipes for the contract."""
    return [recipe_to(recipe) for recipe in recipes]
