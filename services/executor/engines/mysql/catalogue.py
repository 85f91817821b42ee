"""Reads what a MySQL or MariaDB database says of itself: relations, columns, keys, comments.

Only what the user may read is seen. No row of a table is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from services.executor.databases.found import MOST_TABLES, Catalogue, free_name
from services.executor.databases.live import LiveColumn, Relation
from services.executor.engines.mysql.relation import literal
from services.executor.engines.mysql.session import MysqlSession
from services.executor.sources.manifest import ForeignKey, StoredColumn, StoredTable

_Key = tuple[str, str]
_SYSTEM = "('information_schema', 'mysql', 'performance_schema', 'sys')"
# UPDATE_TIME is that of the last commit, to the second, and is not known after a start of the
# server until somebody writes.
_RELATIONS = """
SELECT table_schema, table_name, table_type, engine, COALESCE(table_rows, -1),
       COALESCE(table_comment, ''), CONCAT_WS(':', create_time, update_time, auto_increment)
FROM information_schema.tables
WHERE table_schema NOT IN {system} AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')
  {schemas}
ORDER BY BINARY table_schema, BINARY table_name LIMIT {limit}
"""
_COLUMNS = """
SELECT table_schema, table_name, column_name, LOWER(column_type), column_comment
FROM information_schema.columns
WHERE table_schema NOT IN {system} AND LOWER(privileges) LIKE '%select%' {schemas}
ORDER BY table_schema, table_name, ordinal_position
"""
_KEYS = """
SELECT table_schema, table_name, constraint_name, column_name,
       COALESCE(referenced_table_schema, ''), COALESCE(referenced_table_name, ''),
       COALESCE(referenced_column_name, '')
FROM information_schema.key_column_usage
WHERE table_schema NOT IN {system} AND
      (constraint_name = 'PRIMARY' OR referenced_table_name IS NOT NULL) {schemas}
ORDER BY table_schema, table_name, constraint_name, ordinal_position
"""
# Whose rows are here, and whose last write the server knows.
_STAMPED = frozenset(("innodb", "myisam", "aria", "rocksdb"))
_NUMERIC = re.compile(r"decimal\((\d+),(\d+)\)")
_BYTES = re.compile(
    r"(var)?binary|(tiny|medium|long)?blob|geometry|point|linestring|polygon|multi|vector"
)


def stored_type(native: str) -> str:
    """The stored type of a native one; empty for bytes and shapes, which are left out.

    `tinyint(1)` is taken for a truth where all its values are (`facts.truths`).
    """
    plain = native.replace(" zerofill", "")
    if _BYTES.match(plain):
        return ""
    if found := _NUMERIC.match(plain):
        width, scale = int(found[1]), int(found[2])
        return f"DECIMAL({width},{scale})" if width <= 38 else "DOUBLE"
    if plain.startswith("bit"):
        return "BOOLEAN" if plain == "bit(1)" else "DECIMAL(20,0)"
    if plain.startswith("bigint") and plain.endswith("unsigned"):
        return "DECIMAL(20,0)"
    if re.match(r"(tiny|small|medium|big)?int|year", plain):
        return "BIGINT"
    if re.match(r"float|double", plain):
        return "DOUBLE"
    if plain == "date":
        return "DATE"
    return "TIMESTAMP" if re.match(r"datetime|timestamp", plain) else "VARCHAR"


def read_catalogue(session: MysqlSession, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these schemas or all. Raises pymysql.MySQLError."""
    named = ", ".join(literal(schema) for schema in schemas)
    where = {"schemas": f"AND table_schema IN ({named})" if schemas else "", "system": _SYSTEM}
    rows = session.rows(_RELATIONS.format(limit=MOST_TABLES + 1, **where))
    found = Catalogue()
    if len(rows) > MOST_TABLES:
        found.notes.append(
            f"only the first {MOST_TABLES:,} tables are seen; name schemas to choose"
        )
        rows = rows[:MOST_TABLES]
    columns: dict[_Key, list[tuple[str, str, str]]] = defaultdict(list)
    for schema, table, name, native, comment in session.rows(_COLUMNS.format(**where)):
        columns[str(schema), str(table)].append((str(name), str(native), str(comment or "")))
    for row in rows:
        _add(found, row, columns[str(row[0]), str(row[1])])
    _add_keys(found, session.rows(_KEYS.format(**where)))
    return found


def _add(
    found: Catalogue, row: tuple[object, ...], columns: Sequence[tuple[str, str, str]]
) -> None:
    schema, name, kind, engine, rows, comment, stamp = (str(value) for value in row)
    taken = {table.casefold() for table in found.relations}
    called = free_name(name, f"{schema}_{name}", taken)
    live: dict[str, LiveColumn] = {}
    described: list[StoredColumn] = []
    for column, native, about in columns:
        kept = stored_type(native)
        if not kept:
            found.notes.append(f"{called}: binary column {column} is left out")
            continue
        shown = free_name(column, column, {other.casefold() for other in live})
        live[shown] = LiveColumn(name=column, native=native, stored=kept)
        described.append(StoredColumn(name=shown, type=kept, comment=about))
        if native.startswith("timestamp"):
            found.notes.append(f"{called}: times of {shown} are shown in UTC")
    if not described:
        return
    estimate = int(rows)
    is_view = kind == "VIEW" or engine.lower() not in _STAMPED
    found.relations[called] = Relation(
        schema_name=schema,
        name=name,
        is_view=is_view,
        rows_known=estimate >= 0 and not is_view,
        columns=live,
        stamp=stamp,
    )
    found.tables.append(
        StoredTable(
            name=called,
            rows=max(0, estimate),
            columns=tuple(described),
            comment="" if kind == "VIEW" and comment == "VIEW" else comment,
        )
    )


def _add_keys(found: Catalogue, rows: Iterable[tuple[object, ...]]) -> None:
    by_name = {(r.schema_name, r.name): called for called, r in found.relations.items()}
    grouped: dict[tuple[str, str], list[tuple[str, _Key, str]]] = defaultdict(list)
    for schema, table, constraint, column, *other in (tuple(map(str, row)) for row in rows):
        if (schema, table) in by_name:
            called = by_name[schema, table]
            grouped[called, constraint].append((column, (other[0], other[1]), other[2]))
    primary: dict[str, tuple[str, ...]] = {}
    foreign: dict[str, list[ForeignKey]] = defaultdict(list)
    for (table, constraint), parts in grouped.items():
        names = [_shown(found.relations[table], column) for column, _, _ in parts]
        if constraint == "PRIMARY" and all(names):
            primary[table] = tuple(names)
        target = by_name.get(parts[0][1])
        if constraint != "PRIMARY" and target and len(parts) == 1 and names[0]:
            column = _shown(found.relations[target], parts[0][2])
            if column:
                key = ForeignKey(column=names[0], to_table=target, to_column=column)
                foreign[table].append(key)
    found.tables = [
        table.model_copy(
            update={
                "primary_key": primary.get(table.name, ()),
                "foreign_keys": tuple(foreign[table.name]),
            }
        )
        for table in found.tables
    ]


def _shown(relation: Relation, name: str) -> str:
    return next((shown for shown, column in relation.columns.items() if column.name == name), "")
