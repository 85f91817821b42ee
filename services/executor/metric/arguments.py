"""What every tool over the rows of a metric takes: the rows, and the two periods."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Literal, Self

from pydantic import Field, model_validator

from mesh.tool import ToolArguments

MOST_ROWS = 200_000
"""Rows that a tool over a metric returns at most."""

MOST_DIMENSIONS = 30
"""GROUPING() of more columns is no whole number of 32 bits, which PostgreSQL has for it."""

CUBE_COLUMNS = frozenset(("bucket", "numerator", "denominator", "rows", "squares"))
"""What a cube has besides its dimensions."""

Bucket = Literal["day", "week", "month"]


class Period(ToolArguments):
    """Days from `start` to `end`, both of them included."""

    start: date
    end: date

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"a period ends on {self.end}, before it starts on {self.start}")
        return self

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.end - self.start).days + 1

    @property
    def after(self) -> date:
        """The first day after it."""
        return self.end + timedelta(days=1)

    def __str__(self) -> str:
        return f"{self.start}..{self.end}"


class MetricRows(ToolArguments):
    """The rows of a metric: one SELECT in DuckDB's dialect, whose columns are used by name.

    The metric is the sum of `numerator`, or of `numerator` over that of `denominator`. `time` holds
    dates or times, or texts that are. Days of both periods count in both.
    """

    relation: str = Field(min_length=1, max_length=40_000, description="one SELECT (DuckDB)")
    params: list[str | int | float | bool | date | datetime | None] = Field(
        default_factory=list, max_length=1_000, description="values for the question marks"
    )
    time: str = Field(min_length=1, description="column with the day or moment of a row")
    numerator: str = Field(min_length=1, description="numeric column")
    denominator: str | None = Field(default=None, min_length=1, description="of a ratio")
    dimensions: list[str] = Field(min_length=1, max_length=MOST_DIMENSIONS)
    baseline: Period
    comparison: Period

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.dimensions)) < len(self.dimensions):
            raise ValueError("a dimension is named twice")
        return self

    @property
    def first(self) -> date:
        """The first day of both periods."""
        return min(self.baseline.start, self.comparison.start)

    @property
    def last(self) -> date:
        """The last day of both periods."""
        return max(self.baseline.end, self.comparison.end)


class MarginsArguments(MetricRows):
    """The rows of a metric, and how many values of a dimension are told one by one."""

    most_values: int = Field(
        default=1_000, ge=1, le=20_000, description="largest by change, and as many by size"
    )


class CubeArguments(MetricRows):
    """The rows of a metric, and how finely they are split.

    `history_start` is the first day, where it is before both periods. `most_values` of a dimension
    are kept, `most_cells` rows are returned at most. `input` names the frame of `metric.margins`.
    """

    bucket: Bucket = "day"
    history_start: date | None = None
    most_values: int = Field(default=200, ge=1, le=2_000)
    most_cells: int = Field(default=MOST_ROWS, ge=100, le=MOST_ROWS)
    input: str | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _check_distinct(self) -> Self:
        taken = sorted(CUBE_COLUMNS & {name.casefold() for name in self.dimensions})
        if taken:
            raise ValueError(
                f'a column of the cube is called "{taken[0]}": call the dimension otherwise'
            )
        return self

    @property
    def begins(self) -> date:
        """The first day that counts."""
        return min(self.history_start or self.first, self.first)


class QualityArguments(MetricRows):
    """The rows of a metric, the columns to watch (all, without any), and what makes a row one.

    Without `key` a row repeats another where all columns of the relation are the same.
    """

    columns: list[str] = Field(default_factory=list, max_length=200)
    key: list[str] = Field(default_factory=list, max_length=30)
