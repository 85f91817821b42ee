"""From a frame and what was asked to a finished figure, with notes on what was changed."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from services.executor.plotting import decide, from_cells, from_measures, from_rows, waterfall
from services.executor.plotting.arguments import ChartType, PlotArguments
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import Kind, column, dimension, is_numeric, numbers
from services.executor.plotting.request import Request, read_request
from services.executor.plotting.sheet import Sheet
from services.executor.plotting.text import quoted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_OF_FLAGS = 12


@dataclass(frozen=True)
class Chart:
    """A finished figure and what a reader must know about it."""

    figure: Figure
    kind: ChartType
    words: Brief
    notes: tuple[str, ...]

    def png(self) -> bytes:
        """The figure as PNG; equal figures give equal bytes."""
        buffer = io.BytesIO()
        canvas: Any = self.figure.canvas
        canvas.print_png(buffer, metadata={"Software": None})
        return buffer.getvalue()


def build_chart(table: pa.Table, arguments: PlotArguments) -> Chart:
    """Draw the frame as asked, or as another kind where that would mislead.

    Raises ToolError for absent columns, wrong types, and when nothing is left to draw.
    """
    request = read_request(table, arguments)
    kind = decide.before_reading(
        arguments.type,
        request.x,
        has_y=arguments.y_col is not None,
        has_series=request.series is not None,
        counted=arguments.x_end_col is not None,
        notes=request.notes,
    )
    words = request.words
    if kind is ChartType.WATERFALL:
        return _finished(waterfall.draw(request), kind, request, words)
    if arguments.more_cols and kind in decide.ONE_NUMBER_A_KEY and request.series is None:
        sheet = from_measures.draw_measures(request, arguments.more_cols)
    elif kind is ChartType.HISTOGRAM and request.x.kind is Kind.NUMBER:
        if from_measures.few_numbers(request):
            return _finished(from_measures.draw_few(request), ChartType.BAR, request, words)
        sheet, words = from_rows.histogram(request)
    elif kind is ChartType.HISTOGRAM:
        name = quoted(request.x.name)
        request.notes.append(f"{name} is not numeric: its rows are counted by value.")
        sheet, kind, words = _counts(request)
    elif arguments.type is ChartType.SCATTER and _is_flag_chart(request):
        request.notes.append("Drawn as counts: values that say yes or no lie on few points.")
        name = str(arguments.y_col)
        counted = replace(
            request,
            series=dimension(table, name, "flag"),
            words=replace(request.words, y_label="", series_label=request.words.y_label),
        )
        sheet, kind, words = _counts(counted)
    elif kind is ChartType.BOX:
        sheet, words = from_rows.box(request)
    elif kind is ChartType.SCATTER:
        sheet, words = from_rows.scatter(request)
    else:
        sheet, kind = from_cells.draw(request, kind)
    return _finished(sheet, kind, request, words)


def _finished(sheet: Sheet, kind: ChartType, request: Request, words: Brief) -> Chart:
    if any("□" in text for text in sheet.texts()):
        request.notes.append("Characters that the chart's font lacks are shown as □.")
    return Chart(sheet.figure, kind, words, tuple(dict.fromkeys(request.notes)))


def _counts(request: Request) -> tuple[Sheet, ChartType, Brief]:
    """Bars of how many rows there are of each value."""
    request = request.with_value_label("Number of rows")
    sheet, kind = from_cells.draw_counts(request)
    return sheet, kind, request.words


def _is_flag_chart(request: Request) -> bool:
    """Whether the numbers up are flags, and what lies across is few things."""
    name = request.arguments.y_col
    if (
        name is None
        or request.series is not None
        or not is_numeric(column(request.table, name).type)
    ):
        return False
    found = numbers(request.table, name)
    values = set(found[~np.isnan(found)].tolist())
    return values == {0.0, 1.0} and len(set(request.x.keys)) <= MOST_OF_FLAGS
