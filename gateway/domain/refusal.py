"""Callers who were refused: what is recorded of it, and of how many."""

from __future__ import annotations

from dataclasses import dataclass

from mesh.errors import TOKEN_REFUSED, AssayError

MOST_RECORDED = 100
"""So many refusals of a tenant, and of all strangers together, are recorded each hour; of one more
it is recorded that there were more. Each kind of refusal counts once, however often it comes."""

MOST_TENANTS = 1_000


@dataclass(frozen=True, slots=True)
class Refusal:
    """Somebody was refused: under which rule, why, from where, and what they may not do.

    `tenant` is the caller's, or that of strangers. All of it is the gateway's own wording, or was
    believed: nothing that a stranger wrote.
    """

    tenant: str
    rule: str
    reason: str
    host: str
    method: str = ""


class Ledger:
    """Which refusals of the running hour are on record already."""

    def __init__(self) -> None:
        self._hour = -1
        self._recorded: dict[str, set[Refusal]] = {}

    def noted(self, refusal: Refusal, hour: int) -> Refusal | None:
        """What to record now: the refusal itself, that there are more than are told, or nothing."""
        if hour != self._hour:
            self._hour = hour
            self._recorded.clear()
        if refusal.tenant not in self._recorded and len(self._recorded) >= MOST_TENANTS:
            return None
        known = self._recorded.setdefault(refusal.tenant, set())
        if refusal in known or len(known) > MOST_RECORDED:
            return None
        if len(known) == MOST_RECORDED:
            reason = f"more than {MOST_RECORDED} refusals this hour; these are not told one by one"
            refusal = Refusal(refusal.tenant, refusal.rule, reason, host="")
        known.add(refusal)
        return refusal


def token_refused(why: str) -> AssayError:
    """One answer for every token that is not believed; its cause is told in the log alone."""
    error = AssayError(TOKEN_REFUSED, "the token is not believed")
    error.__cause__ = ValueError(why)
    return error
