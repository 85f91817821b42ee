"""DuckDB database files: every table of every schema, with keys and comments."""

from __future__ import annotations

from pathlib import Path

import duckdb

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.sources.building import Building
from services.executor.sources.manifest import ForeignKey
from services.executor.sources.sql import describe_error, literal, quoted

_ATTACHED = "_assay_foreign"


def read_duckdb(path: Path, building: Building) -> None:
    """Store all tables of a database. Views are left out and noted.

    Raises AssayError: SOURCE_NOT_READABLE when another process writes to it or it is of a newer
    format, SOURCE_EMPTY when it has no tables.
    """
    connection = building.connection
    try:
        connection.execute(f"ATTACH {literal(str(path))} AS {_ATTACHED} (READ_ONLY)")
        tables = connection.execute(
            "SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE database_name = ? "
            "AND NOT internal ORDER BY schema_name, table_oid",
            [_ATTACHED],
        ).fetchall()
        for schema, name, comment in tables:
            stored = building.free_name(str(name))
            primary, foreign = _keys(connection, str(schema), str(name))
            source = f"{_ATTACHED}.{quoted(str(schema))}.{quoted(str(name))}"
            building.add(
                stored,
                f"SELECT * FROM {source}",
                primary_key=primary,
                foreign_keys=foreign,
                comment=str(comment or ""),
                comments=_comments(connection, str(schema), str(name)),
            )
        _note_views(building)
        connection.execute(f"DETACH {_ATTACHED}")
    except duckdb.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} cannot be opened as DuckDB: {describe_error(error, path)}.",
            hint="Close the program that writes to it, or bring the file back from a backup.",
        ) from None
    if not building.tables:
        raise AssayError(SOURCE_EMPTY, f"{building.label} has no tables.")


def _keys(
    connection: duckdb.DuckDBPyConnection, schema: str, table: str
) -> tuple[tuple[str, ...], tuple[ForeignKey, ...]]:
    rows = connection.execute(
        "SELECT constraint_type, constraint_column_names, referenced_table, "
        "referenced_column_names FROM duckdb_constraints() "
        "WHERE database_name = ? AND schema_name = ? AND table_name = ? ORDER BY constraint_index",
        [_ATTACHED, schema, table],
    ).fetchall()
    primary: tuple[str, ...] = ()
    foreign: list[ForeignKey] = []
    for kind, columns, target, target_columns in rows:
        if kind == "PRIMARY KEY":
            primary = tuple(str(column) for column in columns)
        elif kind == "FOREIGN KEY":
            foreign += [
                ForeignKey(column=column, to_table=target, to_column=other)
                for column, other in zip(columns, target_columns, strict=True)
            ]
    return primary, tuple(foreign)


def _comments(connection: duckdb.DuckDBPyConnection, schema: str, table: str) -> dict[str, str]:
    rows = connection.execute(
        "SELECT column_name, comment FROM duckdb_columns() WHERE database_name = ? "
        "AND schema_name = ? AND table_name = ? AND comment IS NOT NULL",
        [_ATTACHED, schema, table],
    ).fetchall()
    return {str(column): str(comment) for column, comment in rows}


def _note_views(building: Building) -> None:
    views = building.connection.execute(
        "SELECT view_name FROM duckdb_views() WHERE database_name = ? AND NOT internal ORDER BY 1",
        [_ATTACHED],
    ).fetchall()
    if views:
        building.note("views are left out: " + ", ".join(str(name) for (name,) in views))
