"""The one encoding of a table: whoever has its rows can write it again and compare bytes.

`mesh.frames.canonical` says what a table is; this says how one is written down: as an Arrow IPC
stream, uncompressed, without metadata, in batches of BATCH_ROWS. Every column has the plainest type
of its logical type (`large_string` for any text, `large_list` for any list, no dictionaries, no
runs), every field may be null, and what lies under nulls and behind the last bit is nought.

Unions, intervals and lists of a fixed size are written in the layout they have.
"""

from __future__ import annotations

from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mesh.frames import logical

BATCH_ROWS = 1 << 16
_OFFSET_BYTES = 8


def write_plainly(table: pa.Table, file: IO[bytes]) -> None:
    """Write the one encoding of a table, a batch at a time. Raises ArrowException."""
    known = all(logical.has_array(field.type) for field in table.schema)
    kinds = [plainest(field.type) if known else field.type for field in table.schema]
    names = [field.name for field in table.schema]
    schema = pa.schema([pa.field(*field) for field in zip(names, kinds, strict=True)])
    options = pa.ipc.IpcWriteOptions(compression=None, use_threads=False)
    with pa.ipc.new_stream(pa.PythonFile(file, mode="w"), schema, options=options) as writer:
        for start in range(0, table.num_rows, BATCH_ROWS):
            part = table.slice(start, BATCH_ROWS)
            if not known or not kinds:
                writer.write_table(part.replace_schema_metadata(None))
                continue
            columns = [rebuilt(_joined(column)) for column in part.columns]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))


def plainest(kind: pa.DataType) -> pa.DataType:
    """The type that all layouts of one logical type are written in."""
    if isinstance(kind, pa.BaseExtensionType):
        return plainest(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return plainest(kind.value_type)
    if logical.is_text(kind):
        return pa.large_string()
    if logical.is_binary(kind):
        return pa.large_binary()
    if logical.is_list(kind):
        return pa.large_list(pa.field("item", plainest(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(plainest(kind.key_type), plainest(kind.item_type))
    if pa.types.is_struct(kind):
        fields = [kind.field(position) for position in range(kind.num_fields)]
        return pa.struct([pa.field(field.name, plainest(field.type)) for field in fields])
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return kind


def rebuilt(array: pa.Array) -> pa.Array:
    """The same values in the plainest type, in buffers that hold nothing else."""
    array = logical.plain(array)
    kind = array.type
    if logical.is_list(kind):
        items = rebuilt(array.flatten())
        return pa.LargeListArray.from_arrays(_offsets(array), items, mask=_missing(array))
    if pa.types.is_map(kind):
        array = _copied(array)
        offsets = _offsets(array.cast(pa.large_list(kind.field(0).with_type(_entries(kind)))))
        keys, items = rebuilt(array.keys), rebuilt(array.items)
        wanted = plainest(kind)
        offsets = offsets.cast(pa.int32())
        return pa.MapArray.from_arrays(offsets, keys, items, type=wanted, mask=_missing(array))
    if pa.types.is_struct(kind) and kind.num_fields:
        children = [rebuilt(child) for child in array.flatten()]
        wanted = plainest(kind)
        fields = [wanted.field(position) for position in range(wanted.num_fields)]
        return pa.StructArray.from_arrays(children, fields=fields, mask=_missing(array))
    if pa.types.is_floating(kind):
        odd = pc.is_nan(array)
        if pc.any(odd).as_py():
            array = pc.if_else(odd, pa.scalar(float("nan"), kind), array)
    array = array.cast(plainest(kind))
    return array if _exact(array) else _copied(array)


def _exact(array: pa.Array) -> bool:
    """Whether its buffers hold its values and nothing else: the writer copies what they hold."""
    kind = array.type
    if array.null_count or array.offset or pa.types.is_boolean(kind) or pa.types.is_nested(kind):
        return False
    buffers, rows = array.buffers(), len(array)
    if pa.types.is_null(kind) or any(buffer is None for buffer in buffers[1:]):
        return False
    if not pa.types.is_large_string(kind) and not pa.types.is_large_binary(kind):
        return len(buffers) == 2 and buffers[1].size * 8 == rows * kind.bit_width
    if len(buffers) != 3 or buffers[1].size != (rows + 1) * _OFFSET_BYTES:
        return False
    offsets = np.frombuffer(buffers[1], "<i8")
    return int(offsets[0]) == 0 and int(offsets[-1]) == int(buffers[2].size)


def _entries(kind: pa.DataType) -> pa.DataType:
    return pa.struct([kind.key_field, kind.item_field])


def _joined(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    if any(pa.types.is_dictionary(chunk.type) for chunk in column.chunks):
        return pa.concat_arrays([logical.plain(chunk) for chunk in column.chunks])
    return pa.concat_arrays(column.chunks)


def _copied(array: pa.Array) -> pa.Array:
    """Fresh buffers: taking values writes nought under nulls and behind the last bit."""
    return array if pa.types.is_union(array.type) else array.take(pa.array(np.arange(len(array))))


def _missing(array: pa.Array) -> pa.Array | None:
    return array.is_null() if array.null_count else None


def _offsets(array: pa.Array) -> pa.Array:
    lengths = pc.list_value_length(array).fill_null(0).cast(pa.int64()).to_numpy()
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int64())
