"""Sending a stored frame piece by piece: what a service does with frames that only pass through.

Back-pressure: gRPC takes a message when HTTP/2's flow-control window has room for it, and only
then is the next asked for. So a slow reader holds, in every service on the way, one window, the
piece being sent and the one after it; nothing more is read from disk until it reads on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.frames.stored import PIECE_BYTES, StoredFrame


def stored_pieces(
    path: Path, first_row: int = 0, size: int = PIECE_BYTES
) -> Generator[bytes, None, None]:
    """An Arrow IPC stream of a stored frame's rows from `first_row` on.

    Raises FileNotFoundError, AssayError: SOURCE_NOT_READABLE, INVALID_ARGUMENT for a row at which
    no batch begins.
    """
    with StoredFrame(path) as stored:
        try:
            yield from stored.pieces(first_row, size)
        except ValueError as error:
            fields = {"first_row": str(error)}
            raise AssayError(INVALID_ARGUMENT, str(error), fields=fields) from error


async def ahead(pieces: Generator[bytes, None, None]) -> AsyncGenerator[bytes]:
    """The items of a blocking generator, each fetched off the event loop, one ahead."""

    def fetch() -> asyncio.Task[bytes]:
        return asyncio.create_task(asyncio.to_thread(next, pieces, b""))

    coming = fetch()
    try:
        while piece := await asyncio.shield(coming):
            coming = fetch()
            yield piece
    finally:
        await asyncio.wait([coming])  # a generator cannot be closed while it runs
        if not coming.cancelled():
            coming.exception()
        pieces.close()
