"""CSV and TSV as they are in the wild: one pass of DuckDB's reader, nothing lost in silence."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import duckdb

from mesh.errors import INVALID_ARGUMENT, SOURCE_EMPTY, AssayError
from mesh.text.total_labels import may_hold_totals
from services.executor.domain.source import ReaderOptions
from services.executor.doubts.zones import zone_doubt
from services.executor.sources.building import Building
from services.executor.sources.delimited import rejected_rows
from services.executor.sources.delimited.damage import (
    LONGEST_LINE,
    lines_from,
    without_long_lines,
    without_open_quotes,
)
from services.executor.sources.delimited.dates import zoned
from services.executor.sources.delimited.dialect import Dialect, find_dialect, records
from services.executor.sources.delimited.edges import (
    SAMPLE_ROWS,
    counted,
    ends_of,
    head_of,
    keep_ends,
    rows_between,
    sampled_records,
    tail_of,
    without_comments,
    without_end,
    without_head,
)
from services.executor.sources.delimited.evened import evened
from services.executor.sources.delimited.judged import applied
from services.executor.sources.delimited.judging import Judge
from services.executor.sources.delimited.layout import Layout, find_layout, modal_width
from services.executor.sources.delimited.nothing import columns_of_nothing
from services.executor.sources.delimited.places import Places
from services.executor.sources.delimited.plain import Plain, fits, strict_cast
from services.executor.sources.delimited.planning import Plan, plan_columns
from services.executor.sources.delimited.strays import without_strays
from services.executor.sources.delimited.telling import tell_layout, tell_missing, tell_types
from services.executor.sources.delimited.unread import left_unread
from services.executor.sources.delimited.wanted import (
    cells_of,
    columns_of,
    columns_read,
    units_of,
)
from services.executor.sources.encoding import as_utf8
from services.executor.sources.offsets import as_written, written
from services.executor.sources.sql import count, literal, quoted

_BUFFER = 2 * LONGEST_LINE  # the engine's own choice is eight times as much, for each thread
_ATTEMPTS = 3


def read_csv(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store a delimited file as one table; what was decided goes into `building`.

    Rows with too many or too few cells, lines after the table, and cells that are not of their
    column's kind are kept in `_assay_rejected`. Raises AssayError: SOURCE_EMPTY with no rows,
    SOURCE_NOT_READABLE when no row fits the header, INVALID_ARGUMENT for options that name what
    is not there.
    """
    csv.field_size_limit(LONGEST_LINE)
    rejected_rows.prepare(building)
    text = as_utf8(
        path,
        building.label,
        options.encoding,
        building.scratch(f"{table}.txt"),
        lambda line, content: rejected_rows.keep_line(
            building, table, line, "bytes that are no UTF-8", content
        ),
    )
    if text.note:
        building.note(text.note)
    building.decide(table, "encoding", text.encoding)
    path = without_long_lines(text.path, table, building)
    found = _find(path, table, options, building)
    staged = _stage(found, building)
    if _has_lost_lines(found, staged, building):
        first, width = found.layout.first_line, len(found.columns)
        path = without_open_quotes(found.path, table, found.dialect, width, first, building)
        if path != found.path:
            found.path = path
            staged = _stage(found, building)
    rejected = rejected_rows.keep_rejects(building, table, found.path)
    rejected_rows.refuse_if_nothing_fits(staged, table, building)
    if not options.raw and not found.passed_over:
        found.empty = columns_of_nothing(found.stored, found.layout, staged, table, building)
    file = _judged(found, staged, table, options, building)
    comments = {name: f"unit: {unit}" for name, unit in found.units.items()}
    if found.layout.joined and found.layout.headings and (more := found.layout.headings.remarks):
        pairs = zip(found.columns, more, strict=False)
        comments |= {n: text for n, text in pairs if text and n not in found.passed_over}
    stored = building.enter_file(table, file, rejected=rejected, comments=comments)
    rejected_rows.note_rows(building, table, numbers=(*found.ends, *found.strays), rows=stored.rows)


