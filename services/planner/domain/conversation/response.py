"""What a conversation answers to one message (seed 003): made of what its job holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from mesh.errors import TOOL_CALL_TIMED_OUT
from services.planner.domain.answer import Claim
from services.planner.domain.calls import (
    Artifact,
    Observation,
    ObservationStatus,
    ToolCall,
    call_id_of,
)
from services.planner.domain.catalogue import Frozen
from services.planner.domain.clarification import Clarification
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Job, JobEvent, JobState
from services.planner.domain.jobs.kinds import Result
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.routing.asked import CALL_TOOL, AskedDomain, prefixes
from services.planner.domain.routing.decision import DomainRoutingDecision
from services.planner.domain.step import StepState

MOST_SUGGESTIONS = 3
SURENESS = {
    "high": "answers read as surely as this are right at least 19 times of 20",
    "medium": "other readings are possible",
    "low": "other readings are as likely",
}
"""What the words for confidence mean, of an answer to a question."""
_ENDS = ("clarification", "answer", "failure")
_STATUSES: dict[ObservationStatus, Literal["completed", "failed", "timeout"]] = {
    ObservationStatus.SUCCESS: "completed",
    ObservationStatus.TIMEOUT: "timeout",
}


class DomainCall(Frozen):
    """One call of a tool (ToolCall of seed 003): result and error are never both there."""

    tool_id: str
    tool_name: str
    domain: str
    input_params: dict[str, Any]
    status: Literal["pending", "in_progress", "completed", "failed", "timeout"]
    result: dict[str, Any] | None = None
    error: str | None = None
    started_at: datetime
    completed_at: datetime | None = None
    execution_seconds: float | None = None


class Response(Frozen):
    """The response to one message. `job_sequence` is the last event of the job that it knows of.

    Of a question about a finished job, that is `about_job_id`, and its `claims` are cited.
    """

    answer: str
    state: JobState | None = None
    sources: tuple[str, ...] = ()
    tool_calls: tuple[DomainCall, ...] = ()
    suggestions: tuple[str, ...] = ()
    confidence: Literal["high", "medium", "low"] = "low"
    confidence_reasons: tuple[str, ...] = ()
    seconds: float = 0.0
    partial: bool = False
    job_id: str = ""
    job_sequence: int = 0
    edit: str = ""
    understood: str = ""
    clarification: Clarification | None = None
    failure: Failure | None = None
    artifacts: tuple[Artifact, ...] = ()
    routing: DomainRoutingDecision | None = None
    about_job_id: str = ""
    claims: tuple[Claim, ...] = ()


def refusal(
    failure: Failure, seconds: float, routing: DomainRoutingDecision | None = None
) -> Response:
    """The response to words that nothing is done for: there is no job."""
    return Response(
        answer=f"{failure.message[:1].upper()}{failure.message[1:]}. {failure.hint}".strip(),
        failure=failure,
        confidence_reasons=("nothing was asked of the data",),
        seconds=seconds,
        routing=routing,
    )


def response_of(
    job: Job,
    events: Sequence[JobEvent],
    calls: Sequence[tuple[ToolCall, Observation | None]],
    result: Result | None,
    *,
    since: int,
    edit: str = "",
    suggestions: Sequence[str] = (),
    domain: str = "",
) -> Response:
    """The response that the events of a turn, those after `since`, come to.

    `result` is the answer among them, `domain` the one of several that a person chose. Where they
    have come to no end, it says how far the work is.
    """
    turn = [event for event in events if event.sequence > since]
    last = turn[-1] if turn else None
    end = next((event for event in reversed(turn) if event.kind in _ENDS), None)
    made = [
        (call, seen) for call, seen in calls if last is None or call.timestamp <= last.timestamp
    ]
    domains = _domains(job, domain)
    tool_calls = tuple(domain_call(call, seen, job, domains) for call, seen in made)
    failed = any(call.status in ("failed", "timeout") for call in tool_calls)
    base: dict[str, Any] = {
        "state": _state(turn, job),
        "tool_calls": tool_calls,
        "seconds": (last.timestamp - turn[0].timestamp).total_seconds() if last else 0.0,
        "job_id": job.job_id,
        "job_sequence": last.sequence if last else since,
        "edit": edit,
        "routing": job.request.routing if isinstance(job.request, AnalysisRequest) else None,
        "understood": next((e.data["text"] for e in reversed(turn) if e.kind == "understood"), ""),
    }
    if end is None:
        base["tool_calls"] = (*tool_calls, *_pending(job, domains, made))
        how_far = next((e.data["reason"] for e in reversed(turn) if e.kind == "progress"), "")
        return Response(
            answer=f"The work is still under way{f': {how_far}' if how_far else ''}.",
            partial=True,
            confidence_reasons=("it has not ended yet",),
            **base,
        )
    if end.kind == "clarification":
        asked = Clarification.model_validate(end.data)
        return Response(
            answer=asked.question,
            clarification=asked,
            confidence_reasons=("it can be read in several ways with different answers",),
            **base,
        )
    if end.kind == "failure" or result is None:
        failure = Failure.model_validate(end.data)
        return Response(
            answer=f"{failure.message} {failure.hint}".strip() or "There is no answer.",
            failure=failure,
            partial=any(call.status == "completed" for call in tool_calls),
            confidence_reasons=("there is no answer",),
            **base,
        )
    repaired = failed and job.state is JobState.COMPLETED
    return Response(
        answer=result.text or "The answer is its table.",
        sources=_cited(job, domains, made),
        suggestions=tuple(suggestions)[:MOST_SUGGESTIONS],
        confidence=result.confidence,
        confidence_reasons=_reasons(result, repaired),
        partial=job.state is JobState.PARTIAL_SUCCESS,
        artifacts=result.artifacts,
        **base,
    )


def _pending(
    job: Job, domains: Sequence[AskedDomain], made: Sequence[tuple[ToolCall, Observation | None]]
) -> tuple[DomainCall, ...]:
    """The calls of the plan's steps that wait for their turn, under the ids that they will have;
    they count as queued since the plan was made."""
    plan = job.plan
    if plan is None:
        return ()
    begun = {call.task_id for call, _ in made if call.plan_id == plan.plan_id}
    waiting = {step.task_id for step in job.steps if step.state is StepState.WAITING} - begun
    queued = [
        ToolCall(
            call_id=call_id_of(plan.plan_id, task.task_id, 1),
            plan_id=plan.plan_id,
            task_id=task.task_id,
            tool_name=task.tool_name,
            arguments=task.arguments,
            timestamp=plan.created_at,
        )
        for task in plan.draft.subtasks
        if task.task_id in waiting
    ]
    return tuple(
        domain_call(call, None, job, domains).model_copy(update={"status": "pending"})
        for call in queued
    )


def _state(turn: Sequence[JobEvent], job: Job) -> JobState:
    value = next((e.data["state"] for e in reversed(turn) if e.kind == "state"), job.state.value)
    return JobState(value)


def sources_of(job: Job) -> tuple[str, ...]:
    """The names of a job's sources."""
    return tuple(dict.fromkeys(source.label for source in job.request.data_sources))


