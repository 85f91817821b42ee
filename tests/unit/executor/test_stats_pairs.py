"""Which groups differ from which, and shares as estimates, against published figures and laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from mesh.tool import ToolResult
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.pairs import compared_means, compared_ranks
from tests.unit.executor.test_stats_test import number, result

RNG = np.random.default_rng(19)


def grown(centres: dict[str, float], spread: dict[str, float] | float, size: int) -> pd.DataFrame:
    spreads = spread if isinstance(spread, dict) else dict.fromkeys(centres, spread)
    parts = [
        pd.DataFrame({"x": RNG.normal(centre, spreads[name], size), "by": name})
        for name, centre in centres.items()
    ]
    return pd.concat(parts, ignore_index=True)


def words(found: ToolResult, statistic: str) -> list[str]:
    assert found.frame is not None
    return [row["text"] for row in found.frame.to_pylist() if row["statistic"] == statistic]


def test_equal_spreads_are_compared_as_by_tukey_and_kramer() -> None:
    draw = RNG.normal(10, 2, 40)
    groups = {"a": draw, "b": draw[::-1] + 0.2, "c": draw + 4}
    frame = pd.DataFrame(groups).melt(var_name="by", value_name="x")
    found = result(frame, test="anova", columns=["x"], by="by")
    told = pairwise_tukeyhsd(frame["x"], frame["by"])  # takes the first from the second, as here
    for i, about in enumerate(("b less a", "c less a", "c less b")):
        ends = [number(found, f"difference of means {end}", about) for end in ("low", "high")]
        assert number(found, "difference of means", about) == pytest.approx(told.meandiffs[i])
        assert ends == pytest.approx(list(told.confint[i]), abs=1e-3)
        assert number(found, "adjusted p-value", about) == pytest.approx(told.pvalues[i], abs=1e-3)
    assert words(found, "pairs") == ["Tukey-Kramer test: all differ from one another but b and a"]


def test_unequal_spreads_are_compared_as_by_games_and_howell() -> None:
    frame = grown({"a": 0.0, "b": 8.0, "c": 60.0}, {"a": 1.0, "b": 5.0, "c": 25.0}, 50)
    found = result(frame, test="anova", columns=["x"], by="by")
    assert words(found, "pairs") == ["Games-Howell test: each differs from every other"]
    two = Outcome()
    groups: dict[str, Any] = {n: frame["x"][frame["by"] == n].to_numpy() for n in ("a", "b")}
    compared_means(two, groups, same=False, confidence=0.95)
    welch = stats.ttest_ind(groups["b"], groups["a"], equal_var=False)  # the same for two groups
    assert two.value("adjusted p-value", "b less a") == pytest.approx(welch.pvalue, abs=1e-9)
    ends = welch.confidence_interval(0.95)
    seen = [two.value(f"difference of means {end}", "b less a") for end in ("low", "high")]
    assert seen == pytest.approx([ends.low, ends.high], rel=5e-3)


def test_no_p_value_is_told_more_exactly_than_it_is_known() -> None:
    groups: dict[str, Any] = {"a": RNG.normal(0, 1, 90), "b": RNG.normal(9, 3, 90)}
    for same in (True, False):
        outcome = Outcome()
        compared_means(outcome, groups, same=same, confidence=0.95)
        assert outcome.value("adjusted p-value", "b less a") == 1e-10


def test_ranks_of_two_groups_give_the_test_over_all() -> None:
    groups: dict[str, Any] = {"a": RNG.integers(0, 9, 30), "b": RNG.integers(2, 12, 40)}
    outcome = Outcome()
    compared_ranks(outcome, groups, 0.95)
    whole = stats.kruskal(*groups.values())
    assert outcome.value("z", "b against a") ** 2 == pytest.approx(whole.statistic)
    assert outcome.value("adjusted p-value", "b against a") == pytest.approx(whole.pvalue)


def test_ranks_of_several_groups_are_adjusted_for_their_number() -> None:
    frame = grown({"a": 0.0, "b": 0.1, "c": 3.0}, 1.0, 60)
    found = result(frame, test="kruskal", columns=["x"], by="by")
    [said] = words(found, "pairs")
    assert said.startswith("Dunn's test with Holm's correction: all differ from one another but")
    assert number(found, "adjusted p-value", "c against a") < 1e-6


def test_nothing_is_compared_where_the_groups_do_not_differ_or_are_too_many() -> None:
    same = result(grown(dict.fromkeys("abc", 1.0), 1.0, 30), test="anova", columns=["x"], by="by")
    assert not words(same, "pairs")
    many = {f"g{i:02}": float(i) for i in range(12)}
    found = result(grown(many, 1.0, 20), test="anova", columns=["x"], by="by")
    assert not words(found, "pairs")
    assert any("more than 10 groups" in note for note in found.notes)


def test_the_chance_of_finding_a_pair_where_there_is_none_is_kept() -> None:
    """Family-wise error: of 400 draws without any difference at most about 5 % find a pair."""
    wrong = 0
    for _ in range(400):
        groups = {name: RNG.normal(0, 1, 15) for name in "abcd"}
        outcome = Outcome()
        compared_ranks(outcome, groups, 0.95)
        wrong += "no two" not in outcome.words("pairs")
    assert wrong <= 36  # 20 expected; more than 36 has a chance below one in a thousand


def test_correlations_of_several_pairs_are_adjusted_after_holm() -> None:
    frame = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["a", "b", "c"])
    frame["b"] += 0.6 * frame["a"]
    found = result(frame, test="correlation", columns=["a", "b", "c"])
    pairs = ["a and b", "a and c", "b and c"]
    raw = sorted(number(found, "p-value", pair) for pair in pairs)
    seen = sorted(number(found, "adjusted p-value", pair) for pair in pairs)
    wanted = np.minimum(1, np.maximum.accumulate([raw[0] * 3, raw[1] * 2, raw[2]]))
    assert seen == pytest.approx(list(wanted))


def counted(rows: dict[tuple[str, str], int]) -> pd.DataFrame:
    return pd.DataFrame([pair for pair, n in rows.items() for _ in range(n)], columns=["g", "v"])


def test_shares_have_the_intervals_of_wilson_and_newcombe() -> None:
    """The figures are those printed by Newcombe (1998), Statistics in Medicine 17, 857 and 873."""
    frame = counted({("one", "no"): 182, ("one", "yes"): 81, ("two", "no"): 50, ("two", "yes"): 50})
    found = result(frame, test="chi_square", columns=["g", "v"])
    about = "v yes among one"
    assert number(found, "share", about) == pytest.approx(81 / 263)
    ends = number(found, "share low", about), number(found, "share high", about)
    assert ends == pytest.approx((0.2553, 0.3662), abs=5e-5)
    frame = counted({("one", "no"): 14, ("one", "yes"): 56, ("two", "no"): 32, ("two", "yes"): 48})
    found = result(frame, test="chi_square", columns=["g", "v"])
    about = "v yes among one less two"
    assert number(found, "difference of shares", about) == pytest.approx(0.2)
    names = ("difference of shares low", "difference of shares high")
    assert [number(found, name, about) for name in names] == pytest.approx(
        [0.0524, 0.3339], abs=5e-5
    )
