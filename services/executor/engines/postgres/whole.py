"""Whole relations as Arrow, for copies: decimal numbers as such, infinite dates as DuckDB's."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from services.executor.databases.live import Relation
from services.executor.databases.session import Session
from services.executor.engines.postgres.connect import PostgresSession
from services.executor.engines.postgres.relation import relation_sql

_STAMP = """
SELECT pg_catalog.concat_ws(':', c.relfilenode, pg_catalog.pg_stat_get_tuples_inserted(c.oid),
    pg_catalog.pg_stat_get_tuples_updated(c.oid), pg_catalog.pg_stat_get_tuples_deleted(c.oid))
FROM pg_catalog.pg_class c WHERE c.oid = {oid}
"""


def stamp(session: Session, relation: Relation) -> str:
    """What changes when somebody writes to a relation. Raises adbc.Error."""
    return str(session.rows(_STAMP.format(oid=relation.oid))[0][0])


def whole(session: Session, relation: Relation) -> pa.RecordBatchReader:
    """All rows as they arrive, in plain types. Raises adbc.Error, also while they are read."""
    assert isinstance(session, PostgresSession)
    columns = relation_sql(relation, list(relation.columns))
    reader = session.stream(f"SELECT * FROM {columns} AS t")
    schema = _plain_schema(reader.schema)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            yield _plain(batch, schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _plain_schema(schema: pa.Schema) -> pa.Schema:
    """Without what the driver says of types; decimal numbers, which come as text, as such."""
    fields = []
    for field in schema:
        kind = field.type
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        if field.metadata and field.metadata.get(b"POSTGRESQL:type") == b"numeric":
            kind = pa.decimal128(*_size(field.metadata))
        fields.append(pa.field(field.name, kind))
    return pa.schema(fields)


def _size(metadata: dict[bytes, bytes]) -> tuple[int, int]:
    modifier = int(metadata.get(b"POSTGRESQL:typmod", b"-1")) - 4
    return (modifier >> 16, modifier & 0x7FF) if modifier >= 0 else (38, 10)


def _plain(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = []
    for column, field in zip(batch.columns, schema, strict=True):
        if isinstance(column.type, pa.BaseExtensionType):
            column = column.storage
        column = column if column.type == field.type else column.cast(field.type)
        columns.append(_with_infinity(column))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _with_infinity(column: pa.Array) -> pa.Array:
    """Infinite dates as DuckDB keeps them; the driver moves them like all others, past the end."""
    whole = {32: pa.int32(), 64: pa.int64()}
    if not (pa.types.is_date32(column.type) or pa.types.is_timestamp(column.type)):
        return column
    bits = column.type.bit_width
    numbers, last = column.view(whole[bits]), 2 ** (bits - 1) - 1
    moved = 10_957 if bits == 32 else 946_684_800_000_000  # to 2000, in days and microseconds
    for number, intended in ((last, last), (-last - 1, -last)):
        wrapped = (number + moved + last + 1) % 2**bits - last - 1
        found = pc.equal(numbers, pa.scalar(wrapped, whole[bits]))
        numbers = pc.if_else(found, pa.scalar(intended, whole[bits]), numbers)
    return numbers.view(column.type)
