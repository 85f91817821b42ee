"""When the rows of a metric happened: which column tells it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from mesh.errors import NO_TIME_COLUMN, AssayError
from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.reader.times.dates import main_date
from services.planner.domain.semantics.kinds import is_time

_PARTS = ("year", "month", "day")


@dataclass(frozen=True, slots=True)
class TimeOfRows:
    """The column as it is called, and as SQL of one row that gives a date or a moment.

    `columns` are those that it is made of, as table and column; `said` tells what was taken for
    granted.
    """

    name: str
    sql: str
    columns: tuple[tuple[str, str], ...]
    first: str = ""
    last: str = ""
    note: str = ""


def time_of(
    catalogue: Catalogue,
    base: str,
    wanted: str,
    periods: tuple[DateRange, ...],
    near: set[str],
) -> TimeOfRows:
    """The time of the rows of `base`; `near` are the tables of which each row has one. Of several,
    the one that covers all of `periods` is taken; of these the one that belongs to a row, as any
    question goes by it.

    Raises AssayError(NO_TIME_COLUMN) where there is none, or several between which nothing tells.
    """
    tables = [t for t in catalogue.tables if t.name == base]
    tables += [t for t in catalogue.tables if t.name in near and t.name != base]
    if not wanted:
        wanted = tables[0].time_column
    if wanted:
        return _named(wanted, tables)
    for some in ([tables[0]], tables[1:]):
        found = [(t, c) for t in some for c in t.stored if is_time(c)]
        chosen = _chosen(found, periods, main_date(catalogue, graph_of(catalogue), base, ()))
        if chosen is not None:
            return chosen
        parts = [made for table in some if (made := _of_parts(table)) is not None]
        if parts:
            return parts[0]
    raise AssayError(
        NO_TIME_COLUMN,
        f"no column of {_called(tables[0], catalogue)} tells when its rows happened",
        fields={"investigation.time_column": "no column holds dates"},
    )


def _named(wanted: str, tables: list[Table]) -> TimeOfRows:
    owner, _, name = wanted.rpartition(".")
    found = [
        (table, column)
        for table in tables
        for column in table.stored
        if _plain(column.name) == _plain(name or wanted)
        and (not owner or _plain(owner) in (_plain(table.name), _plain(table.source_name)))
    ]
    if not found:
        there = [c.name for t in tables for c in t.stored if is_time(c)]
        held = f"; dates are in {', '.join(there)}" if there else "; no column holds dates"
        raise AssayError(
            NO_TIME_COLUMN,
            f"there is no column {wanted!r} that could tell the time of the rows{held}",
            fields={"investigation.time_column": "unknown"},
        )
    table, column = found[0]
    if not is_time(column):
        raise AssayError(
            NO_TIME_COLUMN,
            f"{column.name} of {table.source_name} holds no dates",
            fields={"investigation.time_column": "must hold dates"},
        )
    return _of_column(table, column)


def _called(table: Table, catalogue: Catalogue) -> str:
    """A table by its source, or by its own name where the source has several."""
    alone = sum(other.source_name == table.source_name for other in catalogue.tables) == 1
    return table.source_name if alone else table.name


def _chosen(
    found: list[tuple[Table, Column]], periods: tuple[DateRange, ...], main: Field | None
) -> TimeOfRows | None:
    """The only one, the only one whose days cover both periods, or of these the `main` one; None
    where there is none."""
    if not found:
        return None
    covering = [pair for pair in found if _covers(pair[1], periods)]
    kept = covering or found
    why = "it covers both periods" if len(kept) < len(found) else "its rows go by that day"
    if main is not None and len(kept) > 1:
        kept = [p for p in kept if (p[0].name, p[1].name) == (main.table, main.column)] or kept
    if len(kept) > 1:
        kept = [pair for pair in kept if not pair[1].nullable or pair[1].nulls == 0] or kept
    if len(kept) == 1:
        others = [column.name for _, column in found if column is not kept[0][1]]
        time_of_rows = _of_column(*kept[0])
        if not others:
            return time_of_rows
        from dataclasses import replace

        return replace(
            time_of_rows, note=f"the time is {time_of_rows.name}, not {', '.join(others)}: {why}"
        )
    names = ", ".join(f"{table.name}.{column.name}" for table, column in kept)
    raise AssayError(
        NO_TIME_COLUMN,
        f"several columns tell a time: {names}",
        hint="Say which: --time COLUMN (time_column in a request), or name it in a semantic model.",
        fields={"investigation.time_column": f"one of {names}"},
    )


def _covers(column: Column, periods: tuple[DateRange, ...]) -> bool:
    if not periods or not column.minimum or not column.maximum:
        return False
    low, high = column.minimum[:10], column.maximum[:10]
    return all(
        low <= period.end.isoformat() and high >= period.start.isoformat() for period in periods
    )


def _of_column(table: Table, column: Column) -> TimeOfRows:
    node = exp.column(column.name, table=table.name, quoted=True)
    sql = node.sql(dialect="duckdb")
    if column.data_type not in (DataType.DATE, DataType.DATETIME):
        sql = f"TRY_CAST({sql} AS TIMESTAMP)"
    place = ((table.name, column.name),)
    return TimeOfRows(column.name, sql, place, column.minimum or "", column.maximum or "")


def _of_parts(table: Table) -> TimeOfRows | None:
    """A date of its year, month and day, where the table tells it by these."""
    parts = {
        part: next((c for c in table.stored if _plain(c.name) == part), None) for part in _PARTS
    }
    year = parts["year"]
    if year is None:
        return None
    used = [column for part in _PARTS if (column := parts[part]) is not None]
    if parts["month"] is None:
        used = [year]
    nodes = [exp.column(c.name, table=table.name, quoted=True) for c in used]
    texts = [f"CAST({node.sql(dialect='duckdb')} AS INTEGER)" for node in nodes]
    texts += ["1"] * (3 - len(texts))
    first, last = year.minimum or "", year.maximum or ""
    return TimeOfRows(
        name=" ".join(c.name for c in used),
        sql=f"MAKE_DATE({', '.join(texts)})",
        columns=tuple((table.name, c.name) for c in used),
        first=f"{first.partition('.')[0]}-01-01" if first else "",
        last=f"{last.partition('.')[0]}-12-31" if last else "",
    )


def _plain(name: str) -> str:
    return " ".join(words_of(name)).casefold() or name.casefold()
