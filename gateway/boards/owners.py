"""On whose behalf boards ask: pins whose owners may not ask any more wait until somebody may."""

from __future__ import annotations

from gateway.boards.ports import RunStore
from gateway.domain.board import Pin
from gateway.domain.board_pause import owner_of
from gateway.domain.standing import Owner, StandingRule
from gateway.store_ports import StandingStore
from mesh.clock import Clock
from mesh.errors import PIN_OWNER_GONE, AssayError


class PinOwners:
    """Looks whether those may still ask who pinned something."""

    def __init__(
        self, runs: RunStore, people: StandingStore, rule: StandingRule, clock: Clock
    ) -> None:
        self._runs = runs
        self._people = people
        self._rule = rule
        self._clock = clock

    async def review(self, board_id: str) -> None:
        """Pause the pins of a board whose owners may not ask, and let others go on that wait."""
        known: dict[Owner, str] = {}
        for pin in await self._runs.pins(board_id):
            owner = owner_of(pin)
            if owner not in known:
                known[owner] = await self._why_not(owner)
            if known[owner] != (pin.pause.why if pin.pause is not None else ""):
                await self._runs.pause(pin, known[owner], self._clock.now())

    async def check(self, pin: Pin) -> None:
        """Raises AssayError(PIN_OWNER_GONE) for a pin whose owner may not ask any more."""
        if why := await self._why_not(owner_of(pin)):
            raise AssayError(PIN_OWNER_GONE, why)

    async def _why_not(self, owner: Owner) -> str:
        now = self._clock.now()
        has_key = await self._people.has_key(owner.tenant, owner.user, now)
        seen = await self._people.seen(owner.tenant, owner.user)
        return self._rule.why_not(owner, has_key, seen, now)
