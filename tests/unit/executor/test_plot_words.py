"""Order, names and numbers as people expect them."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest

from services.executor.plotting import scales, text
from tests.unit.executor.plot_help import bar_lengths, chart, legend_names, names_across, names_up

XY = {"x_col": "x", "y_col": "y"}


def test_categories_stand_by_value_largest_first() -> None:
    built = chart({"x": ["a", "b", "c"], "y": [1, 3, 2]}, type="bar", **XY)
    assert names_across(built) == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["Mar", "Jan", "Feb"], ["Jan", "Feb", "Mar"]),
        (["Sunday", "Friday", "Monday"], ["Monday", "Friday", "Sunday"]),
        (["10", "9", "2"], ["2", "9", "10"]),
        (["Q3", "Q1", "Q2"], ["Q1", "Q2", "Q3"]),
        (["large", "small", "medium"], ["small", "medium", "large"]),
    ],
)
def test_names_with_an_order_keep_it(names: list[str], ordered: list[str]) -> None:
    built = chart({"x": names, "y": [1, 3, 2]}, type="bar", sort=None, **XY)
    assert [name for name in names_across(built) if name in ordered] == ordered


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("none", [1, 3, 2]), ("x", [1, 3, 2]), ("-x", [2, 3, 1]), ("y", [1, 2, 3]), ("-y", [3, 2, 1])],
)
def test_an_order_asked_for_is_given(sort: str, expected: list[int]) -> None:
    built = chart({"x": ["a", "b", "c"], "y": [1, 3, 2]}, type="bar", sort=sort, **XY)
    assert bar_lengths(built) == expected


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("month", ["1997-01", "1997-02"], ["Jan 1997", "Feb 1997"]),
        ("quarter", ["1997-Q2", "1997-Q1"], ["Q1 1997", "Q2 1997"]),
        ("year", [1997.0, 1996.0], ["1996", "1997"]),
        ("OrderYear", ["1997", "1996"], ["1996", "1997"]),
        ("month", [2, 1], ["Jan", "Feb"]),
        ("month", ["02", "01"], ["Jan", "Feb"]),
        ("day", [date(1997, 1, 5), date(1997, 2, 7)], ["5 Jan 1997", "7 Feb 1997"]),
        ("at", [datetime(1997, 1, 1), datetime(1997, 2, 1)], ["Jan 1997", "Feb 1997"]),
        ("at", ["1997-01-05 10:30", "1997-01-06 11:00"], ["5 Jan 1997 10:30", "6 Jan 1997 11:00"]),
    ],
)
def test_times_read_as_people_write_them(
    column: str, values: list[object], expected: list[str]
) -> None:
    table = pa.table({column: values, "y": [1, 2]})
    built = chart(table, type="bar", x_col=column, y_col="y")
    assert names_across(built) == expected


def test_bars_keep_a_place_for_a_month_without_rows() -> None:
    built = chart({"x": ["1997-01", "1997-02", "1997-04"], "y": [1, 2, 4]}, type="bar", **XY)
    assert names_across(built) == ["Jan 1997", "Feb 1997", "Mar 1997", "Apr 1997"]


def test_years_as_series_stand_in_order_without_separators() -> None:
    columns = {"x": ["a", "a"], "year": [1998, 1997], "y": [2, 1]}
    built = chart(columns, type="grouped_bar", series_col="year", **XY)
    assert legend_names(built) == ["1997", "1998"]


def test_long_names_lie_beside_their_bars() -> None:
    names = [f"A rather long name of product number {i}" for i in range(8)]
    built = chart({"x": names, "y": range(8)}, type="bar", **XY)
    assert len(names_up(built)) == 8
    assert bar_lengths(built) == [7, 6, 5, 4, 3, 2, 1, 0]


def test_a_dollar_sign_is_money_and_not_a_formula() -> None:
    built = chart({"x": ["$5 to $10"], "y": [1]}, type="bar", title="From $x^2$ to $y", **XY)
    assert all(not written.get_parse_math() for written in built.figure.texts)
    assert names_across(built) == ["$5 to $10"]


def test_characters_without_a_picture_are_said_to_be_missing() -> None:
    built = chart({"x": ["図表"], "y": [1]}, type="bar", **XY)
    assert names_across(built) == ["□□"]
    assert any("font" in note for note in built.notes)


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([0, 20000, 40000], None, ["0", "20,000", "40,000"]),
        ([0, 500000, 1000000], None, ["0", "0.5M", "1.0M"]),
        ([0, 2.5, 5], "%", ["0%", "2.5%", "5.0%"]),
        ([-5, 0], None, ["\N{MINUS SIGN}5", "0"]),
        ([0, 2e-6], None, ["0", "2e\N{MINUS SIGN}06"]),
    ],
)
def test_ticks_share_one_style(values: list[float], unit: str | None, expected: list[str]) -> None:
    assert scales.tick_texts(values, unit) == expected


def test_values_beside_bars_have_the_decimals_that_count() -> None:
    assert scales.value_texts([12.5, 8.25]) == ["12.50", "8.25"]
    assert scales.value_texts([617085.4, 3.2]) == ["617,085", "3"]
    assert scales.value_texts([2e8, float("nan")]) == ["200M", ""]


def test_labels_are_words_with_units() -> None:
    assert text.humanise("UnitPrice") == "Unit price"
    assert text.humanise("body_mass_g") == "Body mass (g)"
    assert text.with_unit("Revenue", "USD") == "Revenue (USD)"
    assert text.with_unit("Revenue in USD", "USD") == "Revenue in USD"
    assert text.clean("a\x00b\n\u202ec") == "a b c"
