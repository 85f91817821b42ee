"""Keeps what does not fit: in a table beside the data, counted, with line and reason."""

from __future__ import annotations

from services.executor.sources.building import Building
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


def note_rows(building: Building, table: str) -> str:
    """Note the rows kept aside, if any; returns the lines and reasons of the first."""
    number = rows_aside(building, table)
    if not number:
        return ""
    first = building.connection.execute(
        f"SELECT line, reason FROM {REJECTED_TABLE} WHERE table_name = {literal(table)} "
        f"AND column_name = '' ORDER BY line LIMIT {_SHOWN}"
    ).fetchall()
    shown = ", ".join(f"line {line:,} ({reason})" for line, reason in first)
    building.note(
        f"{number:,} {'row does' if number == 1 else 'rows do'} not fit the table and "
        f"{'is' if number == 1 else 'are'} kept aside: {shown}{', …' if number > _SHOWN else ''}"
    )
    return shown
