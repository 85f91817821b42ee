"""Why there is no answer, for people and for programs."""

from __future__ import annotations

from mesh.errors import REASONS, TIMEOUT, Kind
from services.planner.domain.answer import EmptyReason
from services.planner.domain.frozen import Frozen


class Failure(Frozen):
    """Why a job ended without an answer: a reason of mesh.errors, what, and what to do."""

    reason: str
    message: str
    hint: str = ""

    @property
    def empty_reason(self) -> EmptyReason | None:
        """Why there is nothing to show, where it is that policy refused or time ran out."""
        if self.reason == TIMEOUT.code:
            return EmptyReason.TIMED_OUT
        known = REASONS.get(self.reason)
        refused = known is not None and known.kind is Kind.POLICY
        return EmptyReason.NOT_PERMITTED if refused else None
