"""Keeps what the executor stores and what the gateways' tables say of it in step."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Iterable

from gateway.domain.session import StoredContent
from gateway.ports import Sources
from gateway.store_ports import ContentStore
from mesh import context as calls
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.processes.failpoint import failpoint

log = logging.getLogger("assay.gateway")

# A deletion's call must have ended when another gateway may think that nobody deletes any more.
DELETE_SECONDS = 10.0
CONDEMNED_SECONDS = 2 * DELETE_SECONDS
_POLL_SECONDS = 0.1


class Contents:
    """Stores contents, and deletes those that nobody refers to; on behalf of several gateways.

    What is about to be stored is held in the database before the executor can have stored all of
    it, and what is about to be deleted is condemned there. Neither can begin while the other is
    under way, and what a gateway that died left behind is found by `sweep`.
    """

    def __init__(self, contents: ContentStore, sources: Sources) -> None:
        self._contents = contents
        self._sources = sources

    async def store(
        self, name: str, most_bytes: int, pieces: AsyncIterator[bytes], *, frame: bool
    ) -> tuple[StoredContent, str]:
        """A content once the executor has it, and the hold that keeps it there for a while.

        Raises AssayError: what `pieces` and `Sources.put` raise, SERVICE_UNAVAILABLE.
        """
        holds: list[str] = []
        digest = hashlib.sha256()

        async def held() -> AsyncIterator[bytes]:
            async for piece in pieces:
                digest.update(piece)
                yield piece
            holds.append(await self._hold(digest.hexdigest()))

        try:
            content = await self._sources.put(name, most_bytes, held(), frame=frame)
        except AssayError:
            if holds:
                await self.give_up(digest.hexdigest(), holds[0])
            raise
        failpoint("gateway: content-stored")
        return content, holds[0]

    async def give_up(self, digest: str, hold_id: str) -> None:
        """End a hold that made no reference, and delete its content if nobody else needs it."""
        await self._contents.give_up(digest, hold_id)
        await self.release([digest])

    async def release(self, digests: Iterable[str]) -> None:
        """Delete those of the contents that no tenant needs: as the mesh itself.

        One that cannot be deleted now, because the executor is away, is left to `sweep`.
        """
        for digest in digests:
            with calls.changed(tenant=calls.MESH_TENANT, seconds=DELETE_SECONDS):
                if not await self._contents.condemn(digest, CONDEMNED_SECONDS):
                    continue
                try:
                    await self._sources.delete(digest)
                except AssayError as error:
                    log.warning("content %s is not deleted yet: %s", digest, error)
                    continue
            failpoint("gateway: content-deleted")
            await self._contents.settle(digest)

    async def sweep(self) -> None:
        """Delete what uploads and deletions that broke off left behind."""
        await self.release(await self._contents.unsettled())

    async def _hold(self, digest: str) -> str:
        """A hold, as soon as a deletion of the same content has ended."""
        left = calls.current().seconds_left(CONDEMNED_SECONDS)
        try:
            async with asyncio.timeout(left):
                while True:
                    hold_id = await self._contents.hold(digest)
                    if hold_id:
                        return hold_id
                    await asyncio.sleep(_POLL_SECONDS)
        except TimeoutError as error:
            raise AssayError(
                SERVICE_UNAVAILABLE,
                "the same content is just being deleted",
                hint="Upload the file again.",
            ) from error
