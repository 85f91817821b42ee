"""Reads what SQL Server says of a database: its `INFORMATION_SCHEMA`, and counts of rows."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.databases.found import MOST_TABLES, Catalogue
from services.executor.engines.sqlserver.target import TARGET
from services.executor.pushdown.catalogue import TableDescription, catalogue
from services.executor.pushdown.session import PushedSession

_TABLES = """
SELECT TOP {most} t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, (SELECT SUM(p.rows)
FROM sys.partitions AS p WHERE p.index_id IN (0, 1) AND p.object_id =
OBJECT_ID(QUOTENAME(t.TABLE_SCHEMA) + '.' + QUOTENAME(t.TABLE_NAME)))
FROM INFORMATION_SCHEMA.TABLES AS t WHERE 1 = 1 {where} ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME
"""
_COLUMNS = """
SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.COLUMN_NAME, t.DATA_TYPE, t.NUMERIC_PRECISION,
t.NUMERIC_SCALE FROM INFORMATION_SCHEMA.COLUMNS AS t WHERE 1 = 1 {where}
ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME, t.ORDINAL_POSITION
"""
_KEYS = """
SELECT t.TABLE_SCHEMA, t.TABLE_NAME, k.COLUMN_NAME FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS t
JOIN INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS k ON k.CONSTRAINT_SCHEMA = t.CONSTRAINT_SCHEMA
AND k.CONSTRAINT_NAME = t.CONSTRAINT_NAME WHERE t.CONSTRAINT_TYPE = 'PRIMARY KEY' {where}
ORDER BY k.ORDINAL_POSITION
"""


def read_catalogue(session: PushedSession, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these schemas or of all. Raises the driver's errors."""
    named = ", ".join(map(TARGET.literal, schemas))
    where = f"AND t.TABLE_SCHEMA IN ({named})" if schemas else ""
    table_descriptions = {
        (str(schema), str(name)): TableDescription(
            str(schema), str(name), kind == "VIEW", None if rows is None else int(str(rows))
        )
        for schema, name, kind, rows in session.rows(
            _TABLES.format(where=where, most=MOST_TABLES + 1)
        )
    }
    for schema, table, name, kind, precision, scale in session.rows(_COLUMNS.format(where=where)):
        exact = kind in ("decimal", "numeric")
        native = f"{kind}({precision},{scale})" if exact else str(kind)
        if (str(schema), str(table)) in table_descriptions:
            table_descriptions[str(schema), str(table)].columns.append((str(name), native, ""))
    for schema, table, column in session.rows(_KEYS.format(where=where)):
        if (str(schema), str(table)) in table_descriptions:
            table_descriptions[str(schema), str(table)].key += (str(column),)
    found = catalogue(TARGET, table_descriptions.values(), {})
    found.notes.append("tables of SQL Server that a question reads are copied, and computed here")
    return found
