"""Workbooks: every sheet is a table or several, found in it like a table in a text file."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Sequence
from pathlib import Path

import python_calamine

from mesh.errors import (
    INVALID_ARGUMENT,
    SOURCE_EMPTY,
    AssayError,
)
from services.executor.domain.source import ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.delimited.reader import read_csv
from services.executor.sources.excel_size import check_size, unsound
from services.executor.sources.settling import settled
from services.executor.sources.sql import table_name
from services.executor.sources.workbooks.doubting import (
    doubt_of_days,
    doubt_of_merged,
    doubt_of_parts,
)
from services.executor.sources.workbooks.grid import (
    Cells,
    day_numbers,
    fill_merged,
    make_days,
    merged_down,
)
from services.executor.sources.workbooks.parts import Part, parts_of

_SHEET = {"delimiter": ",", "quote": '"', "escape": '"', "encoding": "utf-8"}


def read_excel(path: Path, table: str, options: ReaderOptions, building: Building) -> None:
    """Store every visible sheet that holds a table; a single one gets the file's name.

    Formulas give the values that were stored with them. Raises AssayError: SOURCE_NOT_READABLE,
    RESOURCE_EXHAUSTED for a workbook that unpacks to too much, SOURCE_EMPTY without a table,
    INVALID_ARGUMENT for a sheet that is not there.
    """
    check_size(path, building)
    try:
        workbook = python_calamine.CalamineWorkbook.from_path(str(path))
        names = _wanted(workbook, options, building)
        sheets = [(sheet, sheet.to_python()) for sheet in map(workbook.get_sheet_by_name, names)]
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise unsound(building, error) from None
    filled = [one for one in sheets if any(any(map(_text, row)) for row in one[1])]
    label, prefix = building.label, building.prefix
    found = 0
    for sheet, rows in filled:
        building.label = f"{label}, sheet {sheet.name}"
        wanted = table if len(filled) == 1 else building.free_name(table_name(sheet.name))
        cells: Cells = [list(row) for row in rows]
        _mend_cells(sheet, cells, wanted, options, building)
        parts = _parts(cells, wanted, options, building)
        for number, part in enumerate(parts):
            alone = len(filled) == len(parts) == 1
            called = wanted if not number else building.free_name(part.called or wanted)
            building.prefix = prefix if alone else f"{called}: "
            try:
                read_csv(_as_text(part.cells, building), called, _reading(options), building)
                found += 1
            except AssayError as error:
                if error.reason is not SOURCE_EMPTY or alone:
                    raise
                building.prefix = prefix
                building.note(f"the sheet {sheet.name} holds no table and is left out")
    building.label, building.prefix = label, prefix
    if not found:
        raise AssayError(SOURCE_EMPTY, f"{label} has no sheet with a table.")


def _mend_cells(
    sheet: python_calamine.CalamineSheet,
    cells: Cells,
    table: str,
    options: ReaderOptions,
    building: Building,
) -> None:
    """Fill what was merged, and make days of numbers that stand among days."""
    merged = merged_down(sheet.merged_cell_ranges or [])
    if merged and settled(doubt_of_merged(table, merged), options, building):
        building.note(doubt_of_merged(table, merged).said)
    if not options.raw:
        fill_merged(cells, sheet.merged_cell_ranges or [], sheet.start or (0, 0))
    days = day_numbers(cells)
    if days and settled(doubt_of_days(table, len(days)), options, building):
        building.note(f"{doubt_of_days(table, len(days)).said}: read as days")
        make_days(cells, days)


def _parts(cells: Cells, table: str, options: ReaderOptions, building: Building) -> list[Part]:
    """The tables on a sheet."""
    told = (options.header, options.skip_lines, options.skip_footer)
    parts = parts_of(cells) if told == (None, None, None) else []
    if len(parts) < 2:
        return [Part(cells)]
    doubt = doubt_of_parts(table, building.label, len(parts))
    if not settled(doubt, options, building):
        return [Part(cells)]
    building.note(doubt.said)
    return parts


def _wanted(
    workbook: python_calamine.CalamineWorkbook, options: ReaderOptions, building: Building
) -> list[str]:
    there = list(workbook.sheet_names)
    for name in options.sheets:
        if name not in there:
            raise AssayError(
                INVALID_ARGUMENT,
                f"{building.label} has no sheet {name!r}; it has {', '.join(there)}.",
                fields={"read_options.sheets": "unknown sheet"},
            )
    if options.sheets:
        return list(options.sheets)
    visible = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.typ == python_calamine.SheetTypeEnum.WorkSheet
        and sheet.visible == python_calamine.SheetVisibleEnum.Visible
    ]
    hidden = [name for name in there if name not in visible]
    if hidden:
        building.note("sheets left out because they are hidden or charts: " + ", ".join(hidden))
    return visible


def _as_text(rows: Sequence[Sequence[object]], building: Building) -> Path:
    """The sheet as text in a dialect that is known, to be read like any other."""
    target = building.scratch(f"sheet-{len(building.tables)}.csv")
    with target.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(_line(row) for row in rows)
    return target


def _line(row: Sequence[object]) -> list[str]:
    """The cells of a row as texts; no cell of one in which there is nothing, beside others."""
    texts = [_text(cell) for cell in row]
    return texts if any(texts) or len(texts) == 1 else []


def _text(cell: object) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, datetime.datetime):
        midnight = cell.time() == datetime.time()
        return cell.date().isoformat() if midnight else cell.isoformat(sep=" ")
    if isinstance(cell, datetime.timedelta):
        return str(cell)
    return str(cell).replace("\0", "")


def _reading(options: ReaderOptions) -> ReaderOptions:
    return options.model_copy(update=_SHEET)
