"""A call of a domain's tool and where it stands (seed 003, ToolCall)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import model_validator

from services.planner.domain.catalogue import Frozen


class CallStatus(StrEnum):
    """Where a call stands: pending, then in progress, then one of the ends."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"


_ENDS = (CallStatus.COMPLETED, CallStatus.FAILED, CallStatus.TIMEOUT)
_NEXT = {
    CallStatus.PENDING: (CallStatus.IN_PROGRESS,),
    CallStatus.IN_PROGRESS: _ENDS,
}


class DomainToolCall(Frozen):
    """The seed 003 value. A result or an error is there once it has ended, and never both."""

    tool_id: str
    tool_name: str
    domain: str
    input_params: dict[str, Any]
    status: CallStatus = CallStatus.PENDING
    result: dict[str, Any] | None = None
    error: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def execution_time_ms(self) -> int | None:
        """How long it took; None until it has ended."""
        if self.started_at is None or self.completed_at is None:
            return None
        return round((self.completed_at - self.started_at).total_seconds() * 1_000)

    @model_validator(mode="after")
    def _consistent(self) -> DomainToolCall:
        completed, ended = self.status is CallStatus.COMPLETED, self.status in _ENDS
        if (self.result is not None) != completed:
            raise ValueError("a call has a result when it is completed, and only then")
        if bool(self.error) != (ended and not completed):
            raise ValueError("a call that failed or timed out says why, and no other does")
        if (self.started_at is not None) != (self.status is not CallStatus.PENDING):
            raise ValueError("a call that has begun says when, and one that is pending has not")
        if (self.completed_at is not None) != ended:
            raise ValueError("a call that has ended says when, and no other does")
        if self.started_at and self.completed_at and self.completed_at < self.started_at:
            raise ValueError("a call ends after it began")
        return self

    def begun(self, now: datetime) -> DomainToolCall:
        """The call once it runs. Raises ValueError for one that was begun before."""
        return self._moved(CallStatus.IN_PROGRESS, started_at=now)

    def completed(self, result: dict[str, Any], now: datetime) -> DomainToolCall:
        """The call with what it gave. Raises ValueError for one that does not run."""
        return self._moved(CallStatus.COMPLETED, result=result, completed_at=now)

    def failed(self, error: str, now: datetime, timed_out: bool = False) -> DomainToolCall:
        """The call with why it gave nothing. Raises ValueError for one that does not run."""
        status = CallStatus.TIMEOUT if timed_out else CallStatus.FAILED
        return self._moved(status, error=error, completed_at=now)

    def _moved(self, status: CallStatus, **changed: Any) -> DomainToolCall:
        if status not in _NEXT.get(self.status, ()):
            raise ValueError(f"a call that is {self.status} does not become {status}")
        return DomainToolCall.model_validate({**self.model_dump(), "status": status, **changed})
