"""Charts at both ends: a single row has none, and finely counted numbers are put in ranges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ToolError, ToolResult
from services.executor.plotting.spread import bin_edges
from services.executor.tools.plot_render import plot_render


def drawn(table: pa.Table, **arguments: object) -> ToolResult:
    given = {"input": "load", "title": "A chart", **arguments}
    checked = plot_render.arguments.model_validate(given)
    return plot_render.run(checked, FakeToolContext({"load": table}))


def test_one_row_is_no_chart_and_says_so() -> None:
    one = pa.table({"species": ["Adelie"], "mass": [3700.7]})
    result = drawn(one, type="bar", x_col="species", y_col="mass")
    assert result.files == ()
    assert result.frame is one, "a step that succeeds hands something on"
    assert any(note.startswith("No chart is drawn") for note in result.notes)


def test_what_is_wrong_with_the_arguments_is_told_of_one_row_too() -> None:
    with pytest.raises(ToolError, match="weight"):
        drawn(pa.table({"species": ["Adelie"], "mass": [1.0]}), type="bar", x_col="weight")


def test_counts_of_very_many_numbers_are_added_up_in_ranges() -> None:
    delays = np.arange(-40, 140)
    counts = np.maximum(1, 200 - np.abs(delays))
    table = pa.table({"delay": delays, "flights": counts})
    result = drawn(table, type="bar", x_col="delay", y_col="flights")
    assert result.files[0].metadata["chart_type"] == "histogram"
    assert result.notes[0].startswith("Counted in ranges")


def test_averages_of_very_many_numbers_are_never_added_up() -> None:
    table = pa.table({"delay": list(range(180)), "score": [float(i % 7) for i in range(180)]})
    result = drawn(table, type="bar", x_col="delay", y_col="score", additive=False)
    assert result.files[0].metadata["chart_type"] == "line"


def test_counted_values_get_the_bins_of_the_same_values_one_by_one() -> None:
    values = np.array([1.5, 2.25, 7.75, 40.5])
    counts = np.array([30.0, 50.0, 15.0, 5.0])
    apart = np.repeat(values, counts.astype(int))
    assert bin_edges(values, counts) == pytest.approx(bin_edges(apart))


def test_a_second_name_makes_the_series_where_averages_would_else_be_added() -> None:
    table = pa.table(
        {"cut": ["a", "a", "b", "b"], "colour": ["D", "E", "D", "E"], "price": [1.0, 2, 3, 4]}
    )
    axes = {"type": "bar", "x_col": "cut", "y_col": "price", "additive": False}
    result = drawn(table, **axes, split_col="colour")
    assert result.files[0].metadata["chart_type"] == "grouped_bar"
    alone = drawn(table.slice(0, 3).take([0, 2]), **axes, split_col="colour")
    assert alone.files[0].metadata["chart_type"] == "bar", "not where each name is there once"
