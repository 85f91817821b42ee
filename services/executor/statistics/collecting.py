"""Figures from the frames of earlier steps, as rows that say what each is."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.executor.statistics.figures import Cell, FigureArguments, Rule

SCHEMA = pa.schema(
    [
        ("about", pa.string()),
        ("statistic", pa.string()),
        ("value", pa.float64()),
        ("text", pa.string()),
        ("asked", pa.string()),
        ("exact", pa.float64()),
    ]
)
_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


_Row = tuple[str, str, float | None, str, str, float | None]


def collect(figures: Sequence[FigureArguments], context: ToolContext) -> ToolResult:
    """The frame of figures. Raises ToolError for a cell that is not there."""
    rows: list[_Row] = []
    notes: list[str] = []
    for figure in figures:
        for label, value in _values(figure, context):
            rows.append(_row(figure, label, value, notes))
    frame = pa.Table.from_pylist(
        [dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA
    )
    text = f"{len(rows)} figure{'' if len(rows) == 1 else 's'}"
    return ToolResult(frame=frame, summary=text, notes=tuple(dict.fromkeys(notes)))


def _values(figure: FigureArguments, context: ToolContext) -> list[tuple[str, Any]]:
    if not figure.each:
        value = _cell(figure.cell, context)
        if figure.minus is not None:
            value = _number(value, figure) - _number(_cell(figure.minus, context), figure)
        return [(figure.label, value)]
    frame = _frame(figure.cell, context)
    names, values = (_column(frame, name) for name in (figure.each, figure.cell.column))
    return [
        (f"{figure.label} of {_plain(name)}", _times(value, figure.cell))
        for name, value in zip(names, values, strict=True)
    ]


def _row(figure: FigureArguments, label: str, value: Any, notes: list[str]) -> _Row:
    number = float(value) if _is_number(value) else None
    if number is not None and figure.absolute:
        number = abs(number)
    if figure.rule is not None:
        if number is None:
            raise _unfit(f"{label} is no number, so nothing can be said of it by a limit.")
        return _build_row(figure, label, None, _judged(figure.rule, number), None)
    if number is None:
        if value is None or isinstance(value, float | int):
            notes.append(f"There is no {label}: no row has a value.")
            return _build_row(figure, label, None, "none", None)
        text = _plain(value).replace(figure.without, "") if figure.without else _plain(value)
        return _build_row(figure, label, None, text, None)
    shown = number if figure.decimals is None else float(round(number, figure.decimals))
    if shown == 0 and number != 0:
        notes.append(f"{label} is {number:.3g}, which rounds to nought.")
        shown = 0.0
    whole = figure.decimals is None and shown.is_integer() and abs(shown) < 1e15
    text = (
        f"{int(shown)}"
        if whole
        else (f"{shown:.10g}" if figure.decimals is None else f"{shown:.{figure.decimals}f}")
    )
    return _build_row(figure, label, shown, text, number)


def _judged(rule: Rule, number: float) -> str:
    return rule.yes if _COMPARISONS[rule.comparison](number, rule.limit) else rule.no


def _build_row(
    figure: FigureArguments, label: str, value: float | None, text: str, exact: float | None
) -> _Row:
    asked = f"@{figure.name}[{text}]" if figure.name else ""
    return figure.name, label, value, text, asked, exact


def _cell(cell: Cell, context: ToolContext) -> Any:
    frame = _frame(cell, context)
    columns = {name: _column(frame, name) for name in (*cell.where, cell.column)}
    fitting = [
        row
        for row in range(frame.num_rows)
        if all(str(columns[name][row]) == text for name, text in cell.where.items())
    ]
    if cell.row >= len(fitting):
        if not frame.num_rows:
            raise _unfit("no row is left to tell a figure of.")
        what = ", ".join(cell.where.values()) or f"row {cell.row + 1}"
        raise _unfit(f"the step {cell.input} tells no {what}.")
    return _times(columns[cell.column][fitting[cell.row]], cell)


def _times(value: Any, cell: Cell) -> Any:
    return value * cell.times if cell.times != 1 and _is_number(value) else value


def _frame(cell: Cell, context: ToolContext) -> pa.Table:
    if cell.input not in context.inputs:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no frame of a step {cell.input}.",
            details={"candidates": sorted(context.inputs)},
        )
    return context.inputs[cell.input]


def _column(frame: pa.Table, name: str) -> list[Any]:
    if name not in frame.column_names:
        raise ToolError(
            ErrorCategory.MISSING_COLUMN,
            f"the frame has no column {name}.",
            details={"column": name, "candidates": list(frame.column_names)},
        )
    values: list[Any] = frame.column(name).to_pylist()
    return values


def _is_number(value: Any) -> bool:
    if isinstance(value, Decimal):
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(value: Any, figure: FigureArguments) -> float:
    if not _is_number(value):
        raise _unfit(f"{figure.label} cannot be worked out: one of its numbers is missing.")
    return float(value)


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _unfit(message: str) -> ToolError:
    return ToolError(ErrorCategory.INVALID_ARGUMENTS, message)