def _domains(job: Job, chosen: str) -> tuple[AskedDomain, ...]:
    """The domains that a question was put to; of those it could mean, the one that was chosen."""
    domains = job.request.domains if isinstance(job.request, AnalysisRequest) else ()
    return tuple(one for one in domains if chosen in ("", one.name))


def _cited(
    job: Job,
    domains: Sequence[AskedDomain],
    made: Sequence[tuple[ToolCall, Observation | None]],
) -> tuple[str, ...]:
    """The sources that an answer is from: of several domains, of those that answered."""
    if not domains:
        return sources_of(job)
    done = [call for call, seen in made if seen is not None and seen.succeeded]
    sources = {source for call in done for source in _asked(job, domains, call)}
    named = (f"{domain.name}.{label}" for domain in domains for label in _labels(job, domain))
    return tuple(dict.fromkeys(name for name in named if name in sources)) or sources_of(job)


def _asked(job: Job, domains: Sequence[AskedDomain], call: ToolCall) -> tuple[str, ...]:
    """The sources that one call of a question put to domains is of, each under its domain's name;
    of one that joins answers, those of all."""
    starts = prefixes(domains)
    mine = [d for d in domains if call.task_id.startswith(f"{starts[d.name]}_")]
    if len(domains) == 1:
        mine = list(domains)
    return tuple(
        f"{domain.name}.{label}" for domain in mine or domains for label in _labels(job, domain)
    )


def _labels(job: Job, domain: AskedDomain) -> list[str]:
    if domain.call is not None:
        return [domain.call.tool]
    return [job.request.data_sources[place].label for place in domain.sources]


def _reasons(result: Result, repaired: bool) -> tuple[str, ...]:
    """Why an answer is as sure as it is: what is known of its reading, and what happened."""
    usual = SURENESS[result.confidence]
    mended = ("a step failed and was mended",) if repaired else ()
    return (usual, *mended, *result.caveats)


def domain_call(
    call: ToolCall, seen: Observation | None, job: Job, domains: Sequence[AskedDomain] = ()
) -> DomainCall:
    """A call of a job as seed 003 has one; `domains` are those that a question was put to."""
    domain = ", ".join(_asked(job, domains, call) if domains else sources_of(job))
    name, given = call.tool_name, call.arguments
    if name == CALL_TOOL:  # the tool is the server's, and what it was given
        name, given = str(given["tool"]), given["arguments"]
    base: dict[str, Any] = {
        "tool_id": call.call_id,
        "tool_name": name,
        "domain": domain,
        "input_params": given,
        "started_at": call.timestamp,
    }
    if seen is None:
        return DomainCall(status="in_progress", **base)
    took = seen.execution_time_seconds
    base |= {"completed_at": call.timestamp + timedelta(seconds=took), "execution_seconds": took}
    if not seen.succeeded:
        late = seen.error_details.get("reason") == TOOL_CALL_TIMED_OUT.code
        status = "timeout" if late else _STATUSES.get(seen.status, "failed")
        return DomainCall(status=status, error=seen.error_message or "it failed", **base)
    result: dict[str, Any] = {"summary": seen.summary}
    if seen.frame is not None:
        result |= {"frame_digest": seen.frame.digest, "rows": seen.frame.rows}
    result |= {"artifacts": [artifact.content_ref for artifact in seen.artifacts]}
    return DomainCall(status="completed", result=result, **base)
