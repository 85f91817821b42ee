"""Which Arrow types are one logical type, and how their arrays are brought to one layout."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_BINARY = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)
_LIST = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)

# The two older kinds of interval: pyarrow can carry them, but has no array class for them. Their
# values are seen as these types, which have the same bytes.
_SEEN_AS = {
    pa.lib.Type_INTERVAL_MONTHS: pa.int32(),
    pa.lib.Type_INTERVAL_DAY_TIME: pa.binary(8),
}


def logical_type(kind: pa.DataType) -> Any:
    """A JSON value that is equal for types that differ only in layout.

    Raises TypeError for a type that is not known here.
    """
    if isinstance(kind, pa.BaseExtensionType):
        return logical_type(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return logical_type(kind.value_type)
    if is_text(kind):
        return "string"
    if is_binary(kind):
        return "binary"
    if pa.types.is_decimal256(kind):
        return {"decimal256": [kind.precision, kind.scale]}
    if pa.types.is_decimal(kind):
        return {"decimal": [kind.precision, kind.scale]}
    if pa.types.is_timestamp(kind):
        return {"timestamp": [kind.unit, kind.tz]}
    if pa.types.is_nested(kind):
        return _nested_type(kind)
    simple = pa.types.is_primitive(kind) and kind.id not in _SEEN_AS
    if simple or pa.types.is_null(kind) or _is_sized(kind):
        return str(kind)
    raise TypeError(f"Arrow type {kind} has no canonical form")


def column_type(kind: pa.DataType) -> Any:
    """Like `logical_type`, for a type that `column_array` makes an array of."""
    return str(kind) if kind.id in _SEEN_AS else logical_type(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether values are text, in any layout."""
    return any(test(kind) for test in _TEXT)


def is_binary(kind: pa.DataType) -> bool:
    """Whether values are bytes of any length, in any layout."""
    return any(test(kind) for test in _BINARY)


def is_list(kind: pa.DataType) -> bool:
    """Whether values are lists of any length, in any layout."""
    return any(test(kind) for test in _LIST)


def has_array(kind: pa.DataType) -> bool:
    """Whether pyarrow has an array class for the type."""
    return kind.id not in _SEEN_AS


def _is_sized(kind: pa.DataType) -> bool:
    return bool(pa.types.is_fixed_size_binary(kind) or pa.types.is_interval(kind))


def _nested_type(kind: pa.DataType) -> Any:
    if is_list(kind):
        return {"list": logical_type(kind.value_type)}
    if pa.types.is_fixed_size_list(kind):
        return {"list": logical_type(kind.value_type), "size": kind.list_size}
    if pa.types.is_map(kind):
        return {"map": [logical_type(kind.key_type), logical_type(kind.item_type)]}
    fields = [kind.field(position) for position in range(kind.num_fields)]
    members = [[field.name, logical_type(field.type)] for field in fields]
    if pa.types.is_struct(kind):
        return {"struct": members}
    if pa.types.is_union(kind):
        return {"union": members, "codes": list(kind.type_codes)}
    raise TypeError(f"Arrow type {kind} has no canonical form")


def column_array(batch: pa.RecordBatch, position: int) -> pa.Array:
    """A column's array; of intervals that pyarrow has no array for, one with the same bytes."""
    kind = batch.schema.field(position).type
    if kind.id not in _SEEN_AS:
        return batch.column(position)
    # What was sent through a stream starts at its first row, whatever slice it was.
    only = batch.select([position])
    sent = io.BytesIO()
    with pa.ipc.new_stream(sent, only.schema) as writer:
        writer.write_batch(only)
    whole = pa.ipc.open_stream(sent.getbuffer()).read_next_batch()
    _, validity, values = whole.to_struct_array().buffers()
    return pa.Array.from_buffers(_SEEN_AS[kind.id], len(batch), [validity, values])


def plain(array: pa.Array) -> pa.Array:
    """The same values without extension, dictionary or run-end encoding, view or narrow decimal.

    Only the outermost level is changed.
    """
    while True:
        kind = array.type
        if isinstance(array, pa.ExtensionArray):
            array = array.storage
        elif pa.types.is_dictionary(kind):
            array = array.dictionary_decode()
        elif pa.types.is_run_end_encoded(kind):
            array = pc.run_end_decode(array)
        elif pa.types.is_string_view(kind):
            return array.cast(pa.large_string())
        elif pa.types.is_binary_view(kind):
            return array.cast(pa.large_binary())
        elif pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
            return array.cast(pa.decimal128(kind.precision, kind.scale), safe=False)
        else:
            return array
