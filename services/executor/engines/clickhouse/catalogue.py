"""Reads what ClickHouse says of itself.

Its primary keys say how rows are sorted, not that they differ, so none is taken over.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from services.executor.databases.found import MOST_TABLES, Catalogue
from services.executor.databases.live import Relation
from services.executor.engines.clickhouse.target import TARGET
from services.executor.pushdown.catalogue import TableDescription, catalogue
from services.executor.pushdown.session import PushedSession

_TABLES = """
SELECT database, name, engine LIKE '%View', total_rows, comment FROM system.tables
WHERE {where} AND NOT is_temporary AND NOT startsWith(name, '.inner')
ORDER BY database <> currentDatabase(), database, name LIMIT {most}
"""
_COLUMNS = """
SELECT database, table, name, type, comment FROM system.columns
WHERE {where} AND default_kind <> 'EPHEMERAL' ORDER BY database, table, position
"""
_PARTS = """
SELECT database, table, toString(groupBitXor(cityHash64(name, rows, hash_of_all_files)))
FROM system.parts WHERE {where} AND active GROUP BY database, table
"""
_ELSEWHERE = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')"


def read_catalogue(session: PushedSession, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these databases or of all. Raises the driver's errors."""
    named = ", ".join(map(TARGET.literal, schemas))
    where = f"database IN ({named})" if schemas else _ELSEWHERE
    table_descriptions = {
        (str(schema), str(name)): TableDescription(
            str(schema),
            str(name),
            bool(is_view),
            None if rows is None else int(str(rows)),
            str(comment),
        )
        for schema, name, is_view, rows, comment in session.rows(
            _TABLES.format(where=where, most=MOST_TABLES + 1)
        )
    }
    for schema, table, name, native, comment in session.rows(_COLUMNS.format(where=where)):
        if (str(schema), str(table)) in table_descriptions:
            table_descriptions[str(schema), str(table)].columns.append(
                (str(name), str(native), str(comment))
            )
    return catalogue(TARGET, table_descriptions.values(), _stamps(session, where))


def stamp(session: PushedSession, relation: Relation) -> str:
    """A digest of the parts that a table is of, which a merge changes, too; of tables that have
    none, another one every time."""
    schema, name = relation.schema_name, relation.name
    where = f"database = {TARGET.literal(schema)} AND table = {TARGET.literal(name)}"
    return _stamps(session, where).get((schema, name)) or secrets.token_hex(16)


def _stamps(session: PushedSession, where: str) -> dict[tuple[str, str], str]:
    found = session.rows(_PARTS.format(where=where))
    return {(str(schema), str(table)): str(digest) for schema, table, digest in found}
