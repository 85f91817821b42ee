"""causal.repairs finds what is wrong with data, and says why values are missing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from services.executor.causal.profiling.columns import read
from services.executor.causal.profiling.texts import find_text_type
from services.executor.causal.repairing.cells import sentinels
from services.executor.causal.repairing.missingness import little, mechanism
from services.executor.tools.causal_repairs import causal_repairs
from tests.unit.executor.causal_data import called, frame_of

SEEDS = range(12)


def proposed(frame: pa.Table, **arguments: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = frame_of(called(causal_repairs, frame, **arguments)).to_pylist()
    return rows


def gaps(kind: str, seed: int, rows: int = 800) -> pa.Table:
    """`b` goes with `a`; its gaps come by chance, from `a`, or nothing that is there tells them."""
    random = np.random.default_rng(seed)
    a, c = random.normal(size=rows), random.normal(size=rows)
    b = a + random.normal(size=rows)
    chance = {
        "MCAR": np.full(rows, 0.2),
        "MAR": 1 / (1 + np.exp(1.5 - a)),
        "MNAR?": 1 / (1 + np.exp(1.5 - b)),
    }[kind]
    mask = random.uniform(size=rows) < chance
    there = {"c": c} if kind == "MNAR?" else {"a": a, "c": c}
    return pa.table({**there, "b": pa.array(b, mask=mask)})


@pytest.mark.parametrize("kind", ["MCAR", "MAR", "MNAR?"])
def test_the_mechanism_of_gaps_is_told(kind: str) -> None:
    """Two tests at 1 % each miss once in a while; where no column is related, it stays open."""
    told = []
    for seed in SEEDS:
        columns = read(gaps(kind, seed))
        found = little(columns)
        told.append(mechanism(columns[-1], columns[:-1], None if found is None else found[1]).name)
    assert told.count(kind) >= len(SEEDS) - 2


def test_littles_test_keeps_its_level_and_has_power() -> None:
    by_chance = [little(read(gaps("MCAR", seed))) for seed in range(100)]
    assert sum(found is not None and found[1] < 0.05 for found in by_chance) <= 12
    by_rule = [little(read(gaps("MAR", seed))) for seed in SEEDS]
    assert all(found is not None and found[1] < 0.001 for found in by_rule)


def test_littles_test_has_the_degrees_of_freedom_of_its_patterns() -> None:
    """Two patterns, all three columns and two of them: 3 + 2 - 3."""
    found = little(read(gaps("MCAR", 1)))
    assert found is not None
    assert found[2] == 2


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1,200", "3", "N/A"], {"1,200": 1200.0, "3": 3.0}),
        (["1.234,5", "7", "2,5"], {"1.234,5": 1234.5, "7": 7.0, "2,5": 2.5}),
        (["$1,000.50", "-$3", "($2)"], {"$1,000.50": 1000.5, "-$3": -3.0, "($2)": -2.0}),
        (["12%", "7.5 %"], {"12%": 0.12, "7.5 %": 0.075}),
        (["Yes", "no", "?"], {"Yes": True, "no": False}),
        (["1e3", "-.5"], {"1e3": 1000.0, "-.5": -0.5}),
    ],
)
def test_texts_that_are_values_are_read(texts: list[str], values: dict[str, Any]) -> None:
    found = find_text_type(texts)
    assert found is not None
    assert dict(found.values) == values


@pytest.mark.parametrize(
    "texts", [["12%", "13"], ["1", "two"], ["1,5", "2.5"], ["2024-13-01", "2024-01-01"], ["n/a"]]
)
def test_texts_that_might_be_something_else_stay_texts(texts: list[str]) -> None:
    assert find_text_type(texts) is None


def test_signs_for_no_value_are_told_from_true_numbers() -> None:
    random = np.random.default_rng(0)
    ages = random.integers(18, 90, 300).astype(float)
    assert sentinels(np.append(ages, [-999.0] * 5)) == [-999.0]
    assert sentinels(np.append(ages, [-9.0] * 5)) == [-9.0]
    assert sentinels(np.append(ages, [9_999.0] * 5)) == [9_999.0]
    assert sentinels(np.append(ages, [99.0] * 5)) == []
    assert sentinels(random.normal(0, 20, 300).round()) == []


def test_rows_that_repeat_are_only_flagged_without_a_key() -> None:
    frame = pa.table({"shoe": [1.5, 2.5, 1.5, 3.5] * 10, "colour": ["a", "b", "a", "c"] * 10})
    (row,) = [row for row in proposed(frame) if row["kind"] == "duplicate"]
    assert (row["method"], row["applied"], row["rows"]) == ("flag", False, 37)
    assert "no column tells rows apart" in row["reason"]


def test_rows_that_repeat_with_their_key_are_left_out() -> None:
    count = 60
    random = np.random.default_rng(0)
    values = {"order_id": list(range(count)), "amount": random.normal(size=count).tolist()}
    frame = pa.table({name: [*column, *column[:4]] for name, column in values.items()})
    (row,) = [row for row in proposed(frame) if row["kind"] == "duplicate"]
    assert (row["method"], row["applied"], row["rows"]) == ("drop_repeats", True, 4)
    assert '"order_id"' in row["reason"]


def test_values_far_out_are_flagged_with_their_rows_and_kept() -> None:
    random = np.random.default_rng(0)
    heights = random.normal(170, 8, 500)
    heights[[7, 300]] = 1_700.0, 3.0
    rows = proposed(pa.table({"height": heights, "income": random.lognormal(10, 1, 500)}))
    (row,) = [r for r in rows if r["kind"] == "outlier" and r["column"] == "height"]
    assert {7, 300} <= set(json.loads(row["before"])["_row"])
    assert not row["applied"]
    skewed = [r for r in rows if r["column"] == "income"]
    assert sum(r["rows"] for r in skewed) <= 3


def test_treatment_and_outcome_are_never_imputed() -> None:
    random = np.random.default_rng(0)
    mask = random.uniform(size=400) < 0.2
    frame = pa.table(
        {
            "t": pa.array(random.integers(0, 2, 400), mask=mask),
            "x": pa.array(random.normal(size=400), mask=mask[::-1].copy()),
            "y": pa.array(random.normal(size=400), mask=np.roll(mask, 7)),
        }
    )
    listed = proposed(frame, treatment="t", outcome="y")
    rows = {row["column"]: row["method"] for row in listed if row["kind"] == "missing"}
    assert rows == {"t": "drop_rows", "x": "impute", "y": "drop_rows"}


def test_hundreds_of_columns_are_looked_at_and_their_order_does_not_matter() -> None:
    random = np.random.default_rng(0)
    columns = {f"x{i}": random.normal(size=300) for i in range(150)}
    gaps = random.uniform(size=300) < 1 / (1 + np.exp(1 - 2 * columns["x77"]))
    frame = pa.table({**columns, "held": pa.array(random.normal(size=300), mask=gaps)})
    one, other = (
        [row for row in proposed(frame.select(names)) if row["column"] == "held"]
        for names in (frame.column_names, frame.column_names[::-1])
    )
    assert one[0]["mechanism"] == "MAR" and "x77" in one[0]["reason"]
    assert [row["p_value"] for row in one] == [row["p_value"] for row in other]


def test_every_repair_says_how_it_is_taken_back() -> None:
    for row in proposed(pa.table({"x": ["1", "2", "?"] * 20, "k": ["same"] * 60})):
        assert row["repair_id"].startswith("rep_")
        assert ("_row" in row["reversal"]) == row["applied"]
