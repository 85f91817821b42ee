"""Reads what Trino says of a catalogue: its `information_schema`."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.databases.found import MOST_TABLES, Catalogue
from services.executor.engines.trino.target import TARGET
from services.executor.pushdown.catalogue import TableDescription, catalogue
from services.executor.pushdown.session import PushedSession

_TABLES = """
SELECT table_schema, table_name, table_type FROM information_schema.tables
WHERE table_schema <> 'information_schema' {where} ORDER BY 1, 2 LIMIT {most}
"""
_COLUMNS = """
SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
WHERE table_schema <> 'information_schema' {where} ORDER BY 1, 2, ordinal_position
"""


def read_catalogue(session: PushedSession, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these schemas or of all. Raises trino's errors."""
    named = ", ".join(map(TARGET.literal, schemas))
    where = f"AND table_schema IN ({named})" if schemas else ""
    table_descriptions = {
        (str(schema), str(name)): TableDescription(str(schema), str(name), "VIEW" in str(kind))
        for schema, name, kind in session.rows(_TABLES.format(where=where, most=MOST_TABLES + 1))
    }
    for schema, table, name, native in session.rows(_COLUMNS.format(where=where)):
        if (str(schema), str(table)) in table_descriptions:
            table_descriptions[str(schema), str(table)].columns.append((str(name), str(native), ""))
    found = catalogue(TARGET, table_descriptions.values(), {})
    found.notes.append("Trino has no transaction that only reads: use a user who may only read")
    return found
