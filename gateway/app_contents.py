"""Keeps what the executor stores and what the gateway's tables say of it in step."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager

from gateway.ports import Sources
from mesh.errors import SERVICE_UNAVAILABLE, AssayError

log = logging.getLogger("assay.gateway")


class Contents:
    """Deletes contents that nobody refers to, without losing one that is just being stored.

    A content's digest is known only once it is stored, so an upload cannot lock it beforehand.
    Instead every upload under way hears of the contents deleted meanwhile, and is refused when its
    own is among them. This holds within one process: gateways that share a database must not share
    an executor's store.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lock = asyncio.Lock()
        self._uploads: list[set[str]] = []

    @contextmanager
    def uploading(self) -> Iterator[set[str]]:
        """The digests of contents that are deleted while the block runs."""
        deleted: set[str] = set()
        self._uploads.append(deleted)
        try:
            yield deleted
        finally:
            self._uploads = [known for known in self._uploads if known is not deleted]

    @asynccontextmanager
    async def referring(self, digest: str, deleted: set[str]) -> AsyncIterator[None]:
        """Hold deletions while the block records a reference to a content.

        Raises AssayError(SERVICE_UNAVAILABLE) when the content was deleted after it was stored.
        """
        async with self._lock:
            if digest in deleted:
                raise AssayError(
                    SERVICE_UNAVAILABLE,
                    "the same content was deleted while it was being uploaded",
                    hint="Upload the file again.",
                )
            yield

    @asynccontextmanager
    async def releasing(self) -> AsyncIterator[Callable[[Iterable[str]], None]]:
        """Hold uploads' recording while the block takes references away.

        The function it gives takes the digests nobody refers to any more; their contents are
        deleted when the block ends. A content that cannot be deleted, because the executor is
        away, stays behind and is logged: no reference leads to it.
        """
        unreferred: list[str] = []
        async with self._lock:
            yield unreferred.extend
            for digest in unreferred:
                for upload in self._uploads:
                    upload.add(digest)
                try:
                    await self._sources.delete(digest)
                except AssayError as error:
                    log.warning("content %s could not be deleted: %s", digest, error)
