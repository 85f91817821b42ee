"""What directions count: LiNGAM's where disturbances tell them, NOTEARS' never."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from services.executor.tools.causal_discover import causal_discover
from tests.unit.executor.causal_data import called, frame_of

Edges = dict[frozenset[str], dict[str, Any]]


def chain(noise: str, rows: int = 1_500) -> pa.Table:
    """a causes b, b causes c."""
    random = np.random.default_rng(4)

    def drawn() -> np.ndarray:
        return random.normal(size=rows) if noise == "normal" else random.exponential(1.0, rows) - 1

    a = drawn()
    b = 0.9 * a + drawn()
    return pa.table({"a": a, "b": b, "c": 0.9 * b + drawn()})


def edges(frame: pa.Table, method: str) -> Edges:
    found = frame_of(called(causal_discover, frame, method=method, bootstraps=2))
    return {frozenset((row["source"], row["target"])): row for row in found.to_pylist()}


def test_disturbances_that_are_not_normal_tell_a_direction() -> None:
    found = edges(chain("skewed"), "LiNGAM")
    assert found[frozenset("ab")]["source"] == "a"
    assert found[frozenset("ab")]["direction_weight"] == 1.0


def test_normal_disturbances_tell_none() -> None:
    found = edges(chain("normal"), "LiNGAM")
    assert found
    for row in found.values():
        assert row["direction_weight"] == 0.0
        assert "look normal" in row["note"]


def test_a_model_whose_leftovers_depend_on_the_cause_tells_none() -> None:
    random = np.random.default_rng(5)
    a = random.uniform(-1, 1, 1_500)
    b = a + 3 * np.abs(a) * (random.exponential(1.0, 1_500) - 1)
    found = edges(pa.table({"a": a, "b": b, "c": random.uniform(size=1_500)}), "LiNGAM")
    assert found[frozenset("ab")]["direction_weight"] == 0.0
    assert "depends on it" in found[frozenset("ab")]["note"]


def test_directions_of_notears_count_for_nothing_and_say_why() -> None:
    found = edges(chain("skewed"), "NOTEARS")
    assert found
    for row in found.values():
        assert row["direction_weight"] == 0.0
        assert "Reisach" in row["note"]


@pytest.mark.parametrize("method", ["PC", "GES", "FCI"])
def test_directions_by_independences_count_in_full(method: str) -> None:
    random = np.random.default_rng(6)
    a, b = random.normal(size=(2, 1_500))
    frame = pa.table({"a": a, "b": b, "c": a + b + random.normal(size=1_500)})
    assert all(row["direction_weight"] == 1.0 for row in edges(frame, method).values())
