"""The bench of the metric tools compares what it says, on a size that takes a moment."""

from __future__ import annotations

from bench.metric_cube import compared


def test_both_sides_are_measured_in_turns() -> None:
    figures = compared(2_000)
    assert figures["tools"]["rows"] <= 2_000
    assert figures["pairs"]["rows"] > 0
    assert figures["times"] > 0
    assert figures["memory_times"] > 0
