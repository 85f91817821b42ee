"""Callers who were refused, recorded beside the answer that they get, and so that no flood of them
floods the record."""

from __future__ import annotations

import asyncio
import logging
import time

from gateway.domain.refusal import Ledger, Refusal
from gateway.ports import AccessLog
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import AssayError

log = logging.getLogger("assay.gateway")

HOUR_SECONDS = 3600
RECORD_SECONDS = 30.0
MOST_AT_ONCE = 100


class Refusals:
    """Records refusals soon after they happen; make it inside the event loop."""

    def __init__(self, record: AccessLog, clock: Clock) -> None:
        self._record = record
        self._clock = clock
        self._ledger = Ledger()
        self._recording: set[asyncio.Task[None]] = set()

    def noticed(self, refusal: Refusal, why: str) -> None:
        """Record a refusal, unless this hour's record has it or enough; `why` is for the log."""
        hour = int(self._clock.now().timestamp()) // HOUR_SECONDS
        if len(self._recording) >= MOST_AT_ONCE:
            return
        noted = self._ledger.noted(refusal, hour)
        if noted is None:
            return
        log.warning("refused: %s from %s (%s)", noted.rule, noted.host or "elsewhere", why)
        task = asyncio.create_task(self._recorded(noted, hour))
        self._recording.add(task)
        task.add_done_callback(self._recording.discard)

    async def settled(self) -> None:
        """Return when everything noticed so far is recorded, or could not be."""
        await asyncio.gather(*self._recording)

    async def _recorded(self, refusal: Refusal, hour: int) -> None:
        own = calls.CallContext(
            tenant=refusal.tenant, service="gateway", deadline=time.monotonic() + RECORD_SECONDS
        )
        with calls.entered(own):
            try:
                await self._record.record_refusal(refusal, hour)
            except AssayError as error:
                log.warning("a refusal could not be recorded: %s", error)
            except Exception:
                log.exception("a refusal could not be recorded")
