"""profiler.analyze gives numbers that can be checked by hand, for any table."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ErrorCategory, ToolError
from services.executor.tools.profiler_analyze import profiler_analyze

Profile = dict[tuple[str, str], tuple[float | None, str | None]]


def profile(table: pa.Table, **arguments: Any) -> Profile:
    call = profiler_analyze.arguments(**arguments)
    frame = profiler_analyze.run(call, FakeToolContext(inputs={"load": table})).frame
    assert frame is not None
    return {
        (row["column"], row["statistic"]): (row["value"], row["text"]) for row in frame.to_pylist()
    }


def number(found: Profile, column: str, statistic: str) -> float | None:
    return found[column, statistic][0]


def test_moments_and_quantiles_agree_with_pandas() -> None:
    values = np.random.default_rng(3).gamma(2.0, size=500)
    found, series = profile(pa.table({"v": values})), pd.Series(values)
    expected = {
        "mean": series.mean(),
        "std": series.std(),
        "skew": series.skew(),
        "p05": series.quantile(0.05),
        "p50": series.median(),
        "p95": series.quantile(0.95),
    }
    for statistic, value in expected.items():
        assert number(found, "v", statistic) == pytest.approx(value), statistic


def test_outliers_lie_beyond_one_and_a_half_interquartile_ranges() -> None:
    found = profile(pa.table({"v": [1, 2, 3, 4, 100]}))
    assert number(found, "v", "outliers") == 1
    assert number(found, "v", "outlier_below") == -1
    assert number(found, "v", "outlier_above") == 7


def test_correlations_agree_with_pandas_and_count_pairs() -> None:
    generator = np.random.default_rng(5)
    a = generator.integers(0, 20, 300).astype(float)
    b = a * 2 + generator.normal(size=300)
    a[::7] = np.nan
    frame = pd.DataFrame({"a": a, "b": b})
    found = profile(pa.Table.from_pandas(frame))
    assert number(found, "a ~ b", "pairs") == frame["a"].count()
    assert number(found, "a ~ b", "pearson") == pytest.approx(frame["a"].corr(frame["b"]))
    by_rank = frame.dropna().rank().corr().loc["a", "b"]
    assert number(found, "a ~ b", "spearman") == pytest.approx(by_rank)


def test_top_values_come_with_counts_and_ties_go_by_value() -> None:
    found = profile(pa.table({"s": ["b", "a", "c", "c", None]}), top=2)
    assert found["s", "top_1"] == (2, "c")
    assert found["s", "top_2"] == (1, "a")
    assert ("s", "top_3") not in found
    assert number(found, "s", "distinct") == 3
    assert number(found, "s", "nulls") == 1


def test_gaps_between_dates_are_found() -> None:
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 10), None]
    found = profile(pa.table({"d": days}))
    assert found["d", "min"] == (None, "2020-01-01")
    assert number(found, "d", "span_days") == 10
    assert number(found, "d", "missing_days") == 7
    assert found["d", "longest_gap_days"] == (7, "between 2020-01-02 and 2020-01-10")


def test_constant_columns_and_duplicate_rows_are_told() -> None:
    found = profile(pa.table({"k": [1, 1, 1], "v": ["a", "a", "b"]}))
    assert number(found, "(table)", "duplicate_rows") == 1
    assert found["(table)", "constant_columns"] == (1, "k")
    assert found["k", "constant"] == (1, "1")


def test_text_that_holds_numbers_among_words_is_counted() -> None:
    found = profile(pa.table({"mixed": ["1", "2.5", "-3e4", "n/a", ""]}))
    assert number(found, "mixed", "numeric_texts") == 3
    assert number(found, "mixed", "empty") == 1


def test_what_is_not_finite_is_counted_and_left_out() -> None:
    found = profile(pa.table({"v": [1.0, math.nan, math.inf, 3.0]}))
    assert number(found, "v", "not_finite") == 2
    assert number(found, "v", "mean") == 2
    assert number(found, "v", "max") == 3


def test_huge_integers_keep_all_digits_in_the_text() -> None:
    table = pa.table(
        {"u": pa.array([2**64 - 1, 0], pa.uint64()), "d": [decimal.Decimal(10**30)] * 2}
    )
    found = profile(table)
    assert found["u", "max"] == (float(2**64 - 1), "18446744073709551615")
    assert found["d", "max"][1] == str(10**30)


@pytest.mark.parametrize(
    "table",
    [
        pa.table({}),
        pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())}),
        pa.table({"a": [1], "b": ["x"], "c": [dt.datetime(2020, 1, 1)], "d": [[1, 2]]}),
        pa.table({"a": pa.nulls(3), "b": pa.nulls(3, pa.float64()), "c": pa.nulls(3, pa.date32())}),
        pa.table({"a": [1e308, -1e308, 1e308]}),
        pa.table({"a": [{"x": 1}, None], "b": [b"\xff", b"\x00"], "c": [True, None]}),
        pa.table({"a": pa.array(["x", "y"]).dictionary_encode()}),
        pa.table({"a": pa.array([2**62, None], pa.timestamp("s"))}),
    ],
)
def test_odd_tables_are_survived(table: pa.Table) -> None:
    found = profile(table)
    assert number(found, "(table)", "rows") == table.num_rows
    assert number(found, "(table)", "columns") == table.num_columns
    assert all(value is None or math.isfinite(value) for value, _ in found.values())


def test_two_thousand_columns_are_profiled_and_the_correlations_capped() -> None:
    table = pa.table({f"c{n}": [n, n + 1, n * 2] for n in range(2000)})
    call = profiler_analyze.arguments()
    result = profiler_analyze.run(call, FakeToolContext(inputs={"load": table}))
    assert result.frame is not None
    assert result.notes == ("correlations are given for the first 20 of 2000 numeric columns",)
    pairs = [name for name in result.frame["statistic"].to_pylist() if name == "pearson"]
    assert len(pairs) == 20 * 19 // 2


def test_repeated_names_are_told_apart() -> None:
    found = profile(pa.table([[1], [2]], names=["x", "x"]))
    assert number(found, "x", "min") == 1
    assert number(found, "x_2", "min") == 2


def test_only_the_columns_asked_for_are_profiled() -> None:
    found = profile(pa.table({"a": [1], "b": [2]}), columns=["b"])
    assert {column for column, _ in found} == {"b", "(table)"}


def test_an_unknown_column_comes_with_the_closest_names() -> None:
    with pytest.raises(ToolError) as refused:
        profile(pa.table({"amount": [1]}), columns=["amont"])
    assert refused.value.category is ErrorCategory.MISSING_COLUMN
    assert refused.value.details["candidates"] == ["amount"]


def test_a_cancelled_profile_stops() -> None:
    context = FakeToolContext(inputs={"load": pa.table({"a": [1]})})
    context.cancelled.set()
    with pytest.raises(ToolError) as refused:
        profiler_analyze.run(profiler_analyze.arguments(), context)
    assert refused.value.category is ErrorCategory.CANCELLED


def test_a_sample_is_told_with_the_rows_of_the_whole_table() -> None:
    sample = pa.table({"v": [1, 1, 2], "rows in all": [336_776] * 3})
    sampled: dict[str, Any] = {"total": "rows in all"}
    call = profiler_analyze.arguments(**sampled)
    result = profiler_analyze.run(call, FakeToolContext(inputs={"load": sample}))
    found = profile(sample, total="rows in all")
    assert number(found, "(table)", "rows") == 336_776
    assert number(found, "(table)", "sampled") == 3
    assert number(found, "(table)", "columns") == 1
    assert ("(table)", "duplicate_rows") not in found, "who knows what was left out"
    assert not any(column == "rows in all" for column, _ in found)
    assert result.notes == (
        "Found in an even sample of 3 of 336,776 rows; counts of values are of the sample.",
    )
    every = profile(pa.table({"v": [1, 1], "rows in all": [2, 2]}), total="rows in all")
    assert number(every, "(table)", "duplicate_rows") == 1, "all rows were seen"
    with pytest.raises(ToolError):
        profile(sample, total="absent")
