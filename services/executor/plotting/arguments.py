"""What may be asked of a chart."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Literal

from pydantic import Field

from mesh.tool import ToolArguments


class ChartType(StrEnum):
    """The kinds of chart; a kind that would mislead for the data at hand is replaced."""

    BAR = "bar"
    GROUPED_BAR = "grouped_bar"
    STACKED_BAR = "stacked_bar"
    LINE = "line"
    MULTI_LINE = "multi_line"
    AREA = "area"
    PIE = "pie"
    SCATTER = "scatter"
    HISTOGRAM = "histogram"
    BOX = "box"
    HEATMAP = "heatmap"
    WATERFALL = "waterfall"


Sort = Literal["none", "x", "-x", "y", "-y"]
Meaning = Literal["name", "flag", "year"]
Scale = Literal["linear", "log"]


class Shaded(ToolArguments):
    """A period that is shaded behind a line along time; both days are included."""

    start: date
    end: date
    label: str = Field(default="", max_length=80)


class Marked(ToolArguments):
    """A day that is marked on a line along time."""

    at: date
    label: str = Field(default="", max_length=80)


class PlotArguments(ToolArguments):
    """Which columns to draw, as what, and under which words."""

    input: str | None = Field(
        default=None,
        description="task id whose frame is drawn; may be left out when there is only one input",
    )
    type: ChartType = Field(description="kind of chart")
    x_col: str = Field(description="column along x; groups of a box; the measure of a histogram")
    y_col: str | None = Field(
        default=None, description="numeric column; not needed for a histogram"
    )
    series_col: str | None = Field(
        default=None, description="column whose values become colours, or rows of a heatmap"
    )
    split_col: str | None = Field(
        default=None,
        description="column that becomes series_col if there is none and several rows share a "
        "value along x that may not be added up",
    )
    more_cols: tuple[str, ...] = Field(
        default=(),
        max_length=3,
        description="further numeric columns, each drawn in a panel of its own beside y_col",
    )
    x_end_col: str | None = Field(
        default=None,
        description="where a range of a histogram ends, if x_col says where it begins and y_col "
        "how many rows lie in it",
    )
    start_col: str | None = Field(
        default=None,
        description="where a bar of a waterfall starts; y_col says where it ends, series_col its "
        "kind: total, up, down or rest",
    )
    shaded: tuple[Shaded, ...] = Field(
        default=(), max_length=4, description="periods to be shaded behind a line along time"
    )
    marked: tuple[Marked, ...] = Field(
        default=(), max_length=4, description="days to be marked on a line along time"
    )
    total_col: str | None = Field(
        default=None,
        description="column that tells of how many rows the frame is a sample, if it is one",
    )
    x_meaning: Meaning | None = Field(
        default=None,
        description="what values along x are, where they do not show it themselves: name (an id, a "
        "code), flag (yes or no), year",
    )
    series_meaning: Meaning | None = Field(default=None, description="the same of series_col")
    title: str = Field(description="what the chart shows")
    subtitle: str | None = Field(default=None, description="a second, smaller line")
    x_label: str | None = Field(default=None, description="default: from the column's name")
    y_label: str | None = Field(default=None, description="default: from the column's name")
    series_label: str | None = Field(default=None, description="default: from the column's name")
    x_unit: str | None = Field(default=None, description="unit of numbers along x")
    unit: str | None = Field(
        default=None, description="unit of the numeric column, such as USD or %"
    )
    fraction: bool = Field(
        default=False, description="whether values are parts of one, to be written as per cent"
    )
    sort: Sort | None = Field(
        default=None,
        description="order of categories; default: their own order, or by value, largest first",
    )
    additive: bool = Field(
        default=True,
        description="whether values may be added up (sums, counts); false for averages and rates",
    )
    absent_is_zero: bool = Field(
        default=False,
        description="whether what has no row counts as 0 (numbers of rows), rather than as unknown",
    )
    each_row: bool = Field(
        default=False,
        description="whether rows stand for themselves: those of one name are never added up",
    )
    trend: bool = Field(
        default=False,
        description="whether points get the line of least squares and Pearson's r",
    )
    remark: str | None = Field(
        default=None, description="why the chart is not the one that was asked for"
    )
    doubted: str | None = Field(
        default=None, description="what is doubted of the numbers drawn, told beneath the chart"
    )
    named_only: bool = Field(
        default=False, description="whether a box leaves out rows that belong to no group"
    )
    y_scale: Scale = Field(default="linear", description="log only where it was asked for")
    source: str | None = Field(default=None, description="where the data came from")
    file_name: str | None = Field(default=None, description="default: from the title")
