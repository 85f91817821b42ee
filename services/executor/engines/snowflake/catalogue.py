"""Reads what Snowflake says of a database: its `INFORMATION_SCHEMA`."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.databases.found import MOST_TABLES, Catalogue
from services.executor.databases.live import Relation
from services.executor.engines.snowflake.target import TARGET
from services.executor.pushdown.catalogue import TableDescription, catalogue
from services.executor.pushdown.kind import unknown_stamp
from services.executor.pushdown.session import PushedSession

_TABLES = """
SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ROW_COUNT, COMMENT FROM INFORMATION_SCHEMA.TABLES
WHERE TABLE_SCHEMA <> 'INFORMATION_SCHEMA' {where}
ORDER BY TABLE_SCHEMA <> 'PUBLIC', TABLE_SCHEMA, TABLE_NAME LIMIT {most}
"""
_COLUMNS = """
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, COMMENT
FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA <> 'INFORMATION_SCHEMA' {where}
ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION
"""
_ALTERED = """
SELECT TO_VARCHAR(LAST_ALTERED) || ':' || COALESCE(TO_VARCHAR(ROW_COUNT), '') || ':' ||
COALESCE(TO_VARCHAR(BYTES), '') FROM INFORMATION_SCHEMA.TABLES
WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {name} AND TABLE_TYPE = 'BASE TABLE'
"""


def read_catalogue(session: PushedSession, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these schemas or of all. Raises the driver's errors."""
    named = ", ".join(map(TARGET.literal, schemas))
    where = f"AND TABLE_SCHEMA IN ({named})" if schemas else ""
    table_descriptions = {
        (str(schema), str(name)): TableDescription(
            str(schema),
            str(name),
            "VIEW" in str(kind),
            None if rows is None else int(str(rows)),
            str(comment or ""),
        )
        for schema, name, kind, rows, comment in session.rows(
            _TABLES.format(where=where, most=MOST_TABLES + 1)
        )
    }
    for schema, table, name, kind, precision, scale, comment in session.rows(
        _COLUMNS.format(where=where)
    ):
        native = f"NUMBER({precision},{scale})" if str(kind) == "NUMBER" else str(kind)
        if (str(schema), str(table)) in table_descriptions:
            own = (str(name), native, str(comment or ""))
            table_descriptions[str(schema), str(table)].columns.append(own)
    found = catalogue(TARGET, table_descriptions.values(), {})
    found.notes.append(
        "Snowflake has no transaction that only reads: use a role that may only read"
    )
    return found


def stamp(session: PushedSession, relation: Relation) -> str:
    """When the table was last altered, with its rows and bytes; of a view, another one every
    time."""
    schema, name = map(TARGET.literal, (relation.schema_name, relation.name))
    rows = session.rows(_ALTERED.format(schema=schema, name=name))
    return str(rows[0][0]) if rows and rows[0][0] else unknown_stamp(session, relation)
