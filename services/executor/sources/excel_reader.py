"""Workbooks: every sheet is a table, found in it like a table in a text file."""

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
from services.executor.sources.sql import table_name

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
        sheets = [(name, workbook.get_sheet_by_name(name).to_python()) for name in names]
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise unsound(building, error) from None
    filled = [(name, rows) for name, rows in sheets if any(any(map(_text, row)) for row in rows)]
    label, prefix = building.label, building.prefix
    found = 0
    for name, rows in filled:
        building.label = f"{label}, sheet {name}"
        wanted = table if len(filled) == 1 else building.free_name(table_name(name))
        building.prefix = prefix if len(filled) == 1 else f"{wanted}: "
        try:
            read_csv(_as_text(rows, building), wanted, _reading(options), building)
            found += 1
        except AssayError as error:
            if error.reason is not SOURCE_EMPTY or len(filled) == 1:
                raise
            building.prefix = prefix
            building.note(f"the sheet {name} holds no table and is left out")
    building.label, building.prefix = label, prefix
    if not found:
        raise AssayError(SOURCE_EMPTY, f"{label} has no sheet with a table.")


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
        csv.writer(file, lineterminator="\n").writerows(
            [_text(cell) for cell in row] for row in rows
        )
    return target


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
