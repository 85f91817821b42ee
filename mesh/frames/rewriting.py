"""Frames written anew batch by batch, so that memory does not grow with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

import pyarrow as pa


def write_batches(
    schema: pa.Schema, batches: Callable[[], Iterable[pa.RecordBatch]], file: BinaryIO
) -> None:
    """Write batches as an IPC file, as `codec.write_file` does a table, one at a time.

    Where dictionaries change on the way it becomes an IPC stream, and `batches` is asked for all of
    them once more. `file` is at its start and empty.
    """
    try:
        _write(file, schema, batches(), pa.ipc.new_file)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        file.seek(0)
        file.truncate()
        _write(file, schema, batches(), pa.ipc.new_stream)


def _write(
    file: BinaryIO, schema: pa.Schema, batches: Iterable[pa.RecordBatch], new: Callable[..., Any]
) -> None:
    with new(file, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
