"""Keeps what does not fit: in a table beside the data, counted, with line and reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path

from mesh.errors import SOURCE_EMPTY, SOURCE_NOT_READABLE, AssayError
from services.executor.domain.doubt import Doubt, Use
from services.executor.sources.building import Building
from services.executor.sources.delimited.judged import shortened
from services.executor.sources.delimited.places import lines_at
from services.executor.sources.sql import count, literal

REJECTED_TABLE = "_assay_rejected"
_LINES = "_assay_lines"
_ROWS_AT_ONCE = 1_000
_SHOWN = 3
# Of a hundred rows one that is aside is enough for an answer not to be told as sure.
_REJECTED, _REJECTED_SHARE = 0.15, 50.0
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


def keep_rejects(building: Building, table: str, path: Path) -> int:
    """Keep what the reader rejected since `drop_rejects`; returns how many rows are aside.

    The reader counts rows, not lines, but knows the byte that each begins at.
    """
    blank = "length(csv_line) - length(ltrim(csv_line, chr(10) || chr(13)))"
    begins = f"line_byte_position - 1 + {blank}"
    places = [
        place
        for (place,) in building.connection.execute(
            f"SELECT DISTINCT {begins} AS place FROM reject_errors ORDER BY place"
        ).fetchall()
    ]
    if not places:
        return count_rejected_rows(building, table)
    building.connection.execute(f"CREATE OR REPLACE TEMP TABLE {_LINES}(place BIGINT, line BIGINT)")
    numbered = zip(places, lines_at(path, places), strict=True)
    _insert(building, _LINES, (f"({place}, {line})" for place, line in numbered))
    cases = " ".join(f"WHEN {literal(k)} THEN {literal(v)}" for k, v in _REASONS.items())
    building.connection.execute(
        f"INSERT INTO {REJECTED_TABLE} SELECT {literal(table)}, any_value(lines.line), '', "
        f"CASE any_value(error_type)::VARCHAR {cases} ELSE lower(any_value(error_type)::VARCHAR) "
        "END, ltrim(any_value(csv_line), chr(10) || chr(13)) "
        f"FROM reject_errors JOIN {_LINES} AS lines ON place = {begins} GROUP BY place "
        "ORDER BY place"
    )
    return count_rejected_rows(building, table)


def keep_cells(
    building: Building, table: str, column: str, cells: Mapping[int, str], reason: str
) -> None:
    """Keep cells aside, by the lines of their rows, which stay."""
    of, why = literal(table), f"{literal(column)}, {literal(reason)}"
    rows = (f"({of}, {line}, {why}, {literal(text)})" for line, text in cells.items())
    _insert(building, REJECTED_TABLE, rows)


def _insert(building: Building, table: str, rows: Iterable[str]) -> None:
    """Insert rows given as SQL: lists as parameters would load pandas, half a second's work."""
    remaining = iter(rows)
    while some := list(islice(remaining, _ROWS_AT_ONCE)):
        building.connection.execute(f"INSERT INTO {table} VALUES {', '.join(some)}")


def list_rejected_lines(building: Building, table: str, first_line: int) -> list[int]:
    """The lines of whole rows that were kept aside, from a line on, in order."""
    rows = building.connection.execute(
        f"SELECT DISTINCT line FROM {REJECTED_TABLE} WHERE table_name = {literal(table)} "
        f"AND column_name = '' AND line >= {first_line} ORDER BY line"
    ).fetchall()
    return [line for (line,) in rows]


def count_rejected_rows(building: Building, table: str) -> int:
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


def note_rows(
    building: Building, table: str, numbers: Collection[int] = (), rows: int | None = None
) -> str:
    """Note the rows kept aside, if any; returns the lines and reasons of the first. Beside so many
    `rows` they are a doubt, which weighs as much as they are many.

    Rows whose lines were `told` already are left out.
    """
    which = f"FROM {REJECTED_TABLE} WHERE table_name = {literal(table)} AND column_name = ''"
    if numbers:
        which += f" AND line NOT IN ({', '.join(map(str, numbers))})"
    number = count(building.connection, f"SELECT count(*) {which}")
    if not number:
        return ""
    first = building.connection.execute(
        f"SELECT line, reason {which} ORDER BY line LIMIT {_SHOWN}"
    ).fetchall()
    shown = ", ".join(f"line {line:,} ({reason})" for line, reason in first)
    text = f"{number:,} {'row does' if number == 1 else 'rows do'} not fit the table and " + (
        f"{'is' if number == 1 else 'are'} kept aside: {shown}{', …' if number > _SHOWN else ''}"
    )
    building.note(text)
    if rows is not None:
        of = f"{number:,} of {rows + number:,} rows"
        share = number / (rows + number)
        building.doubts.append(
            Doubt(
                code="rows-aside",
                table=table,
                rows=number,
                share=share,
                examples=tuple(reason for _, reason in first),
                said=f"{of} do not fit the table and are kept aside",
                changes="counts and sums lack them",
                uses=(Use.ROWS, Use.COMPUTED),
                weight=min(1.0, _REJECTED + share * _REJECTED_SHARE),
            )
        )
    return shown


def refuse_if_nothing_fits(staged: Path, table: str, building: Building) -> None:
    """Raise AssayError where no row was read: SOURCE_NOT_READABLE where some are aside,
    SOURCE_EMPTY where there is only a header."""
    row = building.connection.execute(
        f"SELECT count(*) FROM read_parquet({literal(str(staged))})"
    ).fetchone()
    if row and row[0]:
        return
    first = note_rows(building, table)
    if first:
        raise AssayError(
            SOURCE_NOT_READABLE,
            f"{building.label}: no row fits the header; the first that fail: {first}.",
            hint="Set the delimiter, or repair the file.",
        )
    raise AssayError(SOURCE_EMPTY, f"{building.label} has a header and no rows.")
