"""What the chart tests share: building charts from columns and looking at what was drawn."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pyarrow as pa
from matplotlib.text import Text

from mesh.tool import DomainReply, PythonRun, ToolContext, ToolResult
from services.executor.plotting.arguments import PlotArguments
from services.executor.plotting.build import Chart, build_chart
from services.executor.tools.plot_render import plot_render


class Context(ToolContext):
    """A tool's context that holds frames and nothing else."""

    row_limit = 200_000
    seconds_left = 30.0

    def __init__(self, inputs: Mapping[str, pa.Table]) -> None:
        self._inputs = inputs
        self._cancelled = threading.Event()

    @property
    def inputs(self) -> Mapping[str, pa.Table]:
        return self._inputs

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        raise AssertionError("a chart asks no source")

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        raise AssertionError("a chart runs no code of others")

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        raise NotImplementedError

    def progress(self, message: str, fraction: float | None = None) -> None:
        raise AssertionError("a chart is drawn in one go")

    @property
    def cancelled(self) -> threading.Event:
        return self._cancelled


def run(table: pa.Table, **arguments: Any) -> ToolResult:
    """Run the tool over one frame."""
    return plot_render.run(PlotArguments(**{"title": "A title"} | arguments), Context({"t": table}))


def chart(columns: pa.Table | dict[str, Any], **arguments: Any) -> Chart:
    """Build the figure for a frame of these columns."""
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    return build_chart(table, PlotArguments(**{"title": "A title"} | arguments))


def names_across(built: Chart) -> list[str]:
    return [text.get_text() for text in built.figure.axes[0].get_xticklabels()]


def names_up(built: Chart) -> list[str]:
    return [text.get_text() for text in built.figure.axes[0].get_yticklabels()]


def bar_lengths(built: Chart) -> list[float]:
    """Lengths of the bars in drawing order, whichever way they lie."""
    axes: Any = built.figure.axes[0]
    lying = any(abs(patch.get_x()) < 1e-9 for patch in axes.patches) and len(names_up(built)) == (
        len(axes.patches)
    )
    return [patch.get_width() if lying else patch.get_height() for patch in axes.patches]


def legend_names(built: Chart) -> list[str]:
    return [text.get_text() for legend in built.figure.legends for text in legend.get_texts()]


def assert_readable(built: Chart) -> None:
    """No tick label covers another, nothing is cut off, and the key does not cover the data."""
    figure: Any = built.figure
    figure.canvas.draw()
    width, height = figure.canvas.get_width_height()
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent()
            inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
            assert inside, f"{text.get_text()!r} is cut off: {box}"
    axes = figure.axes[0]
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        level = [label for label in labels if label.get_text() and not label.get_rotation()]
        boxes = [label.get_window_extent() for label in level]
        for first, second in combinations(boxes, 2):
            assert not first.overlaps(second), [label.get_text() for label in level]
    for legend in figure.legends:
        assert not legend.get_window_extent().overlaps(axes.get_window_extent())
