"""SQLite: loosely typed, so every column's type is decided from its declaration and its values.

| values (nulls aside) | declared | stored as |
|---|---|---|
| whole numbers | BOOL…, all 0 or 1 | BOOLEAN |
| whole numbers | REAL, FLOAT, DOUBLE, DECIMAL, NUMERIC, MONEY | DOUBLE |
| whole numbers | anything else | BIGINT |
| whole and real numbers | anything | DOUBLE |
| text, all ISO dates | anything | DATE; TIMESTAMP where declared so or with times |
| text, all numbers or blank | a number | DOUBLE or BIGINT, with a note |
| text, or a mixture | anything | VARCHAR, mixtures with a note |
| bytes | anything | left out, with a note |
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import duckdb
import pyarrow as pa

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.sources.building import Building
from services.executor.sources.manifest import ForeignKey
from services.executor.sources.sql import quoted
from services.executor.sources.sqlite_types import ColumnPlan, plan_columns

_BATCH_ROWS = 50_000
_LONGEST_COMMENT = 500
_BRING_BACK = "Fetch it again, or save what is left with `sqlite3 FILE .recover`."
_OWN_TABLES = re.compile(r"sqlite_|_assay_", re.IGNORECASE)


def read_sqlite(path: Path, building: Building) -> None:
    """Store all tables of a SQLite file with keys and comments. Views are left out and noted.

    Raises AssayError: SOURCE_NOT_READABLE for a damaged file, SOURCE_EMPTY without tables.
    """
    _refuse_if_cut(path, building)
    try:
        with closing(_connect(path)) as database:
            names = database.execute(
                "SELECT name, type FROM sqlite_master "
                "WHERE type IN ('table', 'view') ORDER BY rowid"
            ).fetchall()
            for name, kind in names:
                if kind == "table" and not _OWN_TABLES.match(name):
                    _read_table(database, name, building)
            views = [name for name, kind in names if kind == "view"]
    except sqlite3.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} cannot be read as SQLite: {error}.",
            hint=_BRING_BACK,
        ) from None
    if not building.tables:
        raise AssayError(SOURCE_EMPTY, f"{building.label} has no tables.")
    if views:
        building.note("views are left out: " + ", ".join(views))


def _refuse_if_cut(path: Path, building: Building) -> None:
    """SQLite takes what is missing at a file's end for zeros, and gives rows of them.

    The header's count of pages holds where two counters of changes agree (file format, 1.3.8).
    """
    with path.open("rb") as file:
        head = file.read(100)
    size = int.from_bytes(head[16:18], "big")
    number = (65_536 if size == 1 else size) * int.from_bytes(head[28:32], "big")
    there = path.stat().st_size
    if head[24:28] == head[92:96] and there < number:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} breaks off: it has {there:,} of its {number:,} bytes.",
            hint=_BRING_BACK,
        )


def _connect(path: Path) -> sqlite3.Connection:
    """A read-only connection inside one transaction; DuckDB's threads take turns on it."""
    database = sqlite3.connect(
        f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
    )
    database.text_factory = _lenient_text
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("BEGIN")
    return database


def _read_table(database: sqlite3.Connection, name: str, building: Building) -> None:
    info = database.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    building.check_columns(info)
    plans = plan_columns(database, name, [(row[1], row[2]) for row in info], building.note)
    stored = building.free_name(name)
    try:
        _store(database, name, stored, plans, building)
    except duckdb.ConversionException:
        building.note(f"{name}: some dates are not in the calendar; dates are kept as text")
        _store(database, name, stored, [plan.as_text() for plan in plans], building)
    keys = sorted((row[5], row[1]) for row in info if row[5])
    building.register(
        stored,
        primary_key=tuple(column for _, column in keys),
        foreign_keys=_foreign_keys(database, name),
        comments=_comments(database, name),
    )


def _store(
    database: sqlite3.Connection,
    name: str,
    stored: str,
    plans: list[ColumnPlan],
    building: Building,
) -> None:
    building.connection.register("_assay_rows", _batches(database, name, plans))
    try:
        expressions = ", ".join(f"{plan.stored_sql} AS {quoted(plan.name)}" for plan in plans)
        building.connection.execute(
            f"CREATE TABLE {quoted(stored)} AS SELECT {expressions} FROM _assay_rows"
        )
    finally:
        building.connection.unregister("_assay_rows")


def _batches(
    database: sqlite3.Connection, table: str, plans: list[ColumnPlan]
) -> pa.RecordBatchReader:
    schema = pa.schema([(plan.name, plan.arrow_type) for plan in plans])
    selected = ", ".join(plan.selected_sql for plan in plans)

    def produce() -> Iterator[pa.RecordBatch]:
        cursor = database.execute(f"SELECT {selected} FROM {quoted(table)}")
        while rows := cursor.fetchmany(_BATCH_ROWS):
            columns = zip(*rows, strict=True)
            arrays = [pa.array(c, p.arrow_type) for c, p in zip(columns, plans, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, produce())


def _foreign_keys(database: sqlite3.Connection, table: str) -> tuple[ForeignKey, ...]:
    found: list[ForeignKey] = []
    for row in database.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall():
        position, target, column, target_column = row[1], row[2], row[3], row[4]
        if target_column is None:
            keys = [
                info[1]
                for info in database.execute(f"PRAGMA table_info({quoted(target)})").fetchall()
                if info[5] == position + 1
            ]
            target_column = keys[0] if keys else None
        if target_column is not None:
            found.append(ForeignKey(column=column, to_table=target, to_column=target_column))
    return tuple(found)


def _comments(database: sqlite3.Connection, table: str) -> dict[str, str]:
    """Comments on columns in the statement that made the table: SQLite keeps it as it was."""
    (statement,) = database.execute(
        "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [table]
    ).fetchone()
    if not statement or ("--" not in statement and "/*" not in statement):
        return {}
    import sqlglot
    from sqlglot import expressions

    try:
        made = sqlglot.parse_one(statement, dialect="sqlite")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return {}
    texts = {
        column.name: " ".join(
            text.strip() for node in column.walk() for text in node.comments or ()
        )
        for column in made.find_all(expressions.ColumnDef)
    }
    return {name: text[:_LONGEST_COMMENT] for name, text in texts.items() if text}


def _lenient_text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
