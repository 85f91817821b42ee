"""What a conversation answers to a message, and the calls it is made of (seed 003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal

MOST_SUGGESTIONS = 3
MOST_MILLISECONDS = 60_000
_ROUNDING = timedelta(milliseconds=2)


class ResponseError(ValueError):
    """A response that breaks a rule of seed 003: a fault of Assay's own."""


class CallStatus(StrEnum):
    """States of a call: pending → in progress → completed, failed or timeout."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"

    @property
    def ended(self) -> bool:
        """Whether nothing can follow."""
        return not _NEXT[self]

    def to(self, other: CallStatus) -> CallStatus:
        """The other state. Raises ResponseError for one that cannot follow."""
        if other not in _NEXT[self]:
            raise ResponseError(f"a call that is {self} cannot become {other}")
        return other


_ENDS = frozenset({CallStatus.COMPLETED, CallStatus.FAILED, CallStatus.TIMEOUT})
_NEXT: dict[CallStatus, frozenset[CallStatus]] = {
    CallStatus.PENDING: frozenset({CallStatus.IN_PROGRESS}),
    CallStatus.IN_PROGRESS: _ENDS,
    **dict.fromkeys(_ENDS, frozenset()),
}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool of a data domain. Raises ResponseError for what can be none."""

    tool_id: str
    tool_name: str
    domain: str
    input_params: Mapping[str, Any]
    status: CallStatus
    started_at: datetime
    result: Mapping[str, Any] | None = None
    error: str | None = None
    completed_at: datetime | None = None
    execution_time_ms: int | None = None

    def __post_init__(self) -> None:
        if not (self.tool_id and self.tool_name and self.domain):
            raise ResponseError("a call needs an id, a tool and a domain")
        if self.result is not None and self.error is not None:
            raise ResponseError(f"call {self.tool_id} has a result and an error")
        if (self.status is CallStatus.COMPLETED) is not (self.result is not None):
            raise ResponseError(f"call {self.tool_id} is {self.status}, which its result belies")
        if (self.status in (CallStatus.FAILED, CallStatus.TIMEOUT)) is not (self.error is not None):
            raise ResponseError(f"call {self.tool_id} is {self.status}, which its error belies")
        ended = self.completed_at is not None and self.execution_time_ms is not None
        if self.status.ended is not ended:
            raise ResponseError(f"call {self.tool_id} is {self.status}, which its times belie")
        if self.completed_at is not None and self.execution_time_ms is not None:
            took = timedelta(milliseconds=self.execution_time_ms)
            if abs(self.completed_at - self.started_at - took) > _ROUNDING:
                raise ResponseError(f"call {self.tool_id} took another time than it says")


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """The answer to a message. Raises ResponseError for what breaks a rule.

    `from_data` says that it tells something of the data: then it cites a source, and each call that
    gave a result is of one of them. `most_milliseconds` is the longest that it may have taken.
    """

    answer: str
    sources: tuple[str, ...] = ()
    tool_calls_made: tuple[ToolCall, ...] = ()
    suggestions: tuple[str, ...] = ()
    confidence: Literal["high", "medium", "low"] = "low"
    total_execution_time_ms: int = 0
    partial_results: bool = False
    from_data: bool = False
    most_milliseconds: int = MOST_MILLISECONDS

    def __post_init__(self) -> None:
        if not self.answer.strip():
            raise ResponseError("a response needs an answer")
        if len(self.suggestions) > MOST_SUGGESTIONS:
            raise ResponseError(f"a response has {len(self.suggestions)} suggestions")
        if self.confidence not in ("high", "medium", "low"):
            raise ResponseError(f"a response is {self.confidence} sure")
        if self.from_data and not self.sources:
            raise ResponseError("a response that is from data cites no source")
        cited = set(self.sources)
        if self.from_data and any(
            call.status is CallStatus.COMPLETED and not cited & set(call.domain.split(", "))
            for call in self.tool_calls_made
        ):
            raise ResponseError("a response was made with a source that it does not cite")
        if self.total_execution_time_ms >= self.most_milliseconds:
            raise ResponseError(f"a response took {self.total_execution_time_ms / 1000:.1f} s")
