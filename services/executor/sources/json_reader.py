"""JSON and JSON Lines.

An array of objects and a sequence of objects are tables. One single object is a table of one row,
unless members of it are arrays of objects: then each of those is a table of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
from duckdb.sqltypes import DuckDBPyType

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.encoding import as_utf8
from services.executor.sources.sql import count, literal, quoted, table_name

_LARGEST_OBJECT = 256 << 20
_MOST_CHARACTERS_READ_AGAIN = 64 << 20


def read_json(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store a JSON file as tables. Nested objects become `outer.inner` columns.

    Raises AssayError: SOURCE_NOT_READABLE with the place of malformed text, SOURCE_EMPTY without
    rows.
    """
    text = as_utf8(path, building.label, options.encoding, building.scratch("text.json"))
    if text.note:
        building.note(text.note)
    staging = "_assay_json"
    try:
        _stage(building.connection, text.path, staging)
        members = _tables_inside(building.connection, staging)
        if members:
            for member in members:
                rows = f"SELECT unnest({quoted(member)}) AS item FROM {staging}"
                building.add_file(
                    building.free_name(table_name(member)), f"SELECT item.* FROM ({rows})"
                )
        else:
            building.add_file(table, f"SELECT * FROM {staging}")
        building.connection.execute(f"DROP TABLE {staging}")
    except duckdb.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} is not well-formed JSON: {_place(error, text.path)}",
        ) from None
    nothing = [c.name for t in building.tables for c in t.columns] == ["json"] and not count(
        building.connection,
        f"SELECT count(*) FROM {quoted(building.tables[-1].name)} WHERE json::VARCHAR <> '{{}}'",
    )
    if nothing or not any(stored.rows for stored in building.tables):
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no rows.")


def _stage(connection: duckdb.DuckDBPyConnection, path: Path, staging: str) -> None:
    """Types come from the first 20,000 objects, from all of them where those mislead."""
    largest = max(16 << 20, min(_LARGEST_OBJECT, path.stat().st_size + 1))
    for sample in (20_480, -1):
        try:
            connection.execute(
                f"CREATE TEMP TABLE {staging} AS SELECT * FROM read_json_auto("
                f"{literal(str(path))}, sample_size={sample}, "
                f"maximum_object_size={largest}, map_inference_threshold=-1)"
            )
            return
        except duckdb.Error:
            if sample == -1:
                raise


def _tables_inside(connection: duckdb.DuckDBPyConnection, staging: str) -> list[str]:
    if count(connection, f"SELECT count(*) FROM {staging}") != 1:
        return []
    relation = connection.table(staging)
    return [
        column
        for column, kind in zip(relation.columns, relation.types, strict=True)
        if kind.id == "list"
        and isinstance(inner := kind.children[0][1], DuckDBPyType)
        and inner.id == "struct"
    ]


def _place(error: duckdb.Error, path: Path) -> str:
    """Where the text breaks, found by reading it again; the database counts lines differently."""
    fault = _fault_of_document(path)
    if fault is not None and fault[0] == 1:
        fault = _fault_of_lines(path) or fault
    if fault is not None:
        line, column, what = fault
        return f"line {line:,}, column {column:,}: {what}."
    message = str(error).splitlines()[0].replace(str(path), "it")
    return re.sub(r"^[\w ]+ Error: ", "", message)


def _fault_of_document(path: Path) -> tuple[int, int, str] | None:
    with path.open(encoding="utf-8") as file:
        text = file.read(_MOST_CHARACTERS_READ_AGAIN)
    try:
        json.loads(text)
    except json.JSONDecodeError as fault:
        return (1 if fault.msg == "Extra data" else fault.lineno, fault.colno, fault.msg.lower())
    except RecursionError:
        return 1, 1, "nested too deeply"
    return None


def _fault_of_lines(path: Path) -> tuple[int, int, str] | None:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                json.loads(line.rstrip()) if line.strip() else None
            except json.JSONDecodeError as fault:
                return number, fault.colno, fault.msg.lower()
    return None
