"""What df.transform's operations are made of: conditions, measures and sort keys."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from mesh.tool import ToolArguments

Scalar = bool | int | float | str
Name = Annotated[str, Field(min_length=1)]
Names = tuple[Name, ...]


class Aggregation(StrEnum):
    """How many values become one. All but `count` without a column skip nulls.

    `stddev` and `variance` are those of a sample (n - 1). `median` and `quantile` interpolate
    linearly. `first` and `last` go by row order. `arg_max` and `arg_min` return the label found
    in `of` where the column is largest or smallest; of equal ones, the first label by value.
    """

    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    MEDIAN = "median"
    STDDEV = "stddev"
    VARIANCE = "variance"
    QUANTILE = "quantile"
    FIRST = "first"
    LAST = "last"
    ARG_MAX = "arg_max"
    ARG_MIN = "arg_min"


class Operator(StrEnum):
    """Comparisons of a condition. A null cell matches `is_null` alone."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    NOT_IN = "not_in"
    BETWEEN = "between"
    CONTAINS = "contains"
    STARTS_WITH = "starts_with"
    ENDS_WITH = "ends_with"
    IS_NULL = "is_null"
    NOT_NULL = "not_null"


class SortKey(ToolArguments):
    """A column to order by; nulls come last unless said otherwise."""

    column: Name
    descending: bool = False
    nulls: Literal["first", "last"] = "last"


class Condition(ToolArguments):
    """One comparison. `value` is a list for in and not_in, [low, high] for between (inclusive).

    Text compares exactly unless `ignore_case`. Dates are ISO texts; a date without a time means
    that whole day, also in a column of timestamps.
    """

    column: Name
    operator: Operator
    value: Scalar | tuple[Scalar, ...] | None = None
    ignore_case: bool = False

    @model_validator(mode="after")
    def _value_fits_operator(self) -> Condition:
        several = isinstance(self.value, tuple)
        match self.operator:
            case Operator.IS_NULL | Operator.NOT_NULL:
                fits, wanted = self.value is None, "no value"
            case Operator.IN | Operator.NOT_IN:
                fits, wanted = several, "a list of values"
            case Operator.BETWEEN:
                fits = isinstance(self.value, tuple) and len(self.value) == 2
                wanted = "a list of two values, low and high"
            case _:
                fits = self.value is not None and not several
                wanted = "one value (for nulls use is_null or not_null)"
        if not fits:
            raise ValueError(f"{self.operator.value} needs {wanted}")
        return self


class Measure(ToolArguments):
    """One aggregated column, called `name` or else function_column ("sum_amount").

    `count` without a column counts rows. `of` is the label column of arg_max and arg_min,
    `quantile` lies between 0 and 1.
    """

    function: Aggregation
    column: Name | None = None
    of: Name | None = None
    quantile: float | None = Field(default=None, ge=0, le=1)
    name: Name | None = None

    @model_validator(mode="after")
    def _parts_fit_function(self) -> Measure:
        picks_label = self.function in (Aggregation.ARG_MAX, Aggregation.ARG_MIN)
        if self.column is None and self.function is not Aggregation.COUNT:
            raise ValueError(f"{self.function.value} needs a column")
        if picks_label != (self.of is not None):
            raise ValueError("`of` goes with arg_max and arg_min, and both need it")
        if (self.function is Aggregation.QUANTILE) != (self.quantile is not None):
            raise ValueError("`quantile` (0 to 1) goes with the function quantile, which needs it")
        return self

    @property
    def output(self) -> str:
        """Name of the column this measure makes."""
        if self.name:
            return self.name
        if self.column is None:
            return "count"
        return f"{self.function.value}_{self.column}"
