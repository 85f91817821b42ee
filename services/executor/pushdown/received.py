"""Rows as they come from a driver, in the types in which they are wanted."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from services.executor.databases.live import Relation
from services.executor.engines.arrow_types import WIDE
from services.executor.engines.plan import Plan

_KINDS = {
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "VARCHAR": pa.string(),
}


def of_plan(plan: Plan) -> pa.Schema:
    """The types in which rows of a statement are wanted; whole numbers may be wider than they are
    in the end."""
    return pa.schema(
        [
            (f"c{number}", WIDE if pa.types.is_integer(field.type) else field.type)
            for number, field in enumerate(plan.schema)
        ]
    )


def of_relation(relation: Relation) -> pa.Schema:
    """The stored types of a table's columns, under the names they have in a request."""
    return pa.schema([(name, stored(column.stored)) for name, column in relation.columns.items()])


def stored(kind: str) -> pa.DataType:
    """Arrow's type for one of the stored types."""
    if found := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind):
        return pa.decimal128(int(found[1]), int(found[2]))
    return _KINDS[kind]


def in_types(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.RecordBatchReader:
    """Columns of Arrow, by their places. Raises pyarrow.ArrowInvalid for a value that is none of
    its type."""

    def made() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            columns = [
                _cast(column, field.type)
                for column, field in zip(batch.columns, schema, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, made())


def of_rows(chunks: Iterable[Sequence[Sequence[Any]]], schema: pa.Schema) -> pa.RecordBatchReader:
    """Python's values, some rows at a time. Raises pyarrow.ArrowInvalid."""

    def made() -> Iterator[pa.RecordBatch]:
        for rows in chunks:
            columns = [
                pa.array([_value(cell, field.type) for cell in cells], field.type)
                for cells, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, made())


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if column.type == kind:
        return column
    if pa.types.is_dictionary(column.type):
        return _cast(column.cast(column.type.value_type), kind)
    if pa.types.is_timestamp(column.type) and not pa.types.is_string(kind):
        column = column.cast(pa.timestamp("us", tz=column.type.tz)).cast(pa.timestamp("us"))
    if pa.types.is_decimal(column.type) and pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_floating(column.type) and pa.types.is_decimal(kind):
        exact = column.cast(pa.int64()) if kind.scale == 0 else column
        return exact.cast(kind)
    if pa.types.is_string(kind) and (
        pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
    ):
        return pc.cast(column, pa.string())
    return column.cast(kind)


def _value(cell: Any, kind: pa.DataType) -> Any:
    if cell is None:
        return None
    if pa.types.is_decimal(kind) and isinstance(cell, (int, float, str)):
        return Decimal(str(cell))
    if pa.types.is_integer(kind) and not isinstance(cell, int):
        if cell != int(cell):
            raise pa.ArrowInvalid("a number that is not whole")
        return int(cell)
    if pa.types.is_floating(kind):
        return float(cell)
    if pa.types.is_boolean(kind) and isinstance(cell, int):
        return bool(cell)
    if pa.types.is_date(kind) and isinstance(cell, dt.datetime):
        if cell.time() != dt.time():
            raise pa.ArrowInvalid("a moment that is no day")
        return cell.date()
    if pa.types.is_timestamp(kind):
        return _moment(cell)
    if pa.types.is_string(kind) and not isinstance(cell, str):
        return _text(cell)
    return cell


def _moment(cell: Any) -> Any:
    if isinstance(cell, dt.datetime):
        return cell.astimezone(dt.UTC).replace(tzinfo=None) if cell.tzinfo else cell
    if isinstance(cell, dt.date):
        return dt.datetime.combine(cell, dt.time())
    return cell


def _text(cell: Any) -> str:
    if isinstance(cell, bytes):
        return cell.decode()
    if isinstance(cell, (list, tuple, dict)):
        import json

        return json.dumps(cell, default=str, ensure_ascii=False)
    return str(cell)
