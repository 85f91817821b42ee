"""Deletes what nobody needs any more, a little at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mesh.clock import Clock
from mesh.errors import AssayError
from services.executor.domain.stored_item import BEGIN_SECONDS, StoredKind
from services.executor.ports import LeaseStore

log = logging.getLogger("assay.executor")


@dataclass(frozen=True)
class Collector:
    """Deletes released things, and what was left half-written by processes that died.

    A round deletes at most `at_once` things; when there is more to do the next follows at once.
    """

    leases: LeaseStore
    delete: Mapping[StoredKind, Callable[[str], object]]
    leftovers: Sequence[Callable[[], int]]
    clock: Clock
    interval_seconds: float
    at_once: int = 100

    async def run(self) -> None:
        """Collect until cancelled. Nothing blocks the event loop, no failure ends it."""
        while True:
            more = await asyncio.to_thread(self._safely)
            await asyncio.sleep(0 if more else self.interval_seconds)

    def round(self) -> int:
        """Delete some of what may go; returns how much was. Raises AssayError, OSError."""
        began, done = self.clock.monotonic(), 0
        for going in self.leases.condemn(self.at_once):
            # Taken too long ago, it may belong to somebody again.
            if self.clock.monotonic() - began > BEGIN_SECONDS:
                break
            self.delete[going.item.kind](going.item.name)
            self.leases.collected(going)
            done += 1
        return done

    def clean(self) -> int:
        """Remove what builders left that died; returns how many things that were."""
        return sum(sweep() for sweep in self.leftovers)

    def _safely(self) -> bool:
        """One round and, at its end, the leftovers; whether there is more to do at once."""
        try:
            done = self.round()
            if done == self.at_once:
                return True
            cleaned = self.clean()
        except (AssayError, OSError) as error:
            log.warning("what nobody needs could not be deleted yet: %s", error)
            return False
        except Exception:
            log.exception("what nobody needs could not be deleted; the next round tries again")
            return False
        if done or cleaned:
            log.info("deleted %d things nobody needs, %d half-written ones", done, cleaned)
        return False
