"""What a job's chain says happened: its request, its plan, its calls, its files, its numbers. Pure.

Reads entries that were checked before: of a chain that does not hold, nothing here means anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mesh.proof.chain import AuditEntry, EventType
from mesh.proof.claims import ClaimRecord, claim_record

_SUCCESS = "success"
_REFUSED, _FAILED = "refused", "failed"
_UNANSWERED = frozenset({_FAILED, "cancelled"})


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file that a call or the conclusion made."""

    artifact_id: str
    content_ref: str
    content_hash: str
    artifact_type: str = ""
    media_type: str = ""

    def as_object(self) -> dict[str, Any]:
        """What a telling of the job says of the file, as JSON; its hash is the chain's to say."""
        return {
            "artifact_id": self.artifact_id,
            "artifact_type": self.artifact_type,
            "content_ref": self.content_ref,
            "media_type": self.media_type,
        }


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One attempt at one step: what went in and what came out.

    `inputs` are frame digests by step; `frame_digest` is empty where there was no frame. `status`
    is that of the observation, empty where none was recorded. `plan_id` is that of the newest plan
    when the call was made.
    """

    call_id: str
    task_id: str
    tool_name: str
    attempt_number: int
    arguments: Mapping[str, Any]
    inputs: Mapping[str, str]
    status: str = ""
    frame_digest: str = ""
    files: tuple[RecordedFile, ...] = ()
    plan_id: str = ""

    @property
    def succeeded(self) -> bool:
        """Whether the call gave a result."""
        return self.status == _SUCCESS

    def as_object(self) -> dict[str, Any]:
        """The call as JSON."""
        return {
            "call_id": self.call_id,
            "plan_id": self.plan_id,
            "task_id": self.task_id,
            "tool_name": self.tool_name,
            "attempt_number": self.attempt_number,
            "arguments": dict(self.arguments),
            "input_digests": dict(self.inputs),
            "status": self.status,
            "frame_digest": self.frame_digest,
            "files": {file.content_ref: file.content_hash for file in self.files},
        }


@dataclass(slots=True)
class Recorded:
    """A chain's content. Fields stay empty where the chain has no such entry.

    `plan` is the newest of `plans`: one that failed on the way gives way to another, and one that
    grows as an investigation goes on, or by what joins the answers of domains, has all its steps.
    `end` is the entry that ended the job, `state` what it ended as, and `answered` whether with an
    answer.
    """

    request: Mapping[str, Any] = field(default_factory=dict)
    plans: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)
    calls: dict[str, RecordedCall] = field(default_factory=dict)
    files: dict[str, RecordedFile] = field(default_factory=dict)
    state: str = ""
    answered: bool = False
    end: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[ClaimRecord, ...] = ()
    iterations: list[Mapping[str, Any]] = field(default_factory=list)
    """What each iteration of an investigation found, in order."""
    events: list[Mapping[str, Any]] = field(default_factory=list)
    """What every entry holds, in order."""

    @property
    def source_digests(self) -> list[str]:
        """SHA-256 of each source's content, in the request's order."""
        return [str(digest) for digest in self.plan.get("source_digests", [])]

    @property
    def frame_digests(self) -> frozenset[str]:
        """Digests of all frames that calls gave."""
        return frozenset(call.frame_digest for call in self.calls.values()) - {""}


def recorded(entries: Iterable[AuditEntry]) -> Recorded:
    """Read a chain. Raises ValueError naming the first entry that does not hold what it should."""
    reader = _Reader()
    for entry in entries:
        try:
            reader.take(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(
                f"entry {entry.sequence_number}: its {entry.event_type} is malformed ({error})"
            ) from error
    return reader.found


class _Reader:
    def __init__(self) -> None:
        self.found = Recorded()
        self._observed = ""  # the call whose files may follow: they stand right behind it

    def take(self, entry: AuditEntry) -> None:
        observed, self._observed = self._observed, ""
        data = entry.event_data
        self.found.events.append(data)
        if entry.event_type is EventType.REQUEST_SUBMITTED:
            self.found.request, self.found.state = data, ""
        elif entry.event_type is EventType.PLAN_CREATED:
            self.found.plan = self._planned(data)
            self.found.plans[self._plan_id] = self.found.plan
        elif entry.event_type is EventType.TOOL_CALLED:
            call = _call(data, self._plan_id)
            self.found.calls[call.call_id] = call
        elif entry.event_type is EventType.OBSERVATION_RECORDED and "call_id" in data:
            self._observe(data)
        elif entry.event_type is EventType.OBSERVATION_RECORDED and "iteration" in data:
            self.found.iterations.append(data)
        elif entry.event_type is EventType.OBSERVATION_RECORDED:
            self._unanswered(str(data["state"]), data)
        elif entry.event_type is EventType.ARTIFACT_GENERATED and "artifact_id" in data:
            self._file(data, observed if entry.actor == "actor" else "")
        elif entry.event_type is EventType.ARTIFACT_GENERATED:
            self.found.claims = tuple(map(claim_record, data["claims"]))
            self._end(str(data.get("state", "")), data, answered=True)
        else:
            self._decide(data)

    @property
    def _plan_id(self) -> str:
        return str(self.found.plan.get("plan_id", ""))

    def _planned(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """A new plan, or the one there is with what an iteration adds to it, or a join."""
        grows = {"move", "agents", "joined"} & data.keys()
        before = self.found.plans.get(str(data["plan_id"])) if grows else None
        if before is None:
            return data
        known = {step["task_id"] for step in before["subtasks"]}
        further = [step for step in data["subtasks"] if step["task_id"] not in known]
        return {
            **before,
            "reasoning": data["reason"],
            "answer_task": data.get("answer_task", before["answer_task"]),
            "subtasks": [*before["subtasks"], *further],
        }

    def _decide(self, data: Mapping[str, Any]) -> None:
        """What policy refuses ends a job that has not ended. Older logs keep ends without an answer
        as decisions too."""
        decision = data["decision"]
        if decision in _UNANSWERED:
            self._unanswered(str(decision), data)
        elif decision == _REFUSED and not self.found.state:
            self._end(_FAILED, data, answered=False)

    def _unanswered(self, state: str, data: Mapping[str, Any]) -> None:
        """An end without an answer also voids an answer that was logged and could not be told."""
        if state not in _UNANSWERED:
            raise ValueError(f"{state!r} is no end without an answer")
        self.found.claims = ()
        self._end(state, data, answered=False)

    def _end(self, state: str, data: Mapping[str, Any], *, answered: bool) -> None:
        self.found.state, self.found.end, self.found.answered = state, data, answered

    def _observe(self, data: Mapping[str, Any]) -> None:
        call_id = str(data["call_id"])
        call = self.found.calls[call_id]
        self.found.calls[call_id] = replace(
            call, status=str(data["status"]), frame_digest=str(data.get("frame_digest") or "")
        )
        self._observed = call_id

    def _file(self, data: Mapping[str, Any], call_id: str) -> None:
        file = RecordedFile(
            str(data["artifact_id"]),
            str(data["content_ref"]),
            str(data["content_hash"]),
            str(data.get("artifact_type", "")),
            str(data.get("media_type", "")),
        )
        self.found.files[file.artifact_id] = file
        if call_id:
            call = self.found.calls[call_id]
            self.found.calls[call_id] = replace(call, files=(*call.files, file))
            self._observed = call_id


def _call(data: Mapping[str, Any], plan_id: str) -> RecordedCall:
    return RecordedCall(
        call_id=str(data["call_id"]),
        task_id=str(data["task_id"]),
        tool_name=str(data["tool_name"]),
        attempt_number=int(data["attempt_number"]),
        arguments=dict(data["arguments"]),
        inputs={str(task): str(digest) for task, digest in data["inputs"].items()},
        plan_id=plan_id,
    )
