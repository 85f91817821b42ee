"""Taking in a frame that comes in batches: its digest grows in threads beside the receiving."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import pyarrow as pa

from mesh.errors import SOURCE_NOT_READABLE, VERIFICATION_FAILED, AssayError
from mesh.frames import soundness
from mesh.frames.canonical import RunningDigest

_COLUMNS_AT_ONCE = min(4, os.cpu_count() or 1)


class Arrival:
    """The rows of one frame as they come. Everything is kept in memory: this is for its reader.

    With `verify`, every batch is checked to be sound before anything is done with it, and in the
    end the digest must be that of the frame.
    """

    def __init__(self, digest: str, *, verify: bool = True) -> None:
        self._digest = digest
        self._schema: pa.Schema | None = None
        self._batches: list[pa.RecordBatch] = []
        self.rows = 0
        self._running: RunningDigest | None = None
        self._thread = ThreadPoolExecutor(1, "digest") if verify else None
        self._columns = ThreadPoolExecutor(_COLUMNS_AT_ONCE, "column") if verify else None
        self._hashed: list[Future[None]] = []

    def begin(self, schema: pa.Schema) -> None:
        """A stream begins, the first or one that goes on where another broke off.

        Raises pyarrow.ArrowException for a schema that cannot be used.
        """
        if self._schema is None:
            soundness.check_schema(schema)
            self._schema = schema
            self._running = RunningDigest(schema) if self._thread is not None else None

    def add(self, batch: pa.RecordBatch) -> None:
        """Take in the next batch. Raises AssayError SOURCE_NOT_READABLE for an unsound one."""
        self._batches.append(batch)
        if self._thread is not None:
            self._hashed.append(self._thread.submit(self._take, batch))
        self.rows += batch.num_rows  # last: another thread may watch it to take what is here

    def table(self) -> pa.Table:
        """All of it. Raises AssayError: VERIFICATION_FAILED, SOURCE_NOT_READABLE."""
        for work in self._hashed:
            work.result()
        if self._running is not None and (actual := self._running.hexdigest()) != self._digest:
            raise AssayError(
                VERIFICATION_FAILED,
                f"frame {self._digest[:12]} arrived as another table, {actual[:12]}",
                hint="It was changed on the way or where it is stored; make the frame again.",
                metadata={"digest": self._digest, "actual": actual},
            )
        return pa.Table.from_batches(self._batches, self._schema)

    def so_far(self) -> pa.Table:
        """What is here now, sound, without a look at the digest. Raises SOURCE_NOT_READABLE."""
        batches, hashed = list(self._batches), list(self._hashed)
        for work in hashed:
            work.result()
        sound = batches if self._thread is None else batches[: len(hashed)]
        return pa.Table.from_batches(sound, self._schema)

    def close(self) -> None:
        """Stop hashing; without effect once the table was taken."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
        if self._columns is not None:
            self._columns.shutdown(wait=False, cancel_futures=True)

    def _take(self, batch: pa.RecordBatch) -> None:
        """One batch after the other, its columns at once: each column has a hash of its own."""
        assert self._running is not None
        assert self._columns is not None
        try:
            batch.validate()
            list(self._columns.map(partial(self._take_column, batch), range(batch.num_columns)))
        except pa.ArrowException as error:
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"frame {self._digest[:12]} arrived damaged",
                hint="Read it again.",
            ) from error
        self._running.rows += batch.num_rows

    def _take_column(self, batch: pa.RecordBatch, position: int) -> None:
        assert self._running is not None
        soundness.check_column(batch, position)
        self._running.add_column(batch, position)


@contextmanager
def arriving(digest: str, *, verify: bool = True) -> Iterator[Arrival]:
    """An arrival whose thread ends with the block."""
    arrival = Arrival(digest, verify=verify)
    try:
        yield arrival
    finally:
        arrival.close()
