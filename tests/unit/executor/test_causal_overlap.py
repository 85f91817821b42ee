"""causal.overlap tells whether groups can be compared, and refuses where there are no groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from mesh.tool import ToolError
from services.executor.causal.checking.weighing import average_weights, crump, effective
from services.executor.tools.causal_overlap import causal_overlap
from tests.unit.executor.causal_data import called, frame_of


def trial(strength: float, seed: int = 0, rows: int = 2_000) -> pa.Table:
    """Treatment depends on x by so much, and on the group a little."""
    random = np.random.default_rng(seed)
    x, group = random.normal(size=rows), random.choice(list("abc"), rows)
    chance = 1 / (1 + np.exp(-(strength * x + 0.5 * (group == "b"))))
    t = random.uniform(size=rows) < chance
    y = t + x + random.normal(size=rows)
    return pa.table({"x": x, "noise": random.normal(size=rows), "group": group, "t": t, "y": y})


def checked(frame: pa.Table, **arguments: Any) -> tuple[dict[tuple[str, str, str], Any], list[str]]:
    given = {"treatment": "t", "outcome": "y", **arguments}
    result = called(causal_overlap, frame, **given)
    rows = frame_of(result).to_pylist()
    return {(r["section"], r["name"], r["statistic"]): r for r in rows}, list(result.notes)


def test_groups_that_overlap_are_balanced_by_their_weights() -> None:
    rows, _ = checked(trial(0.7))
    smd = rows["balance", "x", "smd"]
    assert smd["before"] > 0.5
    assert abs(smd["after"]) < 0.1
    assert rows["overlap", "", "verdict"]["text"].startswith("the groups overlap well")
    assert rows["overlap", "logistic", "common_support_share"]["before"] > 0.95
    worth = rows["weights", "yes", "effective_rows_ATE"]
    assert 0.5 * worth["before"] < worth["after"] < worth["before"]


def test_weak_overlap_is_told_and_trimming_helps() -> None:
    rows, _ = checked(trial(4.0))
    assert "weak" in rows["overlap", "", "verdict"]["text"]
    assert rows["trimming", "", "alpha"]["before"] > 0.03
    worth = rows["trimming", "", "effective_rows_ATE"]
    assert worth["after"] > worth["before"]
    assert rows["overlap", "logistic", "extreme_share"]["after"] < 0.05


def test_groups_that_do_not_overlap_are_not_compared() -> None:
    rows, _ = checked(trial(60.0))
    assert "no comparison of like with like" in rows["overlap", "", "verdict"]["text"]


def test_a_level_that_only_one_group_has_is_named() -> None:
    frame = trial(0.5)
    t = np.array(frame["t"].to_pylist()) | (np.array(frame["group"].to_pylist()) == "c")
    rows, _ = checked(frame.set_column(3, "t", pa.array(t)))
    assert rows["overlap", "group = c", "one_sided"]["text"].endswith("none to compare them with")


def test_boosting_notices_what_a_straight_line_misses() -> None:
    frame = trial(0.0)
    x = frame["x"].to_numpy()
    random = np.random.default_rng(1)
    bent = random.uniform(size=len(x)) < np.where(np.abs(x) > 0.7, 0.85, 0.15)
    rows, notes = checked(frame.set_column(3, "t", pa.array(bent)))
    assert rows["overlap", "boosting", "auc"]["before"] > 0.75
    assert rows["overlap", "logistic", "auc"]["before"] < 0.6
    assert any("boosting tells the treatment better" in note for note in notes)


def test_histograms_hold_every_row() -> None:
    rows, _ = checked(trial(1.0))
    for group in ("yes", "no"):
        bins = [
            r for (section, name, _), r in rows.items() if (section, name) == ("histogram", group)
        ]
        assert len(bins) == 20
        total = rows["trimming", group, "rows"]["before"]
        assert sum(row["before"] for row in bins) == total
        assert sum(row["after"] for row in bins) == pytest.approx(total)


def test_crumps_rule_is_the_best_cutoff() -> None:
    """The cutoff minimises the variance bound: the mean of 1/(e(1-e)) within over the share kept
    (Crump et al. 2009, theorem 1, constant variance)."""
    chance = np.random.default_rng(0).beta(0.4, 0.4, 20_000)

    def bound(alpha: float) -> float:
        kept = chance[(chance >= alpha) & (chance <= 1 - alpha)]
        return float((1 / (kept * (1 - kept))).mean() / len(kept))

    grid = np.linspace(0.005, 0.3, 300)
    best = grid[int(np.argmin([bound(alpha) for alpha in grid]))]
    assert crump(chance) == pytest.approx(best, abs=0.01)
    assert crump(np.full(100, 0.4)) == 0.0


def test_equal_weights_are_worth_all_their_rows() -> None:
    assert effective(np.full(50, 3.0)) == pytest.approx(50)
    assert effective(np.array([1.0, 0.0, 0.0])) == pytest.approx(1)
    treated = np.array([1.0, 1.0, 0.0])
    assert average_weights(np.array([0.2, 0.5, 0.5]), treated)[:2].sum() == pytest.approx(2)


def test_a_dose_gets_the_generalised_score() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=2_000)
    frame = pa.table(
        {"x": x, "dose": 0.5 * x + random.normal(size=2_000), "y": x + random.normal(size=2_000)}
    )
    rows, notes = checked(frame, treatment="dose")
    assert rows["overlap", "dose", "r_squared"]["before"] == pytest.approx(0.2, abs=0.04)
    balance = rows["balance", "x", "correlation"]
    assert balance["before"] > 0.4 and abs(balance["after"]) < 0.1
    assert any("density of the dose" in note for note in notes)


def test_columns_that_come_after_are_left_out_or_warned_of() -> None:
    frame = trial(0.5).append_column("final_score", trial(0.5)["y"])
    rows, notes = checked(frame)
    assert ("balance", "final_score", "smd") not in rows
    assert any('"final_score"' in note and "Left out" in note for note in notes)
    _, notes = checked(frame, adjustment=["x", "final_score"])
    assert any("adjusting for it would mislead" in note for note in notes)


def test_a_column_of_5000_levels_is_folded() -> None:
    frame = trial(0.5, rows=6_000)
    random = np.random.default_rng(0)
    shops = pa.array([f"shop {i}" for i in random.integers(0, 5_000, 6_000)])
    rows, notes = checked(frame.append_column("shop", shops), adjustment=["x", "shop"])
    assert ("balance", "shop = any other", "smd") in rows
    assert any("taken together" in note for note in notes)


@pytest.mark.parametrize(
    ("treatment", "message"),
    [
        (pa.array([1] * 100), "is constant"),
        (pa.nulls(100, pa.int64()), "is all missing"),
        (pa.array(["a", "b", "c", "d"] * 25), "has 4 values"),
        (pa.array([True] * 97 + [False] * 3), "ten of each are needed"),
    ],
)
def test_a_treatment_without_two_groups_is_refused(treatment: pa.Array, message: str) -> None:
    frame = trial(0.5, rows=100).set_column(3, "t", treatment)
    with pytest.raises(ToolError, match=message) as caught:
        checked(frame)
    assert caught.value.hint


def test_a_treatment_that_is_the_outcome_is_refused() -> None:
    with pytest.raises(ToolError, match="one column"):
        checked(trial(0.5), outcome="t")


def test_fifty_rows_and_more_columns_than_rows_are_told() -> None:
    frame = trial(0.5, rows=50)
    random = np.random.default_rng(0)
    for place in range(60):
        frame = frame.append_column(f"z{place}", pa.array(random.normal(size=50)))
    _, notes = checked(frame)
    assert any("more covariates" in note for note in notes)


def test_which_value_is_treated_can_be_said() -> None:
    arms = np.where(np.array(trial(0.7)["t"].to_pylist()), "drug", "placebo")
    frame = trial(0.7).set_column(3, "t", pa.array(arms))
    one, _ = checked(frame, treated="drug")
    other, _ = checked(frame, treated="placebo")
    smd = ("balance", "x", "smd")
    assert one[smd]["before"] == pytest.approx(-other[smd]["before"])
    with pytest.raises(ToolError, match="no value 'surgery'"):
        checked(frame, treated="surgery")


def test_equal_calls_give_equal_frames() -> None:
    given = {"treatment": "t", "outcome": "y"}
    first, second = (called(causal_overlap, trial(1.0), **given).frame for _ in range(2))
    assert first is not None and first.equals(second)


def test_the_order_of_columns_does_not_matter() -> None:
    frame = trial(1.0)
    given = {"treatment": "t", "outcome": "y"}
    one = frame_of(called(causal_overlap, frame, **given))
    other = frame_of(called(causal_overlap, frame.select(frame.column_names[::-1]), **given))
    assert one.equals(other)
