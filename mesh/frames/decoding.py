"""Making a table of an Arrow IPC stream while its pieces still come."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from mesh.errors import SOURCE_NOT_READABLE, AssayError
from mesh.frames.arrival import Arrival
from mesh.frames.codec import pieces_file

_WAITING_PIECES = 8


class Decoder:
    """Takes the pieces of one or, after a break, several streams that together are one frame.

    Pieces are decoded in a thread beside the receiving and hashed in another. At most
    `_WAITING_PIECES` wait to be decoded; `feed` waits when there are more.
    """

    def __init__(self, digest: str, *, verify: bool = True) -> None:
        self._digest = digest
        self._verify = verify
        self._arrival: Arrival | None = None
        self._pieces: queue.Queue[bytes | memoryview] = queue.Queue(_WAITING_PIECES)
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    @property
    def rows(self) -> int:
        """Rows of the batches that came whole."""
        return self._arrival.rows if self._arrival else 0

    async def feed(self, piece: bytes | memoryview) -> None:
        """Take the next piece. Raises AssayError SOURCE_NOT_READABLE for what is no stream."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._decode, name="decode", daemon=True)
            self._thread.start()
        if self._failure is not None:
            raise self._unreadable(self._failure)
        await self._put(piece)

    async def table(self) -> pa.Table:
        """All rows, checked. Raises AssayError: VERIFICATION_FAILED, SOURCE_NOT_READABLE."""
        await self._ended()
        if self._failure is not None or self._arrival is None:
            raise self._unreadable(self._failure)
        return await asyncio.to_thread(self._arrival.table)

    def so_far(self) -> pa.Table:
        """The rows that are here, sound but not checked against the digest."""
        assert self._arrival is not None, "nothing has come yet"
        return self._arrival.so_far()

    async def broke_off(self) -> None:
        """The stream ended early; what is fed next begins another, with the rows that follow."""
        await self._ended()
        self._failure = None

    def close(self) -> None:
        """Stop, once the pieces that wait are decoded."""
        if self._thread is not None:
            thread, self._thread = self._thread, None
            self._pieces.put(b"")  # the thread makes room
            thread.join()
        if self._arrival is not None:
            self._arrival.close()

    async def _ended(self) -> None:
        if self._thread is not None:
            thread, self._thread = self._thread, None
            await self._put(b"")
            await asyncio.to_thread(thread.join)

    async def _put(self, piece: bytes | memoryview) -> None:
        try:
            self._pieces.put_nowait(piece)
        except queue.Full:
            await asyncio.to_thread(self._pieces.put, piece)

    def _decode(self) -> None:
        """In the thread: one stream to its end, or to the end of its pieces."""
        pieces = iter(self._pieces.get, b"")
        try:
            with pa.ipc.open_stream(pieces_file(pieces)) as reader:
                if self._arrival is None:
                    self._arrival = Arrival(self._digest, verify=self._verify)
                self._arrival.begin(reader.schema)
                for batch in reader:
                    self._arrival.add(batch)
        except Exception as error:
            self._failure = error
        for _ in pieces:  # whoever feeds must not wait for ever
            pass

    def _unreadable(self, error: BaseException | None) -> AssayError:
        return AssayError(
            SOURCE_NOT_READABLE,
            f"frame {self._digest[:12]} came as no Arrow stream: {error or 'nothing came'}",
            hint="It is damaged or was cut off; read it again.",
        )


@contextmanager
def decoding(digest: str, *, verify: bool = True) -> Iterator[Decoder]:
    """A decoder whose threads end with the block."""
    decoder = Decoder(digest, verify=verify)
    try:
        yield decoder
    finally:
        decoder.close()
