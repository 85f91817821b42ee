"""A chart never misleads: what would is replaced, folded or left out, and a note says so."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from mesh.tool import ErrorCategory, ToolError
from services.executor.plotting import scales
from services.executor.plotting.arguments import ChartType
from tests.unit.executor.plot_help import bar_lengths, chart, legend_names, names_across, names_up

XY = {"x_col": "x", "y_col": "y"}


def test_bars_start_at_zero_even_when_all_are_tall() -> None:
    built = chart({"x": ["a", "b"], "y": [1000.0, 1001.0]}, type="bar", **XY)
    assert built.figure.axes[0].get_ylim()[0] == 0
    assert bar_lengths(built) == [1001, 1000]


@pytest.mark.parametrize(
    ("values", "additive", "why"),
    [
        ([5, -1, 3], True, "negative values"),
        ([1] * 8, True, "8 slices"),
        ([5, 1, 3], False, "no parts of a whole"),
        ([0, 0], True, "everything is zero"),
    ],
)
def test_a_pie_that_would_mislead_becomes_bars(values: list[int], additive: bool, why: str) -> None:
    columns = {"x": [f"name {i}" for i in range(len(values))], "y": values}
    built = chart(columns, type="pie", additive=additive, **XY)
    assert built.kind is ChartType.BAR
    assert any(why in note for note in built.notes)


def test_a_pie_of_few_positive_parts_stays_and_shows_shares() -> None:
    built = chart({"x": ["a", "b"], "y": [3, 1]}, type="pie", **XY)
    assert built.kind is ChartType.PIE
    texts = [text.get_text() for text in built.figure.axes[0].texts if text.get_text()]
    assert texts == ["a\n3 · 75.0 %", "b\n1 · 25.0 %"]


def test_a_line_over_names_without_order_becomes_bars() -> None:
    built = chart({"x": ["Oslo", "Rome"], "y": [1, 2]}, type="line", **XY)
    assert built.kind is ChartType.BAR
    assert "no order" in built.notes[0]


def test_stacks_with_negative_values_stand_side_by_side() -> None:
    columns = {"x": ["a", "a", "b", "b"], "s": ["p", "q"] * 2, "y": [1, -2, 3, 4]}
    built = chart(columns, type="stacked_bar", series_col="s", **XY)
    assert built.kind is ChartType.GROUPED_BAR
    assert "negative" in built.notes[0]


def test_averages_are_never_stacked() -> None:
    columns = {"x": [1, 1, 2, 2], "s": ["p", "q"] * 2, "y": [1, 2, 3, 4]}
    built = chart(columns, type="area", series_col="s", additive=False, **XY)
    assert built.kind is ChartType.MULTI_LINE


def test_beyond_eight_series_the_small_ones_are_added_up_as_other() -> None:
    columns = {
        "x": ["p", "q"] * 14,
        "s": [f"s{i}" for i in range(14) for _ in (1, 2)],
        "y": [float(i) for i in range(14) for _ in (1, 2)],
    }
    built = chart(columns, type="stacked_bar", series_col="s", **XY)
    assert len(legend_names(built)) == 8
    assert legend_names(built)[-1] == "other (7)"
    other = [p for p in built.figure.axes[0].patches if p.get_facecolor() == to_rgba("#9a9a9a")]
    heights = [float(patch.get_height()) for patch in other if isinstance(patch, Rectangle)]
    assert heights == [0 + 1 + 2 + 3 + 4 + 5 + 6] * 2
    assert any("7 of 14 values of s shown" in text.get_text() for text in built.figure.texts)


def test_each_of_eight_series_has_a_colour_of_its_own() -> None:
    columns = {"x": ["p"] * 8, "s": [f"s{i}" for i in range(8)], "y": list(range(1, 9))}
    built = chart(columns, type="stacked_bar", series_col="s", **XY)
    colours = [patch.get_facecolor() for patch in built.figure.axes[0].patches]
    assert len(set(colours)) == 8
    assert not any(patch.get_hatch() for patch in built.figure.axes[0].patches)


def test_too_many_lines_become_small_charts_on_one_scale_and_the_rest_is_told() -> None:
    columns = {
        "x": [1, 2] * 14,
        "s": [f"s{i}" for i in range(14) for _ in (1, 2)],
        "y": [float(i) for i in range(14) for _ in (1, 2)],
    }
    built = chart(columns, type="multi_line", series_col="s", additive=False, **XY)
    assert len(built.figure.axes) == 12
    assert len({axes.get_ylim() for axes in built.figure.axes}) == 1
    assert [np.asarray(axes.lines[0].get_ydata())[0] for axes in built.figure.axes[:2]] == [13, 12]
    assert "2 more values of s are left out" in built.notes[0]
    assert any("12 of 14 values of s shown" in text.get_text() for text in built.figure.texts)


def test_beyond_thirty_categories_the_largest_are_shown_and_the_rest_is_told() -> None:
    columns = {"x": [f"n{i}" for i in range(50)], "y": [float(i) for i in range(50)]}
    built = chart(columns, type="bar", **XY)
    assert bar_lengths(built) == [float(i) for i in range(49, 19, -1)]
    assert "30 largest of 50" in built.notes[0]
    assert "add up to 190" in built.notes[0]
    assert any("30 of 50 shown" in text.get_text() for text in built.figure.texts)


def test_rows_without_a_value_are_counted() -> None:
    built = chart({"x": ["a", "b", "c"], "y": [1.0, None, float("inf")]}, type="bar", **XY)
    assert built.notes == ("2 of 3 rows have no usable Y and are not drawn.",)


def test_a_missing_name_is_still_a_group_behind_those_that_have_one() -> None:
    built = chart({"x": ["a", None, ""], "y": [1, 2, 3]}, type="bar", **XY)
    assert names_across(built) == ["(empty)", "a", "(missing)"]
    columns = {"x": ["a"] * 3, "s": ["m", None, "f"], "y": [1, 9, 2]}
    grouped = chart(columns, type="grouped_bar", series_col="s", **XY)
    assert legend_names(grouped) == ["f", "m", "(missing)"]


def test_rows_of_one_category_are_added_up_only_where_that_means_something() -> None:
    columns = {"x": ["a", "a", "b"], "y": [1, 2, 4]}
    built = chart(columns, type="bar", **XY)
    assert bar_lengths(built) == [4, 3]
    assert "added up" in built.notes[0]
    with pytest.raises(ToolError, match="may not be added up") as refused:
        chart(columns, type="bar", additive=False, **XY)
    assert refused.value.category is ErrorCategory.INVALID_ARGUMENTS


def test_a_missing_month_is_a_gap_in_the_line() -> None:
    columns = {"x": ["1997-01", "1997-02", "1997-03", "1997-05", "1997-06"], "y": [1, 2, 3, 5, 6]}
    built = chart(columns, type="line", **XY)
    drawn = np.asarray(built.figure.axes[0].lines[0].get_ydata(), dtype=float)
    assert np.isnan(drawn).tolist() == [False, False, False, True, False, False]
    assert "1 gap;" in built.notes[0]


def test_weekends_are_no_gaps_in_a_series_of_weekdays() -> None:
    days = [f"2024-01-{d:02}" for d in (1, 2, 3, 4, 5, 8, 9, 10, 11, 12)]
    built = chart({"x": days, "y": range(10)}, type="line", **XY)
    assert built.notes == ()


def test_a_null_between_points_breaks_the_line() -> None:
    built = chart({"x": [1, 2, 3], "y": [1.0, None, 3.0]}, type="line", **XY)
    drawn = np.asarray(built.figure.axes[0].lines[0].get_ydata(), dtype=float)
    assert np.isnan(drawn).tolist() == [False, True, False]


def test_a_single_point_shows_a_mark() -> None:
    built = chart({"x": ["1997-01"], "y": [5]}, type="line", **XY)
    assert built.figure.axes[0].lines[0].get_marker() == "o"
    assert names_across(built) == ["Jan 1997"]


def test_a_point_alone_between_gaps_of_a_long_line_shows_a_mark() -> None:
    values = [1.0] * 20 + [None, 5.0, None] + [1.0] * 30
    built = chart({"x": list(range(53)), "y": values}, type="line", **XY)
    dots = built.figure.axes[0].lines[1]
    assert list(np.asarray(dots.get_xdata())) == [21]


def test_a_log_scale_only_where_asked_and_never_for_bars() -> None:
    columns = {"x": [1, 2, 3], "y": [1.0, 1000.0, 0.0]}
    assert chart(columns, type="line", **XY).figure.axes[0].get_yscale() == "linear"
    asked = chart(columns, type="line", y_scale="log", **XY)
    assert asked.figure.axes[0].get_yscale() == "log"
    assert "1 value of zero or less" in asked.notes[0]
    bars = chart(columns, type="bar", y_scale="log", **XY)
    assert bars.figure.axes[0].get_yscale() == "linear"
    assert "log scale" in bars.notes[0]


def test_a_heatmap_tells_no_row_from_zero() -> None:
    columns = {"x": ["a", "a", "b"], "s": ["p", "q", "p"], "y": [0, 2, 3]}
    built = chart(columns, type="heatmap", series_col="s", **XY)
    shown = built.figure.axes[0].images[0].get_array()
    assert shown is not None
    assert int(np.ma.getmaskarray(shown).sum()) == 1


def test_boxes_say_how_many_rows_they_stand_for() -> None:
    columns = {"x": ["a"] * 3 + ["b"] * 2, "y": [1, 2, 3, 7, 8]}
    built = chart(columns, type="box", **XY)
    assert names_across(built) == ["b\nn = 2", "a\nn = 3"]
    many = {"x": [f"g{i}" for i in range(25)] * 2, "y": range(50)}
    assert len(names_up(chart(many, type="box", **XY))) == 20


def test_boxes_of_one_number_each_are_bars() -> None:
    built = chart({"x": ["a", "b"], "y": [1.0, 2.0]}, type="box", **XY)
    assert built.kind is ChartType.BAR
    assert built.notes == ("Drawn as bars: one number for each X has no spread.",)


def test_points_over_names_are_bars_where_each_has_one_number() -> None:
    built = chart({"x": ["yes", "no"], "y": [3.0, 8.0]}, type="scatter", **XY)
    assert built.kind is ChartType.BAR
    assert built.notes == ("Drawn as bars: one number for each X has no spread.",)


def test_the_darker_a_shade_the_more_it_stands_for() -> None:
    columns = {"x": ["a", "b"] * 2, "s": ["p", "p", "q", "q"], "y": [1.0, 2.0, 3.0, 90.0]}
    image = chart(columns, type="heatmap", series_col="s", **XY).figure.axes[0].images[0]
    least, most = image.to_rgba(np.array([1.0, 90.0]))[:, :3].sum(axis=1)
    assert most < least


def test_boxes_leave_out_rows_of_no_group_where_that_is_asked() -> None:
    columns = {"x": ["a", "a", None, "b", "b"], "y": [1, 2, 3, 7, 8]}
    assert "(missing)\nn = 1" in names_across(chart(columns, type="box", **XY))
    assert names_across(chart(columns, type="box", named_only=True, **XY)) == [
        "b\nn = 2",
        "a\nn = 2",
    ]


def test_lines_of_counts_go_through_zero_where_there_is_no_row() -> None:
    columns = {"x": [2001, 2002, 2002, 2003], "s": ["p", "p", "q", "q"], "y": [4, 5, 3, 2]}
    wanted = {"type": "multi_line", "x_col": "x", "y_col": "y", "series_col": "s"}

    def drawn(**more: bool) -> list[list[float]]:
        axes = chart(columns, **wanted, **more).figure.axes[0]
        lines = [np.asarray(line.get_ydata(), dtype=float).tolist() for line in axes.lines]
        return sorted(lines, key=lambda line: str(line[0]))

    assert [0.0, 3.0, 2.0] in drawn(absent_is_zero=True)
    assert [4.0, 5.0, 0.0] in drawn(absent_is_zero=True)
    assert not any(0.0 in line for line in drawn())


def test_values_far_apart_each_keep_a_scale_of_their_own() -> None:
    assert scales.value_texts([9.87e13, 12_355_588.5]) == ["98.7T", "12.36M"]
    assert scales.value_texts([-98.7e12, -6.07e6, 0]) == [
        "\N{MINUS SIGN}98.7T",
        "\N{MINUS SIGN}6.07M",
        "0",
    ]