@dataclass
class _Found:
    """A text with what was found out about it; `ends` are the lines after its table, `strays` those
    in it that are no rows and blank now, `lines` how many there are from the first row on,
    `passed_over` the columns that are not to be read, `unread` those that nothing asks for yet."""

    path: Path
    dialect: Dialect
    layout: Layout
    columns: tuple[str, ...]
    plan: Plan
    units: dict[str, str]
    pad: bool
    ends: tuple[int, ...]
    as_written: frozenset[str]
    strays: tuple[int, ...]
    lines: int = 0
    empty: tuple[str, ...] = ()
    passed_over: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns without those that delimiters at every line's end would make."""
        columns = self.columns[:-1] if self.layout.ghost else self.columns
        left_out = self.passed_over.union(self.empty, self.unread)
        return tuple(column for column in columns if column not in left_out)


def _find(path: Path, table: str, options: ReaderOptions, building: Building) -> _Found:
    head, complete = head_of(path)
    dialect = find_dialect(head, options)
    rows = sampled_records(head, dialect, building.label)
    if not rows:
        raise AssayError(SOURCE_EMPTY, f"{building.label} holds no columns.")
    building.check_width(modal_width(rows), some=bool(options.only))
    layout = find_layout(rows, options)
    tell_layout(table, dialect, layout, options, building)
    columns = columns_of(layout, building)
    kept = columns_read(columns, table, options, building)
    unknown = [*(options.types.keys() - set(columns))]
    if unknown:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{building.label} has no column {unknown[0]!r}; it has {', '.join(columns[:20])}.",
            fields={"read_options.types": "unknown column"},
        )
    whole = complete and len(rows) <= SAMPLE_ROWS
    every = rows
    if complete and not whole and may_hold_totals(head):
        every = list(records(head, dialect, building.label))
    path = evened(path, dialect, building)
    path, strays = without_strays(path, table, dialect, layout, every, options, building)
    rows = [row for row in rows if row.line not in strays]
    tail = rows if whole else tail_of(path, dialect)
    ends = ends_of(tail, layout, options, complete=whole)
    data = [r for r in rows if r.line >= layout.first_line]
    if ends:
        cut = {row.cells for row, _ in ends}
        data = [row for row in data if row.cells not in cut]
        ends = ends if whole else counted(ends, path)
        keep_ends(ends, table, building)
        path = without_end(path, len(ends), building)
    if layout.comment:
        path = without_comments(path, layout, building)
    path = without_head(path, dialect, layout, building)
    sampled = data if whole else (*data, *tail)
    cells = cells_of(kept, columns, sampled)
    plan = plan_columns(kept, cells, options, building, semicolons=dialect.delimiter == ";")
    tell_missing(plan, table, building)
    units = units_of(kept, columns, layout)
    unread = frozenset[str]()
    if building.asked and not whole and not options.types and kept == columns and not layout.ghost:
        between = rows_between(path, dialect, len(columns))
        unread = left_unread(columns, [*cells, *between], plan, units, table, building)
    lines = tuple(row.line for row, _ in ends)
    return _Found(
        path,
        dialect,
        layout,
        columns,
        plan,
        units,
        options.pad_short_rows,
        lines,
        as_written(options),
        strays,
        passed_over=frozenset(columns).difference(kept),
        unread=unread,
    )


def _stage(found: _Found, building: Building) -> Path:
    """The rows as a Parquet file: plain columns read, the others as text."""
    staged = building.scratch(f"{len(building.tables)}.parquet")
    found.lines = lines_from(found.path, found.layout.first_line)
    for attempt in range(_ATTEMPTS):
        rejected_rows.drop_rejects(building)
        plain = found.plan.plain
        selected = ", ".join(
            f"{strict_cast(plain[column], column, as_written=column in found.as_written)} "
            f"AS {quoted(column)}"
            for column in found.stored
        )
        try:
            rows = f"SELECT {selected} FROM {_scan(found)}"
            building.write_parquet(rows, staged, rows=found.lines)
            unfit = _endless(found, staged, building)
            if not unfit:
                return staged
        except (
            duckdb.ConversionException,
            duckdb.InvalidInputException,
            duckdb.OutOfRangeException,
        ):
            unfit = _unfit(found, building)
            if not unfit or attempt == _ATTEMPTS - 1:
                raise
        found.plan.demote(unfit)
    raise AssertionError("every attempt returns or raises")


