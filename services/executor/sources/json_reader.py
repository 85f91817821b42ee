"""JSON and JSON Lines.

An array of objects and a sequence of objects are tables. One single object is a table of one row,
unless members of it are arrays of objects: then each of those is a table of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import duckdb
from duckdb.sqltypes import DuckDBPyType

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.child_tables import add_rows
from services.executor.sources.delimited import rejected_rows
from services.executor.sources.encoding import as_utf8
from services.executor.sources.json_cut_off import REASON, CutOff, cut_off
from services.executor.sources.json_moments import may_have_offsets, read_moments
from services.executor.sources.json_shape import check_shape
from services.executor.sources.sql import (
    WRITE_AGAIN,
    count,
    describe_error,
    literal,
    quoted,
    table_name,
)

_LARGEST_OBJECT = 256 << 20
_CHUNK = 1 << 20
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_BEYOND_64_BITS = b"0" * 19
_MOST_CHARACTERS_READ_AGAIN = 64 << 20


def read_json(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store a JSON file as tables. Nested objects become `outer.inner` columns; a last line that
    breaks off is kept aside.

    Raises AssayError: SOURCE_NOT_READABLE with the place of malformed text, SOURCE_EMPTY without
    rows.
    """
    if (cut := cut_off(path, building.scratch("whole.json"))) is not None:
        path = cut.path
    text = as_utf8(path, building.label, options.encoding, building.scratch("text.json"))
    if text.note:
        building.note(text.note)
    staging, before = "_assay_json", len(building.tables)
    try:
        check_shape(text.path, building.label, building.limits)
        _stage(building.connection, text.path, staging)
        if may_have_offsets(text.path):
            moments = _as_texts(building.connection, text.path, staging)
            read_moments(building.connection, staging, moments, table, options, building)
        members = _tables_inside(building.connection, staging)
        if members:
            for member in members:
                rows = f"SELECT unnest({quoted(member)}) AS item FROM {staging}"
                add_rows(
                    building, building.free_name(table_name(member)), f"SELECT item.* FROM ({rows})"
                )
        else:
            add_rows(building, table, f"SELECT * FROM {staging}")
        building.connection.execute(f"DROP TABLE {staging}")
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label} is not well-formed JSON: {_place(error, text.path)}",
            hint=WRITE_AGAIN,
        ) from None
    if cut is not None:
        _reject_line(cut, building, before)
    nothing = [c.name for t in building.tables for c in t.columns] == ["json"] and not count(
        building.connection,
        f"SELECT count(*) FROM {quoted(building.tables[-1].name)} WHERE json::VARCHAR <> '{{}}'",
    )
    if nothing or not any(stored.rows for stored in building.tables):
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no rows.")


def _reject_line(cut: CutOff, building: Building, place: int) -> None:
    """Keep a line aside, and count it with the table at a place, which lacks its row."""
    table = building.tables[place]
    rejected_rows.prepare(building)
    rejected_rows.keep_line(building, table.name, cut.line, REASON, cut.content)
    building.tables[place] = table.model_copy(update={"rejected": 1})
    rejected_rows.note_rows(building, table.name, rows=table.rows)


def _as_texts(connection: duckdb.DuckDBPyConnection, path: Path, staging: str) -> frozenset[str]:
    """Read again what the engine took for moments, as texts; which columns these are."""
    relation = connection.table(staging)
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    moments = frozenset(name for name, kind in kinds.items() if kind.id == "timestamp")
    if moments:
        texts = {name: "VARCHAR" if name in moments else str(kind) for name, kind in kinds.items()}
        _restage(connection, path, staging, texts)
    return moments


def _stage(connection: duckdb.DuckDBPyConnection, path: Path, staging: str) -> None:
    """Types come from all objects: those of the first few would round the fractions of others."""
    connection.execute(
        f"CREATE TEMP TABLE {staging} AS SELECT * FROM read_json_auto("
        f"{literal(str(path))}, sample_size=-1, {_options(path)})"
    )
    relation = connection.table(staging)
    exact = [_with_all_digits(kind) for kind in relation.types]
    if exact == list(map(str, relation.types)) or not _has_long_numbers(path):
        return
    _restage(connection, path, staging, dict(zip(relation.columns, exact, strict=True)))


def _restage(
    connection: duckdb.DuckDBPyConnection, path: Path, staging: str, kinds: Mapping[str, str]
) -> None:
    """Read again, with the types of columns given by name."""
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in kinds.items())
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {staging} AS SELECT * FROM read_json_auto("
        f"{literal(str(path))}, columns={{{columns}}}, {_options(path)})"
    )


def _options(path: Path) -> str:
    largest = max(16 << 20, min(_LARGEST_OBJECT, path.stat().st_size + 1))
    return f"maximum_object_size={largest}, map_inference_threshold=-1, compression='uncompressed'"


def _with_all_digits(kind: DuckDBPyType) -> str:
    """The type with JSON for DOUBLE, which whole numbers beyond 64 bits are taken for."""
    if kind.id == "double":
        return "JSON"
    if kind.id == "list":
        inner = kind.children[0][1]
        return f"{_with_all_digits(inner)}[]" if isinstance(inner, DuckDBPyType) else str(kind)
    if kind.id == "struct":
        members = ", ".join(
            f"{quoted(name)} {_with_all_digits(inner)}"
            for name, inner in kind.children
            if isinstance(inner, DuckDBPyType)
        )
        return f"STRUCT({members})"
    return str(kind)


def _has_long_numbers(path: Path) -> bool:
    """Whether there are more digits in a row than 64 bits hold for sure."""
    with path.open("rb") as file:
        end = b""
        while chunk := file.read(_CHUNK):
            piece = (end + chunk).translate(_DIGITS)
            if _BEYOND_64_BITS in piece:
                return True
            end = piece[-len(_BEYOND_64_BITS) :]
    return False


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
    return f"{describe_error(error, path)}."


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
