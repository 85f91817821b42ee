"""Conversations and responses to and from the contract."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import analysis_pb2, conversation_pb2, job_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from gateway.domain.conversation import Conversation, Link, Message, Outcome, Role, State, Status
from gateway.domain.response import (
    MOST_MILLISECONDS,
    AgentResponse,
    CallStatus,
    ResponseError,
    ToolCall,
)
from gateway.jobs.showing import shown_artifact
from mesh.errors import INTERNAL, AssayError

_ROLES = {
    Role.SYSTEM: pb.MESSAGE_ROLE_SYSTEM,
    Role.USER: pb.MESSAGE_ROLE_USER,
    Role.ASSISTANT: pb.MESSAGE_ROLE_ASSISTANT,
    Role.DEVELOPER: pb.MESSAGE_ROLE_DEVELOPER,
}
_LINKS = {
    None: pb.JOB_LINK_UNSPECIFIED,
    Link.INITIATED: pb.JOB_LINK_INITIATED,
    Link.CONTINUED: pb.JOB_LINK_CONTINUED,
    Link.FORKED: pb.JOB_LINK_FORKED,
}
_STATUSES = {
    Status.ACTIVE: pb.CONVERSATION_STATUS_ACTIVE,
    Status.COMPLETED: pb.CONVERSATION_STATUS_COMPLETED,
    Status.FAILED: pb.CONVERSATION_STATUS_FAILED,
    Status.ARCHIVED: pb.CONVERSATION_STATUS_ARCHIVED,
}
_STATES = {
    State.CREATED: pb.CONVERSATION_STATE_CREATED,
    State.ACTIVE: pb.CONVERSATION_STATE_ACTIVE,
    State.IDLE: pb.CONVERSATION_STATE_IDLE,
}
_CALL_STATUSES = {
    conversation_pb2.DOMAIN_CALL_STATUS_PENDING: CallStatus.PENDING,
    conversation_pb2.DOMAIN_CALL_STATUS_IN_PROGRESS: CallStatus.IN_PROGRESS,
    conversation_pb2.DOMAIN_CALL_STATUS_COMPLETED: CallStatus.COMPLETED,
    conversation_pb2.DOMAIN_CALL_STATUS_FAILED: CallStatus.FAILED,
    conversation_pb2.DOMAIN_CALL_STATUS_TIMEOUT: CallStatus.TIMEOUT,
}
_CONFIDENCES: dict[int, Any] = {
    analysis_pb2.CONFIDENCE_HIGH: "high",
    analysis_pb2.CONFIDENCE_MEDIUM: "medium",
    analysis_pb2.CONFIDENCE_LOW: "low",
}
AT_WORK = frozenset(
    {
        job_pb2.JOB_STATE_SUBMITTED,
        job_pb2.JOB_STATE_PLANNING,
        job_pb2.JOB_STATE_EXECUTING,
    }
)
"""States of jobs that go on by themselves."""
_CHART = analysis_pb2.ARTIFACT_TYPE_CHART
_TURN_LINKS = {
    conversation_pb2.TURN_KIND_FRESH: Link.INITIATED,
    conversation_pb2.TURN_KIND_CHOICE: Link.CONTINUED,
}


def link_of(reading: conversation_pb2.TurnReading) -> Link:
    """How a conversation comes by the job of a turn that was read so."""
    return _TURN_LINKS.get(reading.kind, Link.FORKED)


def conversation_to(conversation: Conversation, now: datetime) -> pb.Conversation:
    """A conversation for the contract, as it stands at `now`."""
    return pb.Conversation(
        conversation_id=conversation.session_id,
        session_id=conversation.in_session,
        title=conversation.title,
        preview=conversation.preview,
        status=_STATUSES[conversation.status],
        state=_STATES[conversation.state(now)],
        message_count=conversation.message_count,
        created_at=_stamp(conversation.created_at),
        updated_at=_stamp(conversation.last_updated),
        model=conversation.model,
        metadata_json=json.dumps(
            {
                "user_id": conversation.metadata.get("user_id", conversation.tenant),
                "domains_accessed": conversation.metadata.get("domains_accessed", []),
            },
            sort_keys=True,
        ),
    )


def message_to(
    message: Message, response: conversation_pb2.AgentResponse | None = None
) -> pb.Message:
    """A message for the contract; `response` is what its job says it is."""
    value = response if response is not None and response.answer else None
    content = message.content or (value.answer if value else "What it was is not known any more.")
    artifacts = [a.content_ref for a in value.artifacts] if value is not None else []
    return pb.Message(
        message_id=message.message_id,
        position=message.position,
        role=_ROLES[message.role],
        content=content,
        image=message.image,
        timestamp=_stamp(message.timestamp),
        response=value,
        job_id=message.job_id,
        link=_LINKS[message.link],
        metadata_json=json.dumps({**message.metadata, **_how(value)}, sort_keys=True),
        artifacts_referenced=[*message.artifacts_referenced, *artifacts],
        taken_back_at=None if message.taken_back_at is None else _stamp(message.taken_back_at),
        request_id=message.request_id if message.role is Role.USER else "",
    )


def _how(value: conversation_pb2.AgentResponse | None) -> dict[str, Any]:
    """What seed 003 has in the metadata of an answer; its job is where it is kept."""
    if value is None:
        return {}
    return {
        "domains_accessed": _domains(value),
        "execution_time_ms": value.total_execution_time.ToMilliseconds(),
    }


def _domains(value: conversation_pb2.AgentResponse) -> list[str]:
    """What the calls of a response asked, each once: domains by their names, else sources."""
    named = [name for call in value.tool_calls_made for name in call.domain.split(", ")]
    if value.HasField("routing"):
        named = [name.partition(".")[0] for name in named]
    return list(dict.fromkeys(named))


def outcome_of(response: conversation_pb2.AgentResponse, link: Link | None = None) -> Outcome:
    """What is stored of a response; `link` is how the conversation came by its job."""
    status = Status.FAILED if response.HasField("failure") else Status.COMPLETED
    if response.HasField("clarification") or response.state in AT_WORK:
        status = Status.ACTIVE
    job_id = response.job_id
    files = () if job_id else tuple(artifact.content_ref for artifact in response.artifacts)
    return Outcome(
        response.answer,
        status,
        job_id,
        response.job_sequence if job_id else 0,
        reason=response.failure.reason,
        about=response.about_job_id,
        artifacts=files,
        domains=tuple(_domains(response)),
        link=link if job_id else None,
        image=next((a.content_ref for a in response.artifacts if a.artifact_type == _CHART), ""),
    )


def checked(
    response: conversation_pb2.AgentResponse, most_milliseconds: int = MOST_MILLISECONDS
) -> AgentResponse:
    """The response as seed 003 has it. Raises AssayError(INTERNAL) for one that breaks a rule."""
    answered = not (response.HasField("failure") or response.HasField("clarification"))
    try:
        return AgentResponse(
            answer=response.answer,
            sources=tuple(response.sources),
            tool_calls_made=tuple(map(_call, response.tool_calls_made)),
            suggestions=tuple(response.suggestions),
            confidence=_CONFIDENCES[response.confidence],
            total_execution_time_ms=response.total_execution_time.ToMilliseconds(),
            partial_results=response.partial_results,
            from_data=answered and bool(response.sources or not response.partial_results),
            most_milliseconds=most_milliseconds,
        )
    except (ResponseError, KeyError) as error:
        raise AssayError(INTERNAL, f"the response is none that may be given: {error}") from error


def shown(response: conversation_pb2.AgentResponse, local: bool) -> conversation_pb2.AgentResponse:
    """A response as a caller may see it."""
    for artifact in response.artifacts:
        shown_artifact(artifact, local)
    return response


def _call(call: conversation_pb2.DomainCall) -> ToolCall:
    ended = call.HasField("completed_at")
    return ToolCall(
        tool_id=call.tool_id,
        tool_name=call.tool_name,
        domain=call.domain,
        input_params=json.loads(call.input_params_json),
        status=_CALL_STATUSES[call.status],
        started_at=call.started_at.ToDatetime(),
        result=json.loads(call.result_json) if call.HasField("result_json") else None,
        error=call.error if call.HasField("error") else None,
        completed_at=call.completed_at.ToDatetime() if ended else None,
        execution_time_ms=call.execution_time.ToMilliseconds() if ended else None,
    )


def _stamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp
