"""Who named what is another tenant's: told apart from what the caller is told, and recorded after.

Whoever is refused waits as long for a thing that exists nowhere as for one that is somebody else's.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from mesh import context as calls
from mesh.errors import AssayError
from mesh.proof.chain import EventType, event_json

log = logging.getLogger("assay.trespass")

HOUR_SECONDS = 3600
RECORD_SECONDS = 30.0
# More at once than this are guesses by the thousand; the log then says how it went on.
MOST_AT_ONCE = 100


class Record(NamedTuple):
    """An entry of the audit log: its fields, by the names of the contract."""

    entry_id: str
    request_id: str
    event_type: str
    event_data_json: str
    actor: str


class Trespass(NamedTuple):
    """A tenant named a thing that is another's; `kind` is what it is, such as "frame"."""

    tenant: str
    kind: str
    identifier: str

    def record(self) -> Record:
        """What is recorded, in a chain of its own.

        Neither in the owner's chain, which strangers must not be able to write to, nor in one that
        the caller chose. Once an hour each, whoever noticed it: guessing does not fill the log.
        """
        chain = _identifier(f"trespass:{self.tenant}:{self.kind}:{self.identifier}")
        return Record(
            entry_id=_identifier(f"{chain}:{int(time.time()) // HOUR_SECONDS}"),
            request_id=chain,
            event_type=EventType.POLICY_DECISION.value,
            event_data_json=event_json(
                {
                    "decision": "refused",
                    "rule": "NOT_FOUND",
                    "reason": f"the {self.kind} is not the caller's",
                    "caller": self.tenant,
                    self.kind: self.identifier,
                }
            ),
            actor="safety",
        )


class Trespasses:
    """Records trespasses beside the calls that were refused; make it inside the event loop.

    `append` writes one record to the audit log, as the tenant of the current context.
    """

    def __init__(self, append: Callable[[Record], Awaitable[object]], service: str) -> None:
        self._append = append
        self._service = service
        self._loop = asyncio.get_running_loop()
        self._recording: set[asyncio.Task[None]] = set()

    def noticed(self, tenant: str, kind: str, identifier: str) -> None:
        """Record a trespass soon; from any thread."""
        if tenant:
            self._loop.call_soon_threadsafe(self._begin, Trespass(tenant, kind, identifier[:200]))

    async def settled(self) -> None:
        """Return when everything noticed so far is recorded, or could not be."""
        await asyncio.sleep(0)  # what a thread noticed is begun by the loop
        await asyncio.gather(*self._recording)

    def _begin(self, trespass: Trespass) -> None:
        if len(self._recording) >= MOST_AT_ONCE:
            log.warning("%s named %s %s: too many at once", *trespass)
            return
        task = asyncio.create_task(self._recorded(trespass))
        self._recording.add(task)
        task.add_done_callback(self._recording.discard)

    async def _recorded(self, trespass: Trespass) -> None:
        # The caller's own deadline and request do not bind what is done for the record.
        own = calls.CallContext(
            tenant=trespass.tenant,
            service=self._service,
            deadline=time.monotonic() + RECORD_SECONDS,
        )
        with calls.entered(own):
            try:
                await self._append(trespass.record())
            except AssayError as error:
                log.warning("%s named %s %s: not recorded: %s", *trespass, error)
            except Exception:
                log.exception("%s named %s %s: not recorded", *trespass)


def _identifier(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
