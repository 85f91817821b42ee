"""Calibration on the data at hand tells methods that hold there from those that do not."""

from __future__ import annotations

from typing import Any

import pytest

from bench.causal import worlds
from mesh.tool import ToolError, ToolResult
from services.executor.tools.causal_calibrate import causal_calibrate
from tests.unit.executor.causal_help import rows
from tests.unit.executor.metric_data import Inputs


def calibrate(world: worlds.World, context: Inputs | None = None, **asked: Any) -> ToolResult:
    study = {"input": "data", "treatment": "t", "outcome": "y", "adjustment": world.adjustment}
    inputs = context or Inputs({"data": world.table})
    return causal_calibrate.run(causal_calibrate.arguments(**{**study, **asked}), inputs)


def test_a_method_whose_model_is_wrong_here_is_seen_to_miss() -> None:
    told = rows(
        calibrate(
            worlds.nonlinear(1, 600),
            methods=("OLS", "stratification"),
            repetitions=30,
            effects=(0.2,),
        )
    )
    constant = {row["method"]: row for row in told if row["kind"] == "constant"}
    assert constant["OLS"]["coverage_high"] < 0.5
    assert constant["stratification"]["coverage_high"] > 0.92
    assert abs(constant["stratification"]["bias"]) < abs(constant["OLS"]["bias"]) / 3
    for row in told:
        assert row["coverage_low"] <= row["coverage"] <= row["coverage_high"]
        assert row["rmse"] >= abs(row["bias"])


def test_effects_are_planted_in_both_kinds_and_the_frame_is_the_same_again() -> None:
    asked: dict[str, Any] = {"methods": ("IPW",), "repetitions": 5, "effects": (0.0, 0.5)}
    world = worlds.binary_outcome(2, 500)
    first = rows(calibrate(world, **asked))
    assert [row["kind"] for row in first] == ["constant", "heterogeneous"] * 2
    assert [row["planted"] > 1e-9 for row in first] == [False, False, True, True]
    assert rows(calibrate(world, **asked)) == first


def test_little_time_takes_fewer_rows_and_says_so() -> None:
    found = calibrate(worlds.linear(1, 5000), methods=("OLS",), repetitions=3, seconds=0.01)
    assert any("400 of 5,000 rows" in note for note in found.notes)


def test_what_declines_is_counted() -> None:
    (row, _) = rows(calibrate(worlds.no_overlap(1, 500), methods=("IPW",), repetitions=4))
    assert (row["failed"], row["coverage"]) == (4, None)


def test_it_stops_when_cancelled() -> None:
    world = worlds.linear(1, 300)
    context = Inputs({"data": world.table})
    context.cancelled.set()
    with pytest.raises(ToolError, match="cancelled"):
        calibrate(world, context, methods=("OLS",), repetitions=3)


@pytest.mark.parametrize(
    ("world", "method"),
    [
        (worlds.instrument(1, 800), "IV"),
        (worlds.two_instruments(2, 800), "IV"),
        (worlds.discontinuity(3, 1000), "RDD"),
        (worlds.fuzzy_discontinuity(1, 2000), "RDD"),
        (worlds.panel(4, 480), "DiD"),
    ],
)
def test_effects_are_planted_in_designs_and_found_there(world: worlds.World, method: str) -> None:
    asked: dict[str, Any] = {"methods": (method,), "repetitions": 20, **world.arguments}
    told = rows(calibrate(world, **asked))
    assert [row["kind"] for row in told] == ["constant"]
    (row,) = told
    assert row["failed"] < 8
    assert row["coverage_high"] > 0.92 and abs(row["bias"]) < row["mean_width"] / 4
    if method == "IV":
        assert rows(calibrate(world, **asked)) == told


def test_a_design_is_planted_in_a_call_of_its_own() -> None:
    world = worlds.instrument(1, 500)
    with pytest.raises(ToolError, match="call of its own"):
        calibrate(world, methods=("OLS", "IV"), **world.arguments)
