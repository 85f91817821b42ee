"""causal.profile says what columns are, and finds the parts they play in data of known truth."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.tools.causal_profile import causal_profile
from tests.unit.executor.causal_data import Rows, by_column, called, clinic


def profiled(frame: pa.Table, **arguments: Any) -> Rows:
    return by_column(called(causal_profile, frame, **arguments))


def test_parts_are_found_in_a_clinic_without_naming_them() -> None:
    result = called(causal_profile, clinic())
    rows = by_column(result)
    best = {
        role: max(rows, key=lambda name: rows[name][f"{role}_score"])
        for role in ("treatment", "instrument")
    }
    assert best == {"treatment": "treated", "instrument": "lottery"}
    confounders = {name for name, row in rows.items() if row["confounder_score"] >= 0.5}
    assert confounders == {"age", "severity"}
    assert any('"treated" as the treatment, which nobody has named' in n for n in result.notes)
    assert any('"pain_score" as the outcome, which nobody has named' in n for n in result.notes)


def test_what_comes_after_the_treatment_is_no_confounder() -> None:
    row = profiled(clinic(), treatment="treated", outcome="pain_score")["follow_up_visits"]
    assert row["post_treatment"]
    assert row["confounder_score"] == row["instrument_score"] == 0.0
    assert "comes after the treatment" in row["reason"]


def test_tiers_are_believed_before_names() -> None:
    tiers = {"follow_up_visits": 0, "severity": 2, "treated": 1}
    rows = profiled(clinic(), treatment="treated", outcome="pain_score", tiers=tiers)
    assert not rows["follow_up_visits"]["post_treatment"]
    assert rows["severity"]["post_treatment"]
    assert "tier 2 is later" in rows["severity"]["reason"]


def test_scores_do_not_depend_on_the_order_of_columns() -> None:
    frame = clinic()
    turned = frame.select(frame.column_names[::-1])
    one, other = profiled(frame), profiled(turned)
    for name, row in one.items():
        assert row["treatment_score"] == other[name]["treatment_score"]
        assert row["outcome_score"] == other[name]["outcome_score"]
        assert row["confounder_score"] == pytest.approx(other[name]["confounder_score"])
        assert row["instrument_score"] == pytest.approx(other[name]["instrument_score"])


def test_an_instrument_is_never_more_than_a_candidate() -> None:
    row = profiled(clinic(), treatment="treated", outcome="pain_score")["lottery"]
    assert 0.5 <= row["instrument_score"] < 1
    assert "cannot be tested" in row["reason"]


def test_kinds_and_what_cannot_be_used() -> None:
    count = 200
    random = np.random.default_rng(1)
    frame = pa.table(
        {
            "amount": random.normal(size=count),
            "grade": random.choice(["low", "medium", "high"], count),
            "stars": random.integers(1, 6, count),
            "sold": random.choice([True, False], count),
            "answer": random.choice(["Yes", "No"], count),
            "price": [f"$1,{i:03d}.50" for i in range(count)],
            "city": random.choice(["Ulm", "Bonn", "Kiel"], count),
            "when": random.choice(["2024-01-01", "2024-02-03", "2024-05-06"], count),
            "same": ["x"] * count,
            "nothing": pa.nulls(count, pa.float64()),
            "blank": ["N/A"] * count,
            "order_id": [f"A{i}" for i in range(count)],
            "remark": [f"the customer wrote a long remark {i}" for i in range(count)],
            "shop": [f"shop {i % 120}" for i in range(count)],
        }
    )
    rows = profiled(frame)
    kinds = {name: row["type"] for name, row in rows.items() if row["usable"]}
    assert kinds == {
        "amount": "numeric",
        "grade": "ordinal",
        "stars": "ordinal",
        "sold": "binary",
        "answer": "binary",
        "price": "numeric",
        "city": "categorical",
        "when": "numeric",
    }
    reasons = {name: row["why_not"] for name, row in rows.items() if not row["usable"]}
    assert reasons == {
        "same": "constant",
        "nothing": "all missing",
        "blank": "all missing",
        "order_id": "identifier",
        "remark": "free text",
        "shop": "too many levels (120)",
    }
    assert rows["when"]["is_time"]
    assert rows["price"]["min"] == 1000.5
    assert list(json.loads(rows["grade"]["values"])) and rows["grade"]["mean"] is None


def test_ids_stay_ids_where_some_rows_were_loaded_twice() -> None:
    ids = [*range(1_000, 1_400), *range(1_000, 1_060)]
    rows = profiled(pa.table({"visitor_id": ids, "score": ids, "shop_id": [i % 40 for i in ids]}))
    assert rows["visitor_id"]["why_not"] == "identifier"
    assert rows["score"]["usable"], "nothing says that it is one"
    assert rows["shop_id"]["usable"], "several rows of each are units"


@pytest.mark.parametrize("seed", range(3))
def test_a_rule_that_decides_the_treatment_is_found_at_its_cutoff(seed: int) -> None:
    random = np.random.default_rng(seed)
    score = random.uniform(0, 100, 2_000)
    ruled = random.uniform(size=2_000) < np.where(score >= 60, 0.9, 0.1)
    sloped = random.uniform(size=2_000) < score / 100
    frame = pa.table({"score": score, "y": random.normal(size=2_000), "programme": ruled})
    found = profiled(frame, treatment="programme", outcome="y")["score"]
    assert found["discontinuity"] == pytest.approx(60, abs=1)
    smooth = frame.set_column(2, "programme", pa.array(sloped))
    assert profiled(smooth, treatment="programme", outcome="y")["score"]["discontinuity"] is None


def test_a_treatment_that_is_the_outcome_is_told() -> None:
    frame = clinic(rows=300).append_column("copy", clinic(rows=300)["treated"])
    result = called(causal_profile, frame, treatment="treated", outcome="copy")
    assert any("hold the same values" in note for note in result.notes)


def test_a_constant_treatment_and_few_rows_are_told() -> None:
    frame = pa.table({"treated": [1] * 30, "y": range(30), "x": [0.5, 1.5] * 15})
    result = called(causal_profile, frame, treatment="treated", outcome="y")
    assert any('"treated" cannot be used: constant' in note for note in result.notes)
    assert any("30 rows are few" in note for note in result.notes)


def test_columns_that_play_no_part_are_named_with_why() -> None:
    empty = pa.nulls(200, pa.float64())
    frame = clinic(rows=200).append_column("weight", empty).append_column("height", empty)
    frame = frame.append_column("site", pa.array(["north"] * 200))

    notes = called(causal_profile, frame, treatment="treated", outcome="pain_score").notes

    [told] = [note for note in notes if note.startswith("Not used: ")]
    assert "weight, height (all missing); site (constant)" in told


def test_more_columns_than_rows_are_told() -> None:
    random = np.random.default_rng(0)
    frame = pa.table({f"x{i}": random.normal(size=12) for i in range(20)})
    assert any("more columns" in note for note in called(causal_profile, frame).notes)


def test_a_column_that_is_not_there_is_told_with_those_alike() -> None:
    with pytest.raises(ToolError, match='no column "treatd"') as caught:
        called(causal_profile, clinic(rows=100), treatment="treatd")
    assert caught.value.category is ErrorCategory.MISSING_COLUMN
    assert "treated" in caught.value.details["candidates"]


def test_equal_input_gives_an_equal_frame() -> None:
    first, second = (called(causal_profile, clinic()).frame for _ in range(2))
    assert first is not None and first.equals(second)
