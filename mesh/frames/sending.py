"""Sending a stored frame piece by piece: what a service does with frames that only pass through.

Back-pressure: gRPC takes a message when HTTP/2's flow-control window has room for it, and only
then is the next asked for. So a slow reader holds, in every service on the way, one window, the
message being sent and two spans of the file; nothing more is read from disk until it reads on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing
from pathlib import Path
from typing import TypeVar

from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.frames.wire import chunk_message
from mesh.telemetry.metrics import moved

PIECE_BYTES = 2 << 20

Piece = TypeVar("Piece", bytes, memoryview)


def stored_spans(path: Path, first_row: int = 0) -> Generator[memoryview, None, None]:
    """An Arrow IPC stream of a stored frame's rows from `first_row` on, a few megabytes at once.

    A span is good until the one after the next is asked for. Raises FileNotFoundError,
    AssayError: SOURCE_NOT_READABLE, INVALID_ARGUMENT for a row at which no batch begins.
    """
    from mesh.frames.stored import StoredFrame

    with StoredFrame(path) as stored:
        try:
            yield from stored.spans(first_row)
        except ValueError as error:
            fields = {"first_row": str(error)}
            raise AssayError(INVALID_ARGUMENT, str(error), fields=fields) from error


async def messages(spans: Generator[memoryview, None, None]) -> AsyncGenerator[bytes]:
    """The spans of an Arrow IPC stream as serialized `ReadFrameResponse`s."""
    async with aclosing(ahead(spans)) as read:
        async for span in read:
            moved("sent", len(span))
            for start in range(0, len(span), PIECE_BYTES):
                yield chunk_message(span[start : start + PIECE_BYTES])


async def ahead(pieces: Generator[Piece, None, None]) -> AsyncGenerator[Piece]:
    """The items of a blocking generator until an empty one, each fetched off the event loop.

    While an item is in use, the next is fetched, and no more.
    """

    def fetch() -> asyncio.Task[Piece | None]:
        return asyncio.create_task(asyncio.to_thread(next, pieces, None))

    coming = fetch()
    try:
        while piece := await asyncio.shield(coming):
            coming = fetch()
            yield piece
    finally:
        coming.add_done_callback(_noticed)  # whoever went away asks for no error any more
        await asyncio.wait([coming])  # a generator cannot be closed while it runs
        pieces.close()


def _noticed(task: asyncio.Task[Piece | None]) -> None:
    if not task.cancelled():
        task.exception()
