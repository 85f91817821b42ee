"""Arrow IPC, files and streams, validated in full before anything uses them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.child_tables import add_rows
from services.executor.sources.limits import BYTES_PER_VALUE
from services.executor.sources.sql import WRITE_AGAIN, quoted, unique_names

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
            stored = store_batches(reader, table, path.stat().st_size, building)
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


def store_batches(
    reader: pa.RecordBatchReader,
    table: str,
    packed: int,
    building: Building,
    order: Sequence[str] = (),
) -> int:
    """Store the rows of batches from files of `packed` bytes as one table; how many they are.

    `order` are columns to sort by, for batches that come in any order. Raises AssayError above the
    limit on unpacked bytes, ValueError naming the batch that is damaged.
    """
    names = unique_names(reader.schema.names, building.note)
    schema = pa.schema(
        [field.with_name(name) for field, name in zip(_plain(reader.schema), names, strict=True)]
    )
    failure: list[Exception] = []
    checked = pa.RecordBatchReader.from_batches(
        schema, _keep_failure(_validated(reader, schema, packed, building), failure)
    )
    building.connection.register(_VIEW, checked)
    try:
        staged = building.scratch("arrow.parquet")
        # A stream can be read once only, and finding the stored types may look at the rows twice.
        by = f" ORDER BY {', '.join(map(quoted, order))}" if order else ""
        building.write_parquet(f"SELECT * FROM {_VIEW}{by}", staged)
    except duckdb.Error:
        if failure:
            raise failure[0] from None
        raise
    finally:
        building.connection.unregister(_VIEW)
    return add_rows(building, table, f"SELECT * FROM read_parquet('{staged}')")


def _keep_failure(
    batches: Iterator[pa.RecordBatch], failure: list[Exception]
) -> Iterator[pa.RecordBatch]:
    """The batches; what goes wrong is kept, because it loses its type inside the database."""
    try:
        yield from batches
    except Exception as error:
        failure.append(error)
        raise


def _validated(
    reader: pa.RecordBatchReader, schema: pa.Schema, packed: int, building: Building
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
        where = f", in batch {number:,}"
        building.limits.check_values(building.label, packed, done, where)
        arrays = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _decoded_bytes(column: pa.Array) -> int:
    """What a column takes when its values stand for themselves, told before they do.

    A dictionary's values, or a run's, are in the file once and in the rows any number of times;
    nulls, and items of lists of a fixed size, need not be in it at all.
    """
    counted = _values(column) * BYTES_PER_VALUE
    if pa.types.is_dictionary(column.type):
        widths = _widths(column.dictionary)
        return max(counted, int(pc.sum(widths.take(column.indices)).as_py() or 0))
    if pa.types.is_run_end_encoded(column.type):
        runs = np.diff(column.run_ends.to_numpy(), prepend=0)
        widths = _widths(column.values).fill_null(0).to_numpy()[: len(runs)]
        return max(counted, int(np.dot(runs, widths)))
    return max(counted, int(column.nbytes))


def _values(column: pa.Array) -> int:
    """How many values a column stands for, with those within its values."""
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        return _values(column.storage)
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        return sum(_values(column.field(i)) for i in range(kind.num_fields)) + len(column)
    if pa.types.is_map(kind):
        within = _values(column.keys) + _values(column.items)
        return len(column) + _shared(within, len(column.keys), _items(column))
    if isinstance(column, _LISTS):
        return len(column) + _shared(_values(column.values), len(column.values), _items(column))
    if pa.types.is_dictionary(kind):
        values = column.dictionary
        return _shared(_values(values), len(values), len(column))
    if pa.types.is_run_end_encoded(kind):
        return _shared(_values(column.values), len(column.values), len(column))
    return len(column)


_LISTS = (
    pa.ListArray,
    pa.LargeListArray,
    pa.FixedSizeListArray,
    pa.ListViewArray,
    pa.LargeListViewArray,
)


def _items(column: pa.Array) -> int:
    """How many items the lists of a column have together."""
    kind = column.type
    if pa.types.is_fixed_size_list(kind):
        return len(column) * int(kind.list_size)
    if isinstance(column, pa.ListViewArray | pa.LargeListViewArray):
        return int(np.sum(column.sizes.to_numpy(), dtype=np.int64))
    return len(column.keys if pa.types.is_map(kind) else column.values)


def _shared(values: int, stored: int, shown: int) -> int:
    """Values of `shown` things, where `stored` of them have so many."""
    return shown * max(1, -(-values // stored)) if stored else shown


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
