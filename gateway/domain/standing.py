"""Whether somebody may still ask: what is known of people on whose behalf a board asks while they
are away."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from mesh.roles import Role


class Known(StrEnum):
    """How it was established who asked, as `mesh.context.Established` spells it."""

    SOCKET = "socket"
    NAMED = "named"
    TOKEN = "token"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Owner:
    """On whose behalf something is asked, how they were known when they said so, and since when
    it is so."""

    tenant: str
    user: str
    how: Known
    since: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """When somebody called last with a signed token, and what they might do then."""

    at: datetime
    role: Role


@dataclass(frozen=True, slots=True)
class StandingRule:
    """What is enough to be asked for.

    Of those who sign in elsewhere nobody can say whether they still may: they count for `unseen`
    after they were last here, None for ever. `by_name` says that callers are believed without any
    token.
    """

    unseen: timedelta | None
    by_name: bool

    def why_not(self, owner: Owner, has_key: bool, seen: Seen | None, now: datetime) -> str:
        """Why nothing is asked on an owner's behalf any more; empty where it is.

        `has_key` is whether a key of theirs is valid that may ask. Who asked over this machine's
        own socket owns the mesh.
        """
        if owner.how is Known.SOCKET or has_key:
            return ""
        if owner.how is Known.NAMED and self.by_name:
            return ""
        if seen is None and owner.how is Known.TOKEN:
            seen = Seen(owner.since, Role.ANALYST)
        if seen is not None:
            return self._why_unseen(owner.user, seen, now)
        if owner.how is Known.NAMED:
            return f"{owner.user} gave nothing but a name, which is not believed any more"
        return f"no key with which {owner.user} may ask is valid any more"

    def _why_unseen(self, user: str, seen: Seen, now: datetime) -> str:
        if seen.role < Role.ANALYST:
            return f"{user} has not the role {Role.ANALYST.word} any more"
        if self.unseen is not None and now - seen.at > self.unseen:
            return f"{user} was not here for {self.unseen.days} days"
        return ""
