"""Turns of conversations and their responses, to and from the contract."""

from __future__ import annotations

import json
from datetime import datetime

from assay.common.v1 import analysis_pb2, conversation_pb2, job_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb2
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import parse_id
from services.planner.contract.answers import CONFIDENCES
from services.planner.contract.artifacts import artifact_to
from services.planner.contract.domains import candidate_from
from services.planner.contract.jobs import JOB_STATE_NUMBERS, clarification_to, event_to, failure_to
from services.planner.contract.requests import work_from
from services.planner.contract.routing import decision_to
from services.planner.contract.times import duration, timestamp
from services.planner.domain.conversation.response import DomainCall, Response
from services.planner.domain.conversation.turn import TurnKind
from services.planner.domain.conversation.turn_input import Reading, Turn
from services.planner.domain.jobs.job import JobEvent
from services.planner.domain.question import AnalysisRequest

_KINDS = {
    TurnKind.FRESH: conversation_pb2.TURN_KIND_FRESH,
    TurnKind.FOLLOW_UP: conversation_pb2.TURN_KIND_FOLLOW_UP,
    TurnKind.CORRECTION: conversation_pb2.TURN_KIND_CORRECTION,
    TurnKind.CHOICE: conversation_pb2.TURN_KIND_CHOICE,
    TurnKind.WHY: conversation_pb2.TURN_KIND_WHY,
    TurnKind.CAUSE: conversation_pb2.TURN_KIND_CAUSE,
    TurnKind.ABOUT: conversation_pb2.TURN_KIND_ABOUT,
}
_STATUSES = {
    "pending": conversation_pb2.DOMAIN_CALL_STATUS_PENDING,
    "in_progress": conversation_pb2.DOMAIN_CALL_STATUS_IN_PROGRESS,
    "completed": conversation_pb2.DOMAIN_CALL_STATUS_COMPLETED,
    "failed": conversation_pb2.DOMAIN_CALL_STATUS_FAILED,
    "timeout": conversation_pb2.DOMAIN_CALL_STATUS_TIMEOUT,
}
_ASKED = ("intent", "statement", "choice", "corrections", "follows_job_id")


def turn_from(message: planner_pb2.ConverseRequest, request_id: str, submitted: datetime) -> Turn:
    """A turn as the use cases know it. Raises AssayError(INVALID_ARGUMENT)."""
    for name in _ASKED:
        if getattr(message.terms, name):
            raise AssayError(
                INVALID_ARGUMENT,
                f"the terms of a message hold {name}",
                hint="What is asked is the content of the message.",
                fields={f"terms.{name}": "must not be set"},
            )
    asked = planner_pb2.PlanJobRequest(analysis=message.terms, files=message.files)
    asked.analysis.intent = message.content
    request = work_from(asked, request_id, submitted)
    assert isinstance(request, AnalysisRequest)
    return Turn(
        request=request,
        conversation_id=message.conversation_id,
        number=message.turn,
        session_id=message.session_id,
        after=message.after_sequence,
        candidates=tuple(map(candidate_from, message.domains)),
        taken_back=frozenset(message.taken_back),
        continues=message.continues_job_id
        and parse_id(message.continues_job_id, "continues_job_id"),
    )


def turn_to(told: Reading | JobEvent | Response) -> planner_pb2.ConverseResponse:
    """What is told of a turn, for the contract."""
    if isinstance(told, Reading):
        reading = conversation_pb2.TurnReading(
            kind=_KINDS[told.kind],
            reason=told.reason,
            job_id=told.job_id,
            follows_job_id=told.follows_job_id,
        )
        return planner_pb2.ConverseResponse(reading=reading)
    if isinstance(told, JobEvent):
        return planner_pb2.ConverseResponse(event=event_to(told))
    return planner_pb2.ConverseResponse(response=response_to(told))


def response_to(response: Response | None) -> conversation_pb2.AgentResponse:
    """A response for the contract; an empty one where there is none."""
    if response is None:
        return conversation_pb2.AgentResponse()
    asked, failure = response.clarification, response.failure
    return conversation_pb2.AgentResponse(
        answer=response.answer,
        sources=response.sources,
        tool_calls_made=[_call_to(call) for call in response.tool_calls],
        suggestions=response.suggestions,
        confidence=CONFIDENCES[response.confidence],
        confidence_reasons=response.confidence_reasons,
        total_execution_time=duration(response.seconds),
        partial_results=response.partial,
        job_id=response.job_id,
        job_sequence=response.job_sequence,
        edit=response.edit,
        understood=response.understood,
        state=JOB_STATE_NUMBERS[response.state]
        if response.state
        else job_pb2.JOB_STATE_UNSPECIFIED,
        clarification=clarification_to(asked) if asked is not None else None,
        failure=failure_to(failure) if failure is not None else None,
        artifacts=[artifact_to(artifact) for artifact in response.artifacts],
        routing=decision_to(response.routing) if response.routing is not None else None,
        about_job_id=response.about_job_id,
        claims=[analysis_pb2.Claim(**claim.model_dump()) for claim in response.claims],
    )


def _call_to(call: DomainCall) -> conversation_pb2.DomainCall:
    took = call.execution_seconds
    return conversation_pb2.DomainCall(
        tool_id=call.tool_id,
        tool_name=call.tool_name,
        domain=call.domain,
        input_params_json=json.dumps(call.input_params, sort_keys=True),
        status=_STATUSES[call.status],
        result_json=json.dumps(call.result, sort_keys=True) if call.result is not None else None,
        error=call.error,
        started_at=timestamp(call.started_at),
        completed_at=timestamp(call.completed_at) if call.completed_at is not None else None,
        execution_time=duration(took) if took is not None else None,
    )
