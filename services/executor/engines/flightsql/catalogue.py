"""Reads what a database behind a Flight SQL server says of itself.

DuckDB tells tables with keys, comments and row counts. Others tell what `information_schema` holds;
the types of their columns are those in which no rows of them arrive.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from services.executor.databases.found import MOST_TABLES, Catalogue, free_name
from services.executor.databases.live import LiveColumn, Relation
from services.executor.engines.flightsql.session import FlightSession
from services.executor.engines.flightsql.whole import stamp
from services.executor.sources.manifest import ForeignKey, StoredColumn, StoredTable
from services.executor.sources.sql import literal, quoted

_MOST_ASKED = 200
_SECONDS = 5.0
_DUCKDB_TABLES = """
SELECT * FROM (
SELECT schema_name, table_name, false, estimated_size, comment FROM duckdb_tables()
WHERE NOT internal AND NOT temporary AND database_name = current_database() {schemas}
UNION ALL
SELECT schema_name, view_name, true, 0, comment FROM duckdb_views()
WHERE NOT internal AND NOT temporary AND database_name = current_database() {schemas})
ORDER BY schema_name <> 'main', schema_name, table_name LIMIT {limit}
"""
_DUCKDB_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns()
WHERE NOT internal AND database_name = current_database() {schemas}
ORDER BY schema_name, table_name, column_index
"""
_DUCKDB_KEYS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
       referenced_column_names
FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
AND database_name = current_database() ORDER BY constraint_index
"""
_TABLES = """
SELECT table_schema, table_name, table_type FROM information_schema.tables
WHERE lower(table_schema) NOT IN ('information_schema', 'pg_catalog', 'sys') {schemas}
ORDER BY table_schema, table_name
"""
_WHOLE = frozenset("TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER".split())
_WIDE = frozenset("UBIGINT HUGEINT UHUGEINT BIGNUM".split())
_SAME = frozenset("BOOLEAN DATE DOUBLE VARCHAR".split())
_DECIMAL = re.compile(r"DECIMAL\(\d+,\d+\)")


@dataclass(frozen=True, slots=True)
class _Seen:
    schema: str
    name: str
    is_view: bool
    rows: int
    comment: str
    columns: tuple[tuple[str, str, str, str], ...]  # name, type there, stored type, comment


def stored_type(native: str) -> str:
    """The stored type of one of DuckDB's; empty for bytes, which are left out."""
    if native in _WHOLE:
        return "BIGINT"
    if native in _WIDE:
        return "DECIMAL(38,0)"
    if native in _SAME or _DECIMAL.fullmatch(native):
        return native
    if native == "FLOAT":
        return "DOUBLE"
    if native in ("BLOB", "BIT"):
        return ""
    return "TIMESTAMP" if re.fullmatch(r"TIMESTAMP\w*( WITH TIME ZONE)?", native) else "VARCHAR"


def stored_type_of(kind: pa.DataType) -> str:
    """The stored type of one of Arrow's; empty for bytes."""
    if pa.types.is_boolean(kind):
        return "BOOLEAN"
    if pa.types.is_integer(kind):
        return "DECIMAL(38,0)" if kind == pa.uint64() else "BIGINT"
    if pa.types.is_floating(kind):
        return "DOUBLE"
    if pa.types.is_decimal(kind):
        fits = 0 <= kind.scale <= kind.precision <= 38
        return f"DECIMAL({kind.precision},{kind.scale})" if fits else "DOUBLE"
    if pa.types.is_date(kind):
        return "DATE"
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP"
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return ""
    return "VARCHAR"


