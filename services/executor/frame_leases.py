"""Who needs what the executor stores: everything is held by somebody before it can be seen."""

from __future__ import annotations

from dataclasses import dataclass

from services.executor.domain.thing import NOTHING_KEPT, Kept, Thing, ThingKind
from services.executor.ports import Admit, LeaseStore


@dataclass(frozen=True)
class Leases:
    """The use cases of leases. Blocking: for worker threads.

    `grace_seconds` is how long things stay after they were released: longer than a call lasts that
    began to read them before.
    """

    store: LeaseStore
    grace_seconds: float

    def admit(self, holder: str, kind: ThingKind) -> Admit:
        """For stores: told of a name and its bytes, it holds that for `holder`.

        Raises AssayError(RESOURCE_EXHAUSTED) when there is no room, SERVICE_UNAVAILABLE.
        """
        return lambda name, size: self.store.hold(holder, Thing(kind, name), size)

    def release(self, holder: str, kept: Kept = NOTHING_KEPT) -> None:
        """The holder needs nothing any more but what is kept; repeating it changes nothing."""
        self.store.release(holder, self.grace_seconds, kept)
