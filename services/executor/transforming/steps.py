"""The published arguments of df.transform's operations."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from mesh.tool import ToolArguments
from services.executor.transforming.terms import (
    Aggregation,
    Condition,
    Measure,
    Name,
    Names,
    SortKey,
)


class Select(ToolArguments):
    """Keep columns in the given order (all of them when none is named), then rename old to new."""

    operation: Literal["select"]
    columns: Names = ()
    rename: dict[Name, Name] = Field(default_factory=dict)


class Filter(ToolArguments):
    """Keep the rows for which all, or any, of the conditions hold."""

    operation: Literal["filter"]
    conditions: tuple[Condition, ...] = Field(min_length=1)
    match: Literal["all", "any"] = "all"


class Derive(ToolArguments):
    """Add a column, or replace one, by a scalar SQL expression over columns of the same row.

    Column references, literals, arithmetic, comparison, and/or/not, case, cast and the functions
    coalesce, nullif, round, abs, floor, ceil, ln, exp, sqrt, greatest, least, upper, lower, trim,
    length, substr, concat, date_trunc, date_part, extract. Division by zero gives null.
    """

    operation: Literal["derive"]
    column: Name
    expression: str = Field(min_length=1, max_length=4000)


class Aggregate(ToolArguments):
    """One row for each combination of `by`, ordered by it; without `by`, one row for all."""

    operation: Literal["aggregate"]
    by: Names = ()
    measures: tuple[Measure, ...] = Field(min_length=1)


class JoinKey(ToolArguments):
    """Columns that have to be equal; null equals nothing."""

    left: Name
    right: Name


class Join(ToolArguments):
    """Join the frame of step `right`. Rows keep the left frame's order, then the right's.

    A right key column of the same name as its left one appears once; other columns whose names
    clash get `suffix`. semi keeps left rows with a partner, anti those without.
    """

    operation: Literal["join"]
    right: Name
    on: tuple[JoinKey, ...] = Field(min_length=1)
    how: Literal["inner", "left", "full", "semi", "anti"] = "inner"
    suffix: str = Field(default="_right", min_length=1)


class Pivot(ToolArguments):
    """Turn the values of `columns` into columns, aggregating `values` for each row of `index`.

    Columns are ordered by value, by first appearance, or by largest total of `values`; `rows` by
    value or by first appearance; "natural" is the order that words have of themselves (S, M, L),
    by value where they have none. A cell without rows is null, or 0 with fill "zero". Null becomes
    a column "(none)".
    """

    operation: Literal["pivot"]
    index: Names = ()
    columns: Name
    values: Name | None = None
    function: Aggregation = Aggregation.SUM
    order: Literal["value", "appearance", "total", "natural"] = "value"
    rows: Literal["value", "appearance", "natural"] = "value"
    fill: Literal["null", "zero"] = "null"
    max_columns: int = Field(default=100, ge=1, le=1000)

    @model_validator(mode="after")
    def _function_takes_one_column(self) -> Pivot:
        if self.function in (Aggregation.ARG_MAX, Aggregation.ARG_MIN, Aggregation.QUANTILE):
            raise ValueError(f"pivot cannot use {self.function.value}: aggregate first")
        if self.values is None and self.function is not Aggregation.COUNT:
            raise ValueError("pivot needs `values` unless it counts")
        return self


class WindowFunction(StrEnum):
    """What a window adds to every row.

    share: value / sum over the partition. cumulative_sum: up to and with this row.
    moving_average: mean of the last `rows` rows with this one, null until there are as many.
    lag, lead: the value `rows` rows before or after. difference: value - lag. growth: difference /
    lag as a fraction, null where lag is null or 0. percent_rank: (rank - 1) / (rows - 1).
    """

    RANK = "rank"
    DENSE_RANK = "dense_rank"
    ROW_NUMBER = "row_number"
    PERCENT_RANK = "percent_rank"
    LAG = "lag"
    LEAD = "lead"
    SHARE = "share"
    CUMULATIVE_SUM = "cumulative_sum"
    MOVING_AVERAGE = "moving_average"
    DIFFERENCE = "difference"
    GROWTH = "growth"


RANKINGS = frozenset(
    {
        WindowFunction.RANK,
        WindowFunction.DENSE_RANK,
        WindowFunction.ROW_NUMBER,
        WindowFunction.PERCENT_RANK,
    }
)


class Window(ToolArguments):
    """Add a column computed over each row's partition; rows stay where they are."""

    operation: Literal["window"]
    function: WindowFunction
    column: Name | None = None
    partition_by: Names = ()
    order_by: tuple[SortKey, ...] = ()
    rows: int | None = Field(default=None, ge=1, le=100_000)
    name: Name | None = None

    @model_validator(mode="after")
    def _parts_fit_function(self) -> Window:
        if self.function not in RANKINGS and self.column is None:
            raise ValueError(f"{self.function.value} needs a column")
        if self.function is not WindowFunction.SHARE and not self.order_by:
            raise ValueError(f"{self.function.value} needs order_by")
        if self.function is WindowFunction.MOVING_AVERAGE and self.rows is None:
            raise ValueError("moving_average needs rows, the length of the window")
        return self

    @property
    def output(self) -> str:
        """Name of the added column."""
        if self.name:
            return self.name
        ranking = self.function in RANKINGS
        return self.function.value if ranking else f"{self.function.value}_{self.column}"


class Sort(ToolArguments):
    """Order rows; ties are broken by the remaining columns, so the order is always one."""

    operation: Literal["sort"]
    by: tuple[SortKey, ...] = Field(min_length=1)


class Limit(ToolArguments):
    """The first rows: by `order_by` if given, else as they come; `per` group if given."""

    operation: Literal["limit"]
    rows: int = Field(ge=0)
    per: Names = ()
    order_by: tuple[SortKey, ...] = ()


class Resample(ToolArguments):
    """Group rows into periods of a date column; weeks begin on Monday.

    The column then holds each period's first day (or hour). With fill "null" or "zero" every
    period between the first and the last is there, for every combination of `by`.
    """

    operation: Literal["resample"]
    column: Name
    grain: Literal["hour", "day", "week", "month", "quarter", "year"]
    by: Names = ()
    measures: tuple[Measure, ...] = Field(min_length=1)
    fill: Literal["none", "null", "zero"] = "none"


Step = Annotated[
    Select | Filter | Derive | Aggregate | Join | Pivot | Window | Sort | Limit | Resample,
    Field(discriminator="operation"),
]
