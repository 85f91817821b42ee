"""Arrow IPC, files and streams, validated in full before anything uses them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.sql import WRITE_AGAIN, unique_names

_VIEW = "_assay_arrow"


def read_arrow(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store an Arrow file or stream as one table.

    Raises AssayError: SOURCE_NOT_READABLE naming the batch that is damaged, RESOURCE_EXHAUSTED
    above the limit on unpacked bytes, SOURCE_EMPTY without columns or rows.
    """
    try:
        with pa.OSFile(str(path)) as file:
            reader = _opened(file, building)
            if not reader.schema.names:
                raise AssayError(SOURCE_EMPTY, f"{building.label} holds no columns.")
            building.check_columns(reader.schema.names)
            stored = _store(reader, table, building)
    except (pa.ArrowException, OSError, duckdb.Error, ValueError) as error:
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} is no sound Arrow file: {message.rstrip('.')}.",
            hint=WRITE_AGAIN,
        ) from None
    if stored == 0:
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no rows.")


def _opened(file: pa.NativeFile, building: Building) -> pa.RecordBatchReader:
    """A reader of the batches, whichever of the two forms the file has."""
    head = file.read(6)
    file.seek(max(0, file.size() - 8))
    end = file.read(8)
    file.seek(0)
    if head == b"ARROW1":
        if not end.endswith(b"ARROW1"):
            raise ValueError("it breaks off; Arrow files end with their footer, this does not")
        opened = pa.ipc.open_file(file)
        return pa.RecordBatchReader.from_batches(
            opened.schema, (opened.get_batch(i) for i in range(opened.num_record_batches))
        )
    if not end.endswith(b"\0\0\0\0"):
        building.note("the Arrow stream has no mark at its end; rows may be missing there")
    return pa.ipc.open_stream(file)


def _store(reader: pa.RecordBatchReader, table: str, building: Building) -> int:
    names = unique_names(reader.schema.names, building.note)
    schema = pa.schema(
        [field.with_name(name) for field, name in zip(_plain(reader.schema), names, strict=True)]
    )
    failure: list[Exception] = []
    checked = pa.RecordBatchReader.from_batches(
        schema, _told(_validated(reader, schema, building), failure)
    )
    building.connection.register(_VIEW, checked)
    try:
        staged = building.scratch("arrow.parquet")
        # A stream can be read once only, and finding the stored types may look at the rows twice.
        building.write_parquet(f"SELECT * FROM {_VIEW}", staged)
    except duckdb.Error:
        if failure:
            raise failure[0] from None
        raise
    finally:
        building.connection.unregister(_VIEW)
    return building.add_file(table, f"SELECT * FROM read_parquet('{staged}')").rows


def _told(batches: Iterator[pa.RecordBatch], failure: list[Exception]) -> Iterator[pa.RecordBatch]:
    """The batches; what goes wrong is kept, because it loses its type inside the database."""
    try:
        yield from batches
    except Exception as error:
        failure.append(error)
        raise


def _validated(
    reader: pa.RecordBatchReader, schema: pa.Schema, building: Building
) -> Iterator[pa.RecordBatch]:
    done = 0
    for number in itertools.count(1):
        try:
            batch = reader.read_next_batch()
            # Stricter than for frames: DuckDB would read a decimal beyond its precision as 0.
            batch.validate(full=True)
        except StopIteration:
            return
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"batch {number:,}: {error}") from None
        done += sum(map(_decoded_bytes, batch.columns))
        if done > building.limits.unpacked_bytes:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"{building.label} unpacks to more than {building.limits.unpacked_bytes:,} bytes, "
                f"in batch {number:,}.",
                hint="Split the file.",
            )
        arrays = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _decoded_bytes(column: pa.Array) -> int:
    """What a column takes when its values stand for themselves, told before they do.

    A dictionary's values, or a run's, are in the file once and in the rows any number of times.
    """
    if pa.types.is_dictionary(column.type):
        widths = _widths(column.dictionary)
        return int(pc.sum(widths.take(column.indices)).as_py() or 0)
    if pa.types.is_run_end_encoded(column.type):
        runs = np.diff(column.run_ends.to_numpy(), prepend=0)
        return int(np.dot(runs, _widths(column.values).fill_null(0).to_numpy()[: len(runs)]))
    return int(column.nbytes)


def _widths(values: pa.Array) -> pa.Array:
    """The bytes of every value."""
    if pa.types.is_binary(values.type) or pa.types.is_string(values.type):
        return pc.binary_length(values).cast(pa.int64())
    if pa.types.is_large_binary(values.type) or pa.types.is_large_string(values.type):
        return pc.binary_length(values)
    return pa.array(np.full(len(values), values.nbytes // max(1, len(values)), dtype=np.int64))


def _plain(schema: pa.Schema) -> Iterator[pa.Field]:
    """The fields in types the database takes: no half floats, no run ends, no dictionaries."""
    for field in schema:
        kind = field.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_run_end_encoded(kind):
            kind = kind.value_type
        if pa.types.is_float16(kind):
            kind = pa.float32()
        yield pa.field(field.name, kind)
