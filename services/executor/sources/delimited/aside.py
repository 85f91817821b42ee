"""Keeps what does not fit: in a table beside the data, counted, with line and reason."""

from __future__ import annotations

from collections.abc import Collection

from services.executor.sources.building import Building
from services.executor.sources.delimited.judged import shortened
from services.executor.sources.sql import count, literal

REJECTED_TABLE = "_assay_rejected"
_SHOWN = 3
_REASONS = {
    "TOO MANY COLUMNS": "more cells than the header has names",
    "MISSING COLUMNS": "fewer cells than the header has names",
    "UNQUOTED VALUE": "a quote that does not close, or text after it",
    "LINE SIZE OVER MAXIMUM": "longer than 4 MiB",
    "INVALID ENCODING": "bytes that are no text",
}


def prepare(building: Building) -> None:
    """Create the table once for a source."""
    building.connection.execute(
        f"CREATE TABLE IF NOT EXISTS {REJECTED_TABLE}(table_name VARCHAR, line BIGINT, "
        "column_name VARCHAR, reason VARCHAR, content VARCHAR)"
    )


def keep_line(building: Building, table: str, line: int, reason: str, content: str) -> None:
    """Keep a whole line aside."""
    building.connection.execute(
        f"INSERT INTO {REJECTED_TABLE} VALUES (?, ?, '', ?, ?)", [table, line, reason, content]
    )


def keep_rejects(building: Building, table: str, *, after: int) -> int:
    """Keep what the reader rejected since `drop_rejects`; returns how many rows there are.

    `after` is added to the reader's line numbers.
    """
    cases = " ".join(f"WHEN {literal(k)} THEN {literal(v)}" for k, v in _REASONS.items())
    building.connection.execute(
        f"INSERT INTO {REJECTED_TABLE} SELECT {literal(table)}, line + {after}, '', "
        f"CASE any_value(error_type)::VARCHAR {cases} ELSE lower(any_value(error_type)::VARCHAR) "
        "END, ltrim(any_value(csv_line), chr(10) || chr(13)) "
        "FROM reject_errors GROUP BY line ORDER BY line"
    )
    return rows_aside(building, table)


def keep_cells(building: Building, table: str, column: str, query: str, reason: str) -> None:
    """Keep cells aside whose rows stay; the query gives line and text."""
    building.connection.execute(
        f"INSERT INTO {REJECTED_TABLE} SELECT {literal(table)}, line, {literal(column)}, "
        f"{literal(reason)}, content FROM ({query}) AS cells(line, content) ORDER BY line"
    )


def line_of_row(table: str, first_line: int, row: object) -> str:
    """SQL: the line of a row, which is a number, or SQL for one, among those that were read."""
    before = (
        f"(SELECT count(*) FROM {REJECTED_TABLE} WHERE table_name = {literal(table)} "
        f"AND column_name = '' AND line <= {row} + {first_line})"
    )
    return f"{row} + {first_line} + {before}"


def rows_aside(building: Building, table: str) -> int:
    """How many whole rows were kept aside."""
    return count(
        building.connection,
        f"SELECT count(*) FROM {REJECTED_TABLE} WHERE table_name = {literal(table)} "
        "AND column_name = ''",
    )


def drop_rejects(building: Building) -> None:
    """Forget what the reader rejected so far."""
    for name in ("reject_errors", "reject_scans"):
        building.connection.execute(f"DROP TABLE IF EXISTS {name}")


def note_cells(building: Building, table: str, column: str) -> None:
    """Note the cells kept aside of a column, with line and text of the first."""
    number, line, content = building.connection.execute(
        f"SELECT count(*), min(line), arg_min(content, line) FROM {REJECTED_TABLE} "
        f"WHERE table_name = {literal(table)} AND column_name = {literal(column)}"
    ).fetchall()[0]
    building.note(
        f"column {column} has {number:,} {'cell that is' if number == 1 else 'cells that are'} no "
        f'such value and kept aside, first "{shortened(content)}" in line {line:,}',
        column=column,
    )


def note_rows(building: Building, table: str, told: Collection[int] = ()) -> str:
    """Note the rows kept aside, if any; returns the lines and reasons of the first.

    Rows whose lines were `told` already are left out.
    """
    which = f"FROM {REJECTED_TABLE} WHERE table_name = {literal(table)} AND column_name = ''"
    if told:
        which += f" AND line NOT IN ({', '.join(map(str, told))})"
    number = count(building.connection, f"SELECT count(*) {which}")
    if not number:
        return ""
    first = building.connection.execute(
        f"SELECT line, reason {which} ORDER BY line LIMIT {_SHOWN}"
    ).fetchall()
    shown = ", ".join(f"line {line:,} ({reason})" for line, reason in first)
    building.note(
        f"{number:,} {'row does' if number == 1 else 'rows do'} not fit the table and "
        f"{'is' if number == 1 else 'are'} kept aside: {shown}{', …' if number > _SHOWN else ''}"
    )
    return shown
