"""Those whose tokens others sign are noted when they come; nothing but the token keeps one out."""

from __future__ import annotations

from datetime import datetime, timedelta

from gateway.admission.sightings import Sightings
from gateway.domain.standing import Seen
from gateway.ports import Believed
from mesh.clock import HeldClock
from mesh.context import Established, Principal
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.roles import Role
from tests.unit.gateway.issuing import NOON


class Tokens:
    """Believes everything, as the role that the token spells."""

    async def verified(self, token: str) -> Believed:
        return Believed(Principal("acme", "ann", Established.TOKEN, Role[token]), 0.0)


class People:
    """What was noted."""

    def __init__(self) -> None:
        self.noted: list[Seen] = []
        self.away = False

    async def seen(self, tenant: str, user: str) -> Seen | None:
        if self.away:
            raise AssayError(SERVICE_UNAVAILABLE, "the database is away")
        return self.noted[-1] if self.noted else None

    async def note(self, tenant: str, user: str, seen: Seen) -> None:
        assert (tenant, user) == ("acme", "ann")
        self.noted.append(seen)

    async def has_key(self, tenant: str, user: str, now: datetime) -> bool:
        return False


async def test_who_comes_is_noted_once_an_hour_and_when_the_role_is_another() -> None:
    clock, people = HeldClock(NOON), People()
    seen = Sightings(Tokens(), people, clock)
    for _ in range(3):
        assert (await seen.verified("ANALYST")).principal.user == "ann"
    await seen.verified("READER")
    clock.advance(3600)
    await seen.verified("READER")
    hour = timedelta(hours=1)
    assert people.noted == [
        Seen(NOON, Role.ANALYST),
        Seen(NOON, Role.READER),
        Seen(NOON + hour, Role.READER),
    ]


async def test_that_it_cannot_be_noted_keeps_nobody_out() -> None:
    people = People()
    people.away = True
    found = await Sightings(Tokens(), people, HeldClock(NOON)).verified("ANALYST")
    assert found.principal.role is Role.ANALYST
