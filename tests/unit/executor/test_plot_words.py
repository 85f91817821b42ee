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
        ("month", ["1997-01", "1997-02"], ["Jan\n1997", "Feb"]),
        ("quarter", ["1997-Q2", "1997-Q1"], ["Q1\n1997", "Q2"]),
        ("year", [1997.0, 1996.0], ["1996", "1997"]),
        ("OrderYear", ["1997", "1996"], ["1996", "1997"]),
        ("month", [2, 1], ["Jan", "Feb"]),
        ("month", ["02", "01"], ["Jan", "Feb"]),
        ("day", [date(1997, 1, 5), date(1997, 2, 7)], ["5 Jan\n1997", "7 Feb"]),
        ("at", [datetime(1997, 1, 1), datetime(1998, 2, 1)], ["Jan\n1997", "Feb\n1998"]),
        (
            "at",
            ["1997-01-05 10:30", "1997-01-06 11:00"],
            ["10:30\n5 Jan 1997", "11:00\n6 Jan 1997"],
        ),
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
    assert names_across(built) == ["Jan\n1997", "Feb", "Mar", "Apr"]


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
        ([0, 2.5, 5], "%", ["0 %", "2.5 %", "5.0 %"]),
        ([-5, 0], None, ["\N{MINUS SIGN}5", "0"]),
        ([0, 2e-6], None, ["0", "2×10⁻⁶"]),
    ],
)
def test_ticks_share_one_style(values: list[float], unit: str | None, expected: list[str]) -> None:
    assert scales.tick_texts(values, unit) == expected


def test_values_beside_bars_have_the_decimals_that_count() -> None:
    assert scales.value_texts([12.5, 8.25]) == ["12.50", "8.25"]
    assert scales.value_texts([617085.4, 3.2]) == ["617,085", "3"]
    assert scales.value_texts([2e8, float("nan")]) == ["200M", ""]
    assert scales.value_texts([9.59e-8]) == ["9.59×10⁻⁸"]


def test_values_of_one_chart_are_in_one_magnitude_while_the_smallest_can_still_be_read() -> None:
    assert scales.value_texts([1.26e6, 577_816.0]) == ["1.26M", "0.58M"]
    assert scales.value_texts([1.3187e9, 38.52e6]) == ["1,318.7M", "38.5M"]
    assert scales.value_texts([2e9, 12.0]) == ["2B", "12"]


def test_parts_of_one_are_written_as_per_cent() -> None:
    columns = {"x": ["a", "b"], "share of y": [0.75, 0.25]}
    built = chart(columns, type="bar", x_col="x", y_col="share of y", fraction=True)
    assert bar_lengths(built) == [75, 25]
    assert names_up(built)[0] == "0 %"
    assert [found.get_text() for found in built.figure.axes[0].texts] == ["75 %", "25 %"]
    assert built.words.y_label == "Share of y"


def test_long_names_that_begin_and_end_alike_can_be_told_apart() -> None:
    names = [
        f"Meteorological observation station, number {i} of the coast of Iceland" for i in range(24)
    ]
    shown = names_up(chart({"x": names, "y": range(24)}, type="bar", **XY))
    assert len(set(shown)) == 24
    assert all(f"number {23 - i}…" in name for i, name in enumerate(shown))


def test_one_bar_does_not_fill_the_paper() -> None:
    axes = chart({"x": ["a"], "y": [1]}, type="bar", **XY).figure.axes[0]
    left, right = axes.get_xlim()
    assert right - left > 3  # in bands, of which the bar has one


def test_what_a_histogram_shows_is_in_its_title() -> None:
    ages = [21.0, 24.0, 30.0, 33.0, 35.0, 41.0, 52.0]
    built = chart({"age": ages}, type="histogram", x_col="age", title="Age")
    assert built.words.title == "Distribution of age"


def test_a_line_says_when_its_axis_leaves_zero_out() -> None:
    def footer(values: list[int]) -> str:
        built = chart({"x": ["1997", "1998", "1999"], "y": values}, type="line", **XY)
        return built.figure.texts[1].get_text()

    assert "does not begin at zero" in footer([90, 91, 92])
    assert "zero" not in footer([1, 91, 92])


def test_labels_are_words_with_units() -> None:
    assert text.humanise("UnitPrice") == "Unit price"
    assert text.humanise("body_mass_g") == text.humanise("body mass g") == "Body mass (g)"
    assert text.humanise("average temperature c") == "Average temperature (°C)"
    assert text.humanise("plan c") == "Plan c"
    assert text.spoken("body_mass_g") == "body mass"
    assert text.with_unit("Revenue", "USD") == "Revenue (USD)"
    assert text.with_unit("Revenue in USD", "USD") == "Revenue in USD"
    assert text.clean("a\x00b\n\u202ec") == "a b c"


def test_a_title_names_units_as_the_axes_do() -> None:
    columns = {"x": ["a"], "average mass g": [1]}
    title = "Average mass g by x, 2007"
    built = chart(columns, type="bar", x_col="x", y_col="average mass g", title=title)
    assert built.words.title == "Average mass (g) by x, 2007"


def test_what_is_doubted_is_told_to_its_end() -> None:
    doubt = (
        "60 values of call_duration are durations written as texts: repaired as " * 3 + "the end"
    )
    built = chart({"x": ["a", "b"], "y": [1, 2]}, type="bar", doubted=doubt, **XY)
    written = [text.get_text() for text in built.figure.texts]
    assert any(text.startswith("doubted: ") for text in written)
    assert any(text.endswith("the end") for text in written)
