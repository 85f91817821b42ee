"""From a frame and what was asked to a finished figure, with notes on what was changed."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from services.executor.plotting import decide, from_cells, from_rows
from services.executor.plotting.arguments import ChartType, PlotArguments
from services.executor.plotting.brief import Brief
from services.executor.plotting.columns import Kind
from services.executor.plotting.request import read_request

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        notes=request.notes,
    )
    words = request.words
    if kind is ChartType.HISTOGRAM and request.x.kind is Kind.NUMBER:
        sheet, words = from_rows.histogram(request)
    elif kind is ChartType.HISTOGRAM:
        request = request.with_value_label("Number of rows")
        words = request.words
        sheet, kind = from_cells.draw_counts(request)
    elif kind is ChartType.BOX:
        sheet, words = from_rows.box(request)
    elif kind is ChartType.SCATTER:
        sheet, words = from_rows.scatter(request)
    else:
        sheet, kind = from_cells.draw(request, kind)
    if any("□" in text for text in sheet.texts()):
        request.notes.append("Characters that the chart's font lacks are shown as □.")
    return Chart(sheet.figure, kind, words, tuple(dict.fromkeys(request.notes)))
