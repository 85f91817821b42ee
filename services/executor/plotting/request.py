"""One request for a chart on its way from a frame to a figure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.plotting.arguments import ChartType, PlotArguments
from services.executor.plotting.brief import Brief, brief
from services.executor.plotting.columns import (
    Dimension,
    Numbers,
    column,
    dimension,
    is_numeric,
    numbers,
)
from services.executor.plotting.grid import note_left_out
from services.executor.plotting.text import clean


@dataclass(frozen=True)
class Request:
    """The frame, what was asked, the words, and the notes gathered so far (appended to)."""

    table: pa.Table
    arguments: PlotArguments
    x: Dimension
    series: Dimension | None
    words: Brief
    notes: list[str] = field(default_factory=list)

    @property
    def log(self) -> bool:
        """Whether a logarithmic value axis was asked for."""
        return self.arguments.y_scale == "log"

    def measure(self) -> Numbers:
        """The numeric column. Raises ToolError when none was named or it is not numeric."""
        if self.arguments.y_col is None:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"A {self.arguments.type} chart needs y_col, the numeric column to draw.",
                hint="Name a numeric column, or count rows in a step before.",
                details={"field": "y_col"},
            )
        values = numbers(self.table, self.arguments.y_col)
        return values * 100 if self.arguments.fraction else values

    def positive(self, values: Numbers) -> Numbers:
        """The values a logarithmic axis can show; others become NaN and are counted."""
        hidden = int((values <= 0).sum())
        if hidden:
            self.notes.append(
                f"{hidden:,} value{'s' * (hidden > 1)} of zero or less cannot be shown "
                "on a log scale."
            )
        return np.where(values > 0, values, np.nan)

    def note_left_out(self, count: int, column: str) -> None:
        """Say how many rows have no value of that column that could be drawn."""
        note_left_out(count, self.table.num_rows, column, self.notes)

    def remarked(self, remark: str) -> Request:
        """The same request, with a word more in the small type below the chart."""
        footer = f"{self.words.footer} · {remark}"
        return replace(self, words=replace(self.words, footer=footer))

    def with_value_label(self, label: str) -> Request:
        """The same request, its value axis named where nothing else named it."""
        if self.words.y_label:
            return self
        return replace(self, words=replace(self.words, y_label=label))


def nothing_to_draw(message: str) -> ToolError:
    """The error for a frame without anything to show."""
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        message,
        hint="Look at the step before: its filters may leave nothing over.",
    )


def read_request(table: pa.Table, arguments: PlotArguments) -> Request:
    """Check the columns asked for and read those along the axes. Raises ToolError."""
    if table.num_rows == 0:
        raise nothing_to_draw("The frame has no rows, so there is nothing to draw.")
    arguments = _settle_columns(table, arguments)
    named = arguments.series_col
    series = dimension(table, named, arguments.series_meaning) if named else None
    x = dimension(table, arguments.x_col, arguments.x_meaning)
    notes = [clean(arguments.remark)] if arguments.remark else []
    sample = _sample(table, arguments.total_col)
    if sample:
        notes.append(f"Drawn are {table.num_rows:,} rows, {sample}.")
    words = brief(arguments, table.num_rows, sample)
    return Request(table, arguments, x, series, words, notes)


def _sample(table: pa.Table, total_col: str | None) -> str:
    """That the frame is a sample, where its own column says that there are more rows."""
    totals = numbers(table, total_col) if total_col is not None else np.zeros(0)
    total = int(np.nanmax(totals, initial=0))
    return f"an even sample of {total:,} rows" if total > table.num_rows else ""


def _settle_columns(table: pa.Table, arguments: PlotArguments) -> PlotArguments:
    """Heatmaps need a second direction; boxes may stand alone; series must add something."""
    kind, y, series = arguments.type, arguments.y_col, arguments.series_col
    if kind is ChartType.HEATMAP:
        if series is None:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                "A heatmap needs x_col for its columns, series_col for its rows and y_col "
                "for its values.",
                hint="Add series_col, or draw bars.",
                details={"field": "series_col"},
            )
        if (
            y is not None
            and not is_numeric(column(table, y).type)
            and is_numeric(column(table, series).type)
        ):
            return arguments.model_copy(update={"y_col": series, "series_col": y})
    elif series is None and arguments.split_col is not None and not arguments.additive:
        along = column(table, arguments.x_col)
        if len(along.unique()) < table.num_rows:
            return arguments.model_copy(update={"series_col": arguments.split_col})
    elif series is not None and series == arguments.x_col and kind is not ChartType.SCATTER:
        return arguments.model_copy(update={"series_col": None})
    return arguments
