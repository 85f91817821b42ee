"""Faults of leaves that would explain by themselves that they are off their forecast."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ToolError
from services.executor.tools.metric_leaf_quality import metric_leaf_quality
from tests.unit.executor.metric_data import rows_of

Leaf = tuple[str, float | None, float | None]
CALM: list[Leaf] = [(f"s{n}", 100.0 + n % 3, 100.0) for n in range(12)]


def checked(rows: list[Leaf], **more: Any) -> dict[str, dict[str, Any]]:
    """The findings by their check."""
    names = ("store", "real", "predicted")
    table = pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})
    if "real_denominator" in more:
        table = table.append_column("real_of", pa.array([10.0] * len(rows)))
        table = table.append_column("predicted_of", pa.array([10.0] * len(rows)))
    arguments = {
        "input": "leaves",
        "dimensions": ["store"],
        "real": "real",
        "predicted": "predicted",
        **more,
    }
    context = FakeToolContext({"leaves": table})
    tool = metric_leaf_quality
    found = tool.run(tool.arguments.model_validate(arguments), context)
    return {row["check"]: row for row in rows_of(found)}


def test_sound_leaves_have_no_faults() -> None:
    assert checked(CALM) == {}


def test_values_that_are_missing_are_a_fault_where_they_make_the_difference() -> None:
    found = checked([*CALM, ("gone", None, 500.0)])["missing_value"]
    assert (found["severity"], found["baseline"], found["comparison"]) == ("fault", 500.0, 0.0)
    assert found["detail"] == "1 leaf has a forecast and no actual value"
    off = [("off", 100.0, 9_000.0), ("gone", None, 500.0)]
    assert checked([*CALM, *off])["missing_value"]["severity"] == "doubt"


def test_a_missing_forecast_is_found_too_and_nan_is_missing() -> None:
    rows = [*CALM, ("new", 800.0, None), ("odd", 700.0, float("nan"))]
    found = checked(rows)["missing_forecast"]
    assert found["severity"] == "fault" and found["detail"].startswith("2 leaves have an actual")


def test_leaves_that_are_there_twice_are_found_whatever_their_order() -> None:
    off: list[Leaf] = [("off", 30.0, 100.0)]
    found = checked([*CALM, *off, *reversed(CALM), *off])["repeated_leaf"]
    assert found["detail"] == "13 leaves repeat other leaves with the same numbers"
    assert found["severity"] == "fault", "half of the difference is counted twice"
    assert "repeated_leaf" not in checked([*CALM, ("s0", 41.0, 40.0)]), "a part of a leaf"


@pytest.mark.parametrize("power", [-3, -1, 1, 2])
def test_another_unit_is_told(power: int) -> None:
    rows: list[Leaf] = [
        (name, (real or 0) * 10.0**power, forecast) for name, real, forecast in CALM
    ]
    found = checked(rows)["unit_change"]
    assert found["severity"] == "fault" and f"{10 ** abs(power):,}" in found["detail"]


def test_zeros_and_negative_values_are_noted() -> None:
    found = checked([*CALM, ("none", 0.0, 5.0), ("more", 5.0, 0.0), ("less", -5.0, 5.0)])
    assert {name: row["severity"] for name, row in found.items()} == {
        "zero_value": "note",
        "zero_forecast": "note",
        "negative": "note",
    }


def test_ratios_are_compared_as_ratios() -> None:
    below = {"real_denominator": "real_of", "predicted_denominator": "predicted_of"}
    found = checked([*CALM, ("gone", None, 5_000.0)], **below)["missing_value"]
    assert found["severity"] == "fault" and found["baseline"] == 500.0


def test_no_leaves_at_all_are_refused() -> None:
    with pytest.raises(ToolError, match="no leaves"):
        checked([])


def test_rows_alike_in_the_dimensions_repeat_nothing_where_other_columns_tell_them_apart() -> None:
    rows = [*CALM, ("off", 30.0, 100.0)] * 2
    assert "repeated_leaf" in checked(rows)
    assert "repeated_leaf" not in checked(rows, complete=False)
