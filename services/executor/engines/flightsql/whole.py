"""Whole relations as Arrow, for copies, whatever the server's types are."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

import pyarrow as pa

from services.executor.databases.live import LiveColumn, Relation
from services.executor.databases.session import Session
from services.executor.engines.arrow_types import friendly
from services.executor.engines.flightsql.relation import plain_sql, relation_sql, target_of
from services.executor.engines.flightsql.session import FlightSession

_KINDS = {
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "VARCHAR": pa.string(),
}
_STAMP_SECONDS = 2.0


def stamp(session: Session, relation: Relation) -> str:
    """What changes when somebody writes to a relation.

    DuckDB gives a digest of what is in it. Of other servers, and of what takes longer than two
    seconds, nothing is known: it is another one every time.
    """
    assert isinstance(session, FlightSession)
    if session.is_duckdb:
        value = session.attempt(
            "SELECT concat_ws(':', count(*), sum(hash(t)::HUGEINT)) "
            f"FROM {target_of(relation)} AS t",
            _STAMP_SECONDS,
        )
        if value is not None:
            return str(value.column(0)[0].as_py())
    return secrets.token_hex(16)


def whole(session: Session, relation: Relation) -> pa.RecordBatchReader:
    """All rows as they arrive, in stored types. Raises adbc.Error, also while they are read."""
    assert isinstance(session, FlightSession)
    sql = (
        relation_sql(relation, list(relation.columns)) if session.is_duckdb else plain_sql(relation)
    )
    return in_stored_types(session.stream(sql), relation)


def in_stored_types(reader: pa.RecordBatchReader, relation: Relation) -> pa.RecordBatchReader:
    """The rows under the names and in the types that the relation has in a request.

    Raises pyarrow.ArrowInvalid for a value that is none of its type.
    """
    schema = pa.schema([(name, _kind(column)) for name, column in relation.columns.items()])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            columns = [
                _cast(column, field.type)
                for column, field in zip(batch.columns, schema, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if column.type == kind:
        return column
    if not pa.types.is_decimal(kind):
        column = friendly(pa.table([column], names=["c"])).column(0).combine_chunks()
    return column.cast(kind)


def _kind(column: LiveColumn) -> pa.DataType:
    if found := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", column.stored):
        return pa.decimal128(int(found[1]), int(found[2]))
    return _KINDS[column.stored]