def read_catalogue(session: FlightSession, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these schemas or all. Raises adbc.Error."""
    found = Catalogue()
    seen = _of_duckdb if session.is_duckdb else _of_others
    most = MOST_TABLES if session.is_duckdb else _MOST_ASKED
    tables = seen(session, schemas, most + 1)
    if len(tables) > most:
        found.notes.append(f"only the first {most:,} tables are seen; name schemas to choose")
    for table in tables[:most]:
        _add(found, table, session)
    if session.is_duckdb:
        _add_keys(found, session.rows(_DUCKDB_KEYS))
    else:
        found.notes.append(
            "the server is no DuckDB: tables that a question reads are copied, and computed here"
        )
    if session.writes:
        found.notes.append("the server knows of no transactions: a user who may only read is safer")
    return found


def _of_duckdb(session: FlightSession, schemas: Sequence[str], most: int) -> list[_Seen]:
    wanted = f"AND schema_name IN ({_texts(schemas)})" if schemas else ""
    columns: dict[tuple[str, str], list[tuple[str, str, str, str]]] = defaultdict(list)
    for schema, table, name, native, comment in session.rows(
        _DUCKDB_COLUMNS.format(schemas=wanted)
    ):
        texts = (str(name), str(native), stored_type(str(native)), str(comment or ""))
        columns[str(schema), str(table)].append(texts)
    return [
        _Seen(
            str(schema),
            str(name),
            bool(is_view),
            int(str(rows or 0)),
            str(comment or ""),
            tuple(columns[str(schema), str(name)]),
        )
        for schema, name, is_view, rows, comment in session.rows(
            _DUCKDB_TABLES.format(schemas=wanted, limit=most)
        )
    ]


def _of_others(session: FlightSession, schemas: Sequence[str], most: int) -> list[_Seen]:
    wanted = f"AND table_schema IN ({_texts(schemas)})" if schemas else ""
    listed = session.rows(_TABLES.format(schemas=wanted))[:most]
    seen = []
    for schema, name, kind in listed:
        place = ".".join(quoted(str(part)) for part in (schema, name) if part)
        empty = session.attempt(f"SELECT * FROM {place} WHERE 1 = 0", _SECONDS)
        if empty is None:
            continue  # seen, and not to be read
        columns = tuple((f.name, str(f.type), stored_type_of(f.type), "") for f in empty.schema)
        seen.append(
            _Seen(str(schema or ""), str(name), "VIEW" in str(kind).upper(), 0, "", columns)
        )
    return seen


def _add(found: Catalogue, seen: _Seen, session: FlightSession) -> None:
    taken = {table.casefold() for table in found.relations}
    called = free_name(seen.name, f"{seen.schema}_{seen.name}", taken)
    live: dict[str, LiveColumn] = {}
    stored: list[StoredColumn] = []
    for name, native, kept, comment in seen.columns:
        if not kept:
            found.notes.append(f"{called}: binary column {name} is left out")
            continue
        shown = free_name(name, name, {other.casefold() for other in live})
        live[shown] = LiveColumn(name=name, native=native, stored=kept)
        stored.append(StoredColumn(name=shown, type=kept, comment=comment))
        if "WITH TIME ZONE" in native or "tz=" in native:
            found.notes.append(f"{called}: times of {shown} are shown in UTC")
    if not stored:
        return
    relation = Relation(
        schema_name=seen.schema,
        name=seen.name,
        is_view=seen.is_view,
        rows_known=session.is_duckdb and not seen.is_view,
        columns=live,
    )
    found.relations[called] = relation.model_copy(update={"stamp": stamp(session, relation)})
    found.tables.append(
        StoredTable(name=called, rows=seen.rows, columns=tuple(stored), comment=seen.comment)
    )


def _add_keys(found: Catalogue, rows: Iterable[tuple[object, ...]]) -> None:
    by_place = {(r.schema_name, r.name): name for name, r in found.relations.items()}
    primary: dict[str, tuple[str, ...]] = {}
    foreign: dict[str, list[ForeignKey]] = defaultdict(list)
    for schema, table, kind, own, target, others in rows:
        name = by_place.get((str(schema), str(table)))
        if name is None or not isinstance(own, list):
            continue
        columns = [_shown(found.relations[name], column) for column in own]
        if kind == "PRIMARY KEY" and all(columns):
            primary[name] = tuple(columns)
        other = by_place.get((str(schema), str(target)))
        if kind == "FOREIGN KEY" and other and len(columns) == 1 and isinstance(others, list):
            to_column = _shown(found.relations[other], others[0])
            if columns[0] and to_column:
                foreign[name].append(
                    ForeignKey(column=columns[0], to_table=other, to_column=to_column)
                )
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
