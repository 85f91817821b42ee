"""Reads what a PostgreSQL database says of itself: relations, columns, keys, comments, stamps.

Only what the user may read is seen. Partitions are seen as their parents, and what belongs to an
extension is not seen. No row of a table is read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from services.executor.databases.found import MOST_TABLES, Catalogue, free_name
from services.executor.databases.live import LiveColumn, Relation
from services.executor.databases.session import Session
from services.executor.sources.manifest import ForeignKey, StoredColumn, StoredTable
from services.executor.sources.sql import literal

# A stamp changes with every committed write, within a second, and with TRUNCATE and VACUUM FULL;
# counters start again after a crash of the server.
_RELATIONS = """
SELECT c.oid::int8, n.nspname::text, c.relname::text, c.relkind::text, c.reltuples::float8,
       pg_catalog.obj_description(c.oid, 'pg_class'),
       pg_catalog.concat_ws(':', c.relfilenode, pg_catalog.pg_stat_get_tuples_inserted(c.oid),
           pg_catalog.pg_stat_get_tuples_updated(c.oid),
           pg_catalog.pg_stat_get_tuples_deleted(c.oid))
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid
                  AND d.classid = 'pg_catalog.pg_class'::regclass AND d.deptype = 'e')
  {schemas}
ORDER BY n.nspname <> 'public', n.nspname COLLATE "C", c.relname COLLATE "C"
LIMIT {limit}
"""
_COLUMNS = """
SELECT a.attrelid::int8, a.attname::text,
       pg_catalog.format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END,
           CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END),
       pg_catalog.col_description(a.attrelid, a.attnum)
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE a.attrelid IN ({oids}) AND a.attnum > 0 AND NOT a.attisdropped
  AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum
"""
_KEYS = """
SELECT k.conrelid::int8, k.contype::text, k.confrelid::int8,
       (SELECT pg_catalog.string_agg(a.attname::text, E'\\x1f' ORDER BY u.n)
        FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY u (num, n)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num),
       (SELECT pg_catalog.string_agg(a.attname::text, E'\\x1f' ORDER BY u.n)
        FROM pg_catalog.unnest(k.confkey) WITH ORDINALITY u (num, n)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num)
FROM pg_catalog.pg_constraint k
WHERE k.contype IN ('p', 'f') AND k.conrelid IN ({oids})
ORDER BY k.conrelid, k.oid
"""
_NUMERIC = re.compile(r"numeric\((\d+),(-?\d+)\)")
_STORED = {
    "smallint": "BIGINT",
    "integer": "BIGINT",
    "bigint": "BIGINT",
    "oid": "BIGINT",
    "real": "DOUBLE",
    "double precision": "DOUBLE",
    "numeric": "DOUBLE",
    "money": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
}


def stored_type(native: str) -> str:
    """The stored type of a native one; empty for bytes, which are left out."""
    if native == "bytea":
        return ""
    if native.startswith("timestamp"):
        return "TIMESTAMP"
    if found := _NUMERIC.fullmatch(native):
        width, scale = int(found[1]), int(found[2])
        return f"DECIMAL({width},{scale})" if 0 <= scale <= width <= 38 else "DOUBLE"
    return _STORED.get(native, "VARCHAR")


def read_catalogue(session: Session, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these schemas or all. Raises adbc.Error."""
    wanted = f"AND n.nspname IN ({_texts(schemas)})" if schemas else ""
    rows = session.rows(_RELATIONS.format(schemas=wanted, limit=MOST_TABLES + 1))
    found = Catalogue()
    if len(rows) > MOST_TABLES:
        found.notes.append(
            f"only the first {MOST_TABLES:,} tables are seen; name schemas to choose"
        )
        rows = rows[:MOST_TABLES]
    if not rows:
        return found
    oids = ", ".join(str(row[0]) for row in rows)
    columns: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for oid, name, native, comment in session.rows(_COLUMNS.format(oids=oids)):
        columns[_int(oid)].append((str(name), str(native), str(comment or "")))
    for row in rows:
        _add(found, row, columns[_int(row[0])])
    _add_keys(found, session.rows(_KEYS.format(oids=oids)))
    return found


def _add(
    found: Catalogue, row: tuple[object, ...], columns: Sequence[tuple[str, str, str]]
) -> None:
    oid, schema, name, kind, rows, comment, stamp = row
    taken = {table.casefold() for table in found.relations}
    called = free_name(str(name), f"{schema}_{name}", taken)
    live: dict[str, LiveColumn] = {}
    stored: list[StoredColumn] = []
    for column, native, about in columns:
        kept = stored_type(native)
        if not kept:
            found.notes.append(f"{called}: binary column {column} is left out")
            continue
        shown = free_name(column, column, {other.casefold() for other in live})
        live[shown] = LiveColumn(name=column, native=native, stored=kept)
        stored.append(StoredColumn(name=shown, type=kept, comment=about))
        if native == "timestamp with time zone":
            found.notes.append(f"{called}: times of {shown} are shown in UTC")
    if not stored:
        return
    estimate = float(str(rows))
    is_view = kind in ("v", "f", "p")
    found.relations[called] = Relation(
        schema_name=str(schema),
        name=str(name),
        oid=_int(oid),
        is_view=kind == "v",
        rows_known=estimate >= 0 and not is_view,
        columns=live,
        stamp=str(stamp),
    )
    found.tables.append(
        StoredTable(
            name=called,
            rows=max(0, round(estimate)),
            columns=tuple(stored),
            comment=str(comment or ""),
        )
    )


def _add_keys(found: Catalogue, rows: Iterable[tuple[object, ...]]) -> None:
    by_oid = {relation.oid: name for name, relation in found.relations.items()}
    primary: dict[str, tuple[str, ...]] = {}
    foreign: dict[str, list[ForeignKey]] = defaultdict(list)
    for oid, kind, target, own, others in rows:
        table = by_oid.get(_int(oid))
        if table is None:
            continue
        names = [_shown(found.relations[table], name) for name in str(own).split("\x1f")]
        if kind == "p" and all(names):
            primary[table] = tuple(names)
        other = by_oid.get(_int(target))
        if kind == "f" and other is not None and len(names) == 1 and names[0]:
            column = _shown(found.relations[other], str(others))
            if column:
                foreign[table].append(ForeignKey(column=names[0], to_table=other, to_column=column))
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


def _texts(values: Iterable[str]) -> str:
    return ", ".join(literal(value) for value in values)


def _int(value: object) -> int:
    return int(str(value))
