"""What values mean decides how they are drawn: their order, their sums, and how many fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.text.natural_orders import ranks
from services.executor.plotting.arguments import ChartType
from tests.unit.executor.plot_help import (
    assert_readable,
    bar_lengths,
    chart,
    legend_names,
    names_across,
    names_up,
)

XY = {"x_col": "x", "y_col": "y"}


def written(built: Any) -> list[str]:
    axes = built.figure.axes[0]
    texts = [*axes.texts, *built.figure.texts]
    return [text.get_text() for text in texts if text.get_text()]


@pytest.mark.parametrize(
    "ordered",
    [
        ["low", "medium", "High", "urgent"],
        ["Fair", "Good", "Very Good", "Premium", "Ideal"],
        ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
        ["Very dissatisfied", "Dissatisfied", "Neutral", "Satisfied", "Very satisfied"],
        ["under 18", "18-24", "25-34", "65+"],
        ["<30k", "30-60k", "60-100k", ">100k"],
        ["Term 1", "Term 2", "Term 10"],
        ["9B", "10A", "10B"],
        ["D", "E", "F", "G", "H"],
    ],
)
def test_steps_that_people_know_keep_their_order(ordered: list[str]) -> None:
    shuffled = [*ordered[1::2], *ordered[::2]]
    built = chart({"x": shuffled, "y": list(range(1, len(ordered) + 1))}, type="bar", **XY)
    assert names_across(built) == ordered


@pytest.mark.parametrize(
    "names", [["Oslo", "Rome"], ["A", "B", "O"], ["Store 9", "Store 10"], ["3M", "Apple"], ["low"]]
)
def test_names_of_things_have_no_order(names: list[str]) -> None:
    assert ranks(names) is None


def test_a_stack_is_labelled_with_its_total() -> None:
    columns = {"x": ["a", "a", "b"], "s": ["p", "q", "p"], "y": [3, 4, 5]}
    built = chart(columns, type="stacked_bar", series_col="s", **XY)
    assert {"7", "5"} <= set(written(built))
    assert_readable(built)


def test_a_bar_without_a_value_is_not_labelled_nought() -> None:
    built = chart({"x": [2001, 2002, 2004], "y": [4.0, None, 6.0]}, type="bar", **XY)
    assert "0" not in written(built)


def test_rows_without_a_name_do_not_dwarf_those_with_one() -> None:
    built = chart({"x": [None, "a", "b"], "y": [90, 3, 5]}, type="bar", sort="none", **XY)
    assert names_across(built) == ["a", "b"]
    assert any("not drawn: 90 without X" in text for text in written(built))
    small = chart({"x": [None, "a", "b"], "y": [2, 3, 5]}, type="bar", sort="none", **XY)
    assert names_across(small) == ["a", "b", "(missing)"]


def test_rows_that_share_a_name_are_not_added_up_where_each_stands_for_itself() -> None:
    columns = {"x": ["Kenya", "Ghana", "Kenya"], "y": [76.1, 78.3, 76.4]}
    built = chart(columns, type="bar", each_row=True, additive=False, sort="none", **XY)
    assert names_across(built) == ["Kenya", "Ghana", "Kenya (2)"]
    assert bar_lengths(built) == [76.1, 78.3, 76.4]


def test_numbers_that_name_things_are_bars_by_size() -> None:
    columns = {"x": [1047, 12, 300], "y": [3, 9, 6]}
    built = chart(columns, type="line", x_meaning="name", **XY)
    assert built.kind is ChartType.BAR
    assert names_across(built) == ["12", "300", "1047"]


def test_flags_are_told_as_yes_and_no_and_seasons_without_separators() -> None:
    columns = {"x": [2022, 2022, 2023, 2023], "s": [0, 1, 0, 1], "y": [1, 2, 3, 4]}
    built = chart(
        columns, type="grouped_bar", series_col="s", x_meaning="year", series_meaning="flag", **XY
    )
    assert sorted(legend_names(built)) == ["No", "Yes"]
    assert names_across(built) == ["2022", "2023"]


def test_two_flags_are_counted_and_no_four_points() -> None:
    columns = {"x": [0, 0, 1, 1, 1], "y": [0, 1, 0, 1, 1]}
    built = chart(columns, type="scatter", x_meaning="flag", **XY)
    assert built.kind is ChartType.GROUPED_BAR
    bars: Any = built.figure.axes[0].patches
    assert sorted(bar.get_height() for bar in bars) == [1, 1, 1, 2]


def test_points_have_their_line_and_r() -> None:
    at = np.arange(20.0)
    built = chart({"x": at, "y": 2 * at + 1}, type="scatter", trend=True, **XY)
    line = built.figure.axes[0].lines[-1]
    assert np.asarray(line.get_ydata()).tolist() == pytest.approx([1, 39])
    assert any(text.startswith("r = 1.00 (Pearson) over 20 points") for text in written(built))
    plain = chart({"x": at, "y": at}, type="scatter", **XY)
    assert not any("Pearson" in text for text in written(plain))


def test_points_on_each_other_are_larger() -> None:
    built = chart({"x": [1, 1, 1, 1, 2], "y": [1, 1, 1, 1, 2]}, type="scatter", **XY)
    [marks] = built.figure.axes[0].collections
    sizes = np.asarray(marks.get_sizes())  # type: ignore[attr-defined]
    assert sizes[0] > sizes[1]
    assert any("larger points stand for more rows" in text for text in written(built))


def test_thousands_of_points_are_counted_in_cells_that_hold_them_all() -> None:
    chance = np.random.default_rng(1)
    columns = {"x": chance.normal(size=20_000), "y": chance.normal(size=20_000)}
    built = chart(columns, type="scatter", **XY)
    [cells] = built.figure.axes[0].collections
    assert int(np.asarray(cells.get_array()).sum()) == 20_000
    assert not built.figure.axes[0].lines
    assert_readable(built)


def test_thousands_of_points_of_several_groups_are_an_even_sample_and_it_is_said() -> None:
    chance = np.random.default_rng(1)
    columns = {
        "x": chance.normal(size=9_000),
        "y": chance.normal(size=9_000),
        "s": ["p", "q"] * 4500,
    }
    built = chart(columns, type="scatter", series_col="s", **XY)
    drawn = sum(len(np.asarray(line.get_xdata())) for line in built.figure.axes[0].lines)
    assert drawn == 5_000
    assert any("5,000 of 9,000 points drawn" in text for text in written(built))


def test_a_handful_of_numbers_is_no_distribution() -> None:
    built = chart({"x": [3.0, 1.0, 2.0]}, type="histogram", x_col="x")
    assert built.kind is ChartType.BAR
    assert bar_lengths(built) == [3, 1, 2]
    assert "no distribution" in built.notes[0]


def test_ranges_counted_before_are_drawn_as_they_are() -> None:
    columns = {"x": [0.0, 10.0], "until": [10.0, 20.0], "n": [600_000, 400_000]}
    built = chart(
        columns, type="histogram", x_col="x", x_end_col="until", y_col="n", y_label="Delay"
    )
    patches: Any = built.figure.axes[0].patches
    assert [(p.get_x(), p.get_width(), p.get_height()) for p in patches] == [
        (0, 10, 600_000),
        (10, 10, 400_000),
    ]
    assert any("1,000,000 rows, counted in 2 ranges" in text for text in written(built))


def test_a_sample_says_of_how_many_rows_it_is_one() -> None:
    columns = {"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 2.0], "all": [900, 900, 900]}
    built = chart(columns, type="scatter", total_col="all", **XY)
    assert any("an even sample of 900 rows" in text for text in written(built))


@pytest.mark.parametrize("keys", [["a", "b", "c"], [2001, 2002, 2003]])
def test_several_numbers_each_have_a_panel_on_a_scale_of_its_own(keys: list[Any]) -> None:
    table = pa.table({"x": keys, "y": [1.0, 2.0, 3.0], "z": [100.0, None, 300.0]})
    kind = "bar" if isinstance(keys[0], str) else "line"
    built = chart(table, type=kind, more_cols=("z",), y_label="Points", **XY)
    assert len(built.figure.axes) == 2
    assert {"Points", "Z"} <= set(written(built))


def test_many_bars_side_by_side_of_averages_are_a_heat_map() -> None:
    columns = {
        "x": [f"k{i}" for i in range(8) for _ in range(8)],
        "s": [f"s{i}" for i in range(8)] * 8,
        "y": [float(i) for i in range(64)],
    }
    built = chart(columns, type="grouped_bar", series_col="s", additive=False, **XY)
    assert built.kind is ChartType.HEATMAP
    assert len(names_up(built)) == 8


def test_why_another_chart_is_drawn_is_said() -> None:
    built = chart({"x": ["a", "b"], "y": [1, 2]}, type="bar", remark="Drawn as bars: ids.", **XY)
    assert built.notes == ("Drawn as bars: ids.",)
