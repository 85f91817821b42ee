"""The few column types that results have, whatever the query made.

Text, int64, float64, boolean, date32 and timestamp[us] without a zone, and decimal128(38, 0) for
whole numbers where 64 bits do not hold them all. Other decimals become float64; times of day,
intervals and identifiers text; lists, structs and maps JSON text.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

TIMESTAMP = pa.timestamp("us")
WIDE = pa.decimal128(38, 0)


def friendly(table: pa.Table) -> pa.Table:
    """The same table in the result types, without schema metadata, with distinct column names."""
    columns = [_friendly(column) for column in table.columns]
    names: list[str] = []
    for name in table.column_names:
        chosen, number = name, 2
        while chosen in names:
            chosen, number = f"{name}_{number}", number + 1
        names.append(chosen)
    return pa.Table.from_arrays(columns, names=names)


def _friendly(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _friendly(column.cast(kind.value_type))
    if kind in (pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.date32(), TIMESTAMP):
        return column
    if pa.types.is_null(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.string())
    if pa.types.is_integer(kind):
        return whole(column)
    if pa.types.is_decimal(kind):
        return whole(column) if kind.scale == 0 else column.cast(pa.float64())
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", tz=kind.tz), safe=False).cast(TIMESTAMP)
    return pa.chunked_array([pa.array([_text(v) for v in column.to_pylist()], pa.string())])


def under_names_of(schema: pa.Schema, table: pa.Table) -> pa.Table:
    """A table of the result types with the names and types that DuckDB gives.

    Which whole numbers are beyond 64 bits is known of the rows alone: those stay decimals.
    """
    columns = []
    for column, field in zip(table.columns, schema, strict=True):
        wide = pa.types.is_integer(field.type) and not pa.types.is_integer(column.type)
        columns.append(whole(column) if wide else column.cast(field.type))
    return pa.Table.from_arrays(columns, names=schema.names)


def whole(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whole numbers, decimals or their texts as int64, else as decimals, else floating point."""
    for kind in (pa.int64(), WIDE):
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column.cast(pa.float64())


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, default=str, ensure_ascii=False)
    return str(value)
