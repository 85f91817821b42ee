"""profiler.analyze: what is in a frame, as numbers that can be cited."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool


class ProfileArguments(ToolArguments):
    """The frame of task `input` (may be left out where there is one), all or some columns.

    `top` is how many of the most frequent values are listed for each column. `total` is the column
    that says from how many rows a sample was taken; it is not described itself.
    """

    input: str | None = Field(default=None, min_length=1)
    columns: tuple[str, ...] = ()
    top: int = Field(default=5, ge=0, le=100)
    total: str | None = None


@tool("profiler.analyze", ProfileArguments)
def profiler_analyze(arguments: ProfileArguments, context: ToolContext) -> ToolResult:
    """Describe every column of a frame: one row for each column and statistic.

    The frame has the columns column, statistic, value (null where it is no number) and text.

    All: type; rows; nulls; distinct (nulls not counted); constant (there only when every row
    holds one value); top_1 and on (value is the count, text the value; ties by value).
    Numbers: not_finite (NaN and infinities, left out of what follows); min and max (text is
    exact); mean; std (sample, n - 1); skew (adjusted Fisher-Pearson, from three values on);
    p05, p25, p50, p75, p95 (linear interpolation); outliers, the count below outlier_below =
    p25 - 1.5 (p75 - p25) or above outlier_above = p75 + 1.5 (p75 - p25).
    Texts: min_length and max_length in characters; empty; numeric_texts, how many are numbers.
    Dates: min; max; span_days (both ends counted); missing_days (days in the span without a row);
    longest_gap_days (days without rows between two that have some). Days are those of UTC.
    "(table)": rows (with `total`, of the whole table, and sampled, those seen); columns;
    duplicate_rows (repeat an earlier row in full; not of a sample); constant_columns.
    "a ~ b": pairs (rows where both are finite numbers); pearson; spearman (of ranks, ties shared)
    for the first 20 numeric columns that vary. Undefined statistics are null.
    """
    from services.executor.profiling.run import analyze

    return analyze(arguments, context)
