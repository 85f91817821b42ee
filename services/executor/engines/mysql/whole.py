"""Whole relations as Arrow, for copies."""

from __future__ import annotations

import re

import pyarrow as pa

from services.executor.databases.live import LiveColumn, Relation
from services.executor.databases.session import Session
from services.executor.engines.mysql.relation import literal, relation_sql
from services.executor.engines.mysql.session import MysqlSession

_KINDS = {
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
    "VARCHAR": pa.string(),
}
_SETTLED_SECONDS = 3
_STAMP = """
SELECT CONCAT_WS(':', create_time, update_time, auto_increment,
    IF(update_time IS NULL OR TIMESTAMPDIFF(SECOND, update_time, SYSDATE()) < {settled},
       CONCAT(SYSDATE(6), UUID()), ''))
FROM information_schema.tables WHERE table_schema = {schema} AND table_name = {name}
"""


def stamp(session: Session, relation: Relation) -> str:
    """What changes when somebody writes to a relation. Raises pymysql.MySQLError.

    The server knows of the last write to the second, and of none before it was started: a table
    that was written to just now, or that nobody wrote to since then, has another stamp every time.
    """
    schema, name = literal(relation.schema_name), literal(relation.name)
    rows = session.rows(_STAMP.format(settled=_SETTLED_SECONDS, schema=schema, name=name))
    return str(rows[0][0]) if rows else ""


def whole(session: Session, relation: Relation) -> pa.RecordBatchReader:
    """All rows as they arrive. Raises pymysql.MySQLError, also while they are read."""
    assert isinstance(session, MysqlSession)
    schema = pa.schema([(name, _kind(column)) for name, column in relation.columns.items()])
    columns = relation_sql(relation, list(relation.columns), session.collation)
    return session.stream(columns.removeprefix("(").removesuffix(")"), schema)


def _kind(column: LiveColumn) -> pa.DataType:
    if found := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", column.stored):
        return pa.decimal128(int(found[1]), int(found[2]))
    return _KINDS[column.stored]