def _has_lost_lines(found: _Found, staged: Path, building: Building) -> bool:
    """Whether there are more lines than rows: cells have line breaks, or a quote does not close."""
    if not found.dialect.quote:
        return False
    rows = count(building.connection, f"SELECT count(*) FROM read_parquet({literal(str(staged))})")
    kept = count(building.connection, "SELECT count(DISTINCT line) FROM reject_errors")
    return found.lines - len(found.strays) > rows + kept


def _endless(found: _Found, staged: Path, building: Building) -> list[str]:
    """The columns of decimals where a cast took words such as nan or inf for numbers."""
    decimals = [column for column, kind in found.plan.plain.items() if kind is Plain.DECIMAL]
    if not decimals:
        return []
    terms = ", ".join(f"bool_or(NOT isfinite({quoted(column)}))" for column in decimals)
    row = building.connection.execute(
        f"SELECT {terms} FROM read_parquet({literal(str(staged))})"
    ).fetchone()
    return [column for column, some in zip(decimals, row or (), strict=True) if some]


def _unfit(found: _Found, building: Building) -> list[str]:
    """The columns with a cell that their cast does not take."""
    plain = [column for column, kind in found.plan.plain.items() if kind is not Plain.TEXT]
    if not plain:
        return []
    rejected_rows.drop_rejects(building)
    terms = ", ".join(
        f"bool_and(coalesce({fits(found.plan.plain[column], quoted(column))}, true))"
        for column in plain
    )
    row = building.connection.execute(f"SELECT {terms} FROM {_scan(found)}").fetchone() or ()
    return [column for column, all_fit in zip(plain, row, strict=True) if not all_fit]


def _scan(found: _Found) -> str:
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in found.columns)
    missing = ", ".join(map(literal, ("", *found.plan.missing)))
    dialect = found.dialect
    return (
        f"read_csv({literal(str(found.path))}, auto_detect=false, columns={{{columns}}}, "
        f"delim={literal(dialect.delimiter)}, quote={literal(dialect.quote)}, "
        f"escape={literal(dialect.escape)}, header=false, skip={found.layout.first_line - 1}, "
        f"compression='none', nullstr=[{missing}], max_line_size={LONGEST_LINE}, "
        f"buffer_size={_BUFFER}, store_rejects=true, rejects_limit=0"
        + (", null_padding=true, parallel=false" if found.pad else "")
        + ")"
    )


def _judged(
    found: _Found, staged: Path, table: str, options: ReaderOptions, building: Building
) -> str:
    """Read the columns that are text so far; returns the file's name in the folder."""
    file = f"{len(building.tables)}.parquet"
    first = found.layout.first_line
    rejected = {*rejected_rows.list_rejected_lines(building, table, first), *found.strays}
    cut = sorted(rejected.difference(found.ends))
    rows = count(building.connection, f"SELECT count(*) FROM read_parquet({literal(str(staged))})")
    places = Places(found.path, found.dialect, first, len(found.columns), rows, cut)
    judge = Judge(
        building,
        table,
        staged,
        options,
        places,
        comma=found.plan.comma,
        commas_part=found.dialect.delimiter == ",",
        zoned=found.plan.zoned,
    )
    judged = judge.judge(found.plan.judged)
    for column, read in judged.items():
        if read.unit and column not in found.units:
            found.units[column] = read.unit
    for column, cells in judge.unfit.items():
        rejected_rows.keep_cells(building, table, column, cells, "not of the column's kind")
        rejected_rows.note_cells(building, table, column)
    found.plan.doubts |= judge.doubts
    _doubt_zones(found, table, building)
    tell_types(found.stored, found.plan, judged, options, table, building)
    if not judged and not found.empty:
        staged.rename(building.folder / file)
        return file
    building.write_parquet(
        applied(judged, found.stored, staged, sorted(judge.marks)), building.folder / file
    )
    staged.unlink()
    return file


def _doubt_zones(found: _Found, table: str, building: Building) -> None:
    """Say in whose days moments with offsets are counted, of columns that a cast reads; their texts
    are read again, as the table has none of them."""
    for column in sorted(found.plan.zoned - found.as_written):
        if found.plan.plain.get(column) is Plain.MOMENT:
            cells = f"(SELECT {quoted(column)} AS v FROM {_scan(found)})"
            doubt = zone_doubt(table, column, written(building.connection, cells, zoned("v")))
            building.doubts += [doubt] if doubt is not None else []
