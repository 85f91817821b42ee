"""Notes when those were last here whose tokens others sign: nobody here knows when they leave."""

from __future__ import annotations

import logging
from datetime import timedelta

from gateway.domain.standing import Seen
from gateway.ports import Believed, Verifier
from gateway.store_ports import StandingStore
from mesh.clock import Clock
from mesh.errors import AssayError

NOTED_EVERY = timedelta(hours=1)

log = logging.getLogger("assay.gateway")


class Sightings:
    """A verifier of signed tokens that notes whom it believed; implements
    `gateway.ports.Verifier`."""

    def __init__(self, verifier: Verifier, store: StandingStore, clock: Clock) -> None:
        self._verifier = verifier
        self._store = store
        self._clock = clock

    async def verified(self, token: str) -> Believed:
        """As the verifier; that it cannot be noted keeps nobody out."""
        found = await self._verifier.verified(token)
        try:
            await self._note(found)
        except AssayError as error:
            log.warning("that somebody signed in cannot be noted: %s", error)
        return found

    async def _note(self, found: Believed) -> None:
        tenant, user, _, role = found.principal
        now = self._clock.now()
        before = await self._store.seen(tenant, user)
        if before is None or before.role is not role or now - before.at >= NOTED_EVERY:
            await self._store.note(tenant, user, Seen(now, role))
