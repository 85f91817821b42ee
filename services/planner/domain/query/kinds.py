"""The fixed choices of an intent: aggregates, grains of time, operators, charts, calculations."""

from __future__ import annotations

from enum import StrEnum


class Aggregate(StrEnum):
    """How many rows become one number; by FORMULA as a metric says that aggregates itself."""

    COUNT = "count"
    COUNT_DISTINCT = "count_distinct"
    SUM = "sum"
    AVERAGE = "avg"
    MINIMUM = "min"
    MAXIMUM = "max"
    MEDIAN = "median"
    DEVIATION = "stddev"
    VARIANCE = "variance"
    PERCENTILE = "percentile"
    CORRELATION = "corr"
    RANK_CORRELATION = "rank_corr"
    FORMULA = "formula"


class Grain(StrEnum):
    """The unit of time that dates are grouped by."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    WEEKDAY = "weekday"
    MONTH_OF_YEAR = "month_of_year"
    HOUR = "hour"


class Operator(StrEnum):
    """A comparison of one column with given values."""

    EQUAL = "="
    NOT_EQUAL = "!="
    GREATER = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    BETWEEN = "between"
    IN = "in"
    NOT_IN = "not in"
    CONTAINS = "contains"
    NOT_CONTAINS = "not contains"
    STARTS_WITH = "starts with"
    ENDS_WITH = "ends with"
    IS_NULL = "is empty"
    NOT_NULL = "is not empty"
    NOT_A_NUMBER = "is not a number"


class ChartType(StrEnum):
    """The kinds of chart that `plot.render` draws."""

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


class Calculation(StrEnum):
    """How a number is worked out from the numbers of the groups."""

    SHARE = "share"
    RATIO = "ratio"
    DIFFERENCE = "difference"
    GROWTH = "growth"
    CHANGE = "change"
    RUNNING_TOTAL = "running total"
    MOVING_AVERAGE = "moving average"
    RANK = "rank"
