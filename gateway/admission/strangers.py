"""Callers who name what is another tenant's: they learn nothing, and the record says that they did.

What is done here happens after the caller was answered, so that an id which exists nowhere and one
which is somebody else's take equally long to be refused.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gateway.ports import Owners, Trespasses
from mesh import context as calls
from mesh.errors import NOT_FOUND, AssayError

log = logging.getLogger("assay.gateway")

RECORD_SECONDS = 30.0
# More at once than this are guesses by the thousand; the log then says how it went on.
MOST_AT_ONCE = 100


class Strangers:
    """Finds out, and records, whether what a caller did not find is another tenant's."""

    def __init__(self, owners: Owners, trespasses: Trespasses) -> None:
        self._owners = owners
        self._trespasses = trespasses
        self._looking: set[asyncio.Task[None]] = set()

    @contextmanager
    def noticing(self, kind: str, identifier: str) -> Iterator[None]:
        """When the block ends with NOT_FOUND, look later whose `identifier` is; the error passes.

        `kind` is "session", "file", "conversation", "publication", "job", "artifact", "frame",
        "recipe", "token", "definition", "board" or "pin".
        """
        try:
            yield
        except AssayError as error:
            if error.reason is NOT_FOUND:
                self._look_later(kind, identifier)
            raise

    async def settled(self) -> None:
        """Return when everything noticed so far is recorded, or could not be."""
        await asyncio.gather(*self._looking)

    def _look_later(self, kind: str, identifier: str) -> None:
        if len(self._looking) >= MOST_AT_ONCE:
            log.warning("a %s was not looked up: too many at once", kind)
            return
        task = asyncio.create_task(self._look(calls.current().tenant, kind, identifier))
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def _look(self, tenant: str, kind: str, identifier: str) -> None:
        # The caller's own deadline and request do not bind what is done for the record.
        own = calls.CallContext(
            tenant=tenant, service="gateway", deadline=time.monotonic() + RECORD_SECONDS
        )
        with calls.entered(own):
            try:
                if await self._owners.is_anothers(kind, identifier, tenant):
                    await self._trespasses.record(tenant, kind, identifier)
            except AssayError as error:
                log.warning("%s named another's %s: not recorded: %s", tenant, kind, error)
            except Exception:
                log.exception("%s named another's %s: not recorded", tenant, kind)
