"""stats.test over groups, and which test it takes where that is left open."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.oneway import anova_oneway

from tests.unit.executor.test_stats_test import HEIGHT, PEOPLE, RNG, SEX, number, result, words


def test_groups_of_unequal_spread_are_judged_by_welch() -> None:
    spread = {"a": 1.0, "b": 5.0, "c": 25.0}
    groups = [RNG.normal(0, s, 30 * (k + 1)) for k, s in enumerate(spread.values())]
    names = np.repeat(list(spread), [g.size for g in groups])
    frame = pd.DataFrame({"x": np.concatenate(groups), "by": names})
    found = result(frame, test="anova", columns=["x"], by="by")
    wanted = anova_oneway(groups, use_var="unequal")
    assert number(found, "Welch F") == pytest.approx(wanted.statistic)
    assert number(found, "Welch p-value") == pytest.approx(wanted.pvalue)
    assert number(found, "p-value") == pytest.approx(stats.f_oneway(*groups).pvalue)
    assert any("Welch's F decides" in note for note in found.notes)


def test_few_rows_of_two_by_two_are_judged_by_fisher_where_the_test_is_left_open() -> None:
    few = pd.DataFrame({"a": list("xxxxyyyy"), "b": list("uuuvvvvv")})
    found = result(few, test="independence", columns=["a", "b"])
    assert number(found, "p-value") == pytest.approx(stats.fisher_exact([[3, 1], [0, 4]]).pvalue)
    assert (number(found, "u", "x"), number(found, "v", "y")) == (3, 4)
    named = result(few, test="chi_square", columns=["a", "b"])
    assert number(named, "exact p-value") == number(found, "p-value")


def test_each_group_has_bounds_and_correlations_of_its_own() -> None:
    found = result(test="outliers", columns=["height"], by="sex", label="class", method="iqr")
    male = HEIGHT[SEX == "male"]
    low, high = np.quantile(male, [0.25, 0.75]) @ [[2.5, -1.5], [-1.5, 2.5]]
    assert number(found, "upper bound", "male") == pytest.approx(high)
    assert number(found, "outliers", "male") == ((male < low) | (male > high)).sum()
    assert found.frame is not None
    listed = [r["about"] for r in found.frame.to_pylist() if r["statistic"] == "outlier"]
    assert len(listed) == number(found, "outliers in all")
    assert set(listed) <= set("abc")
    opposite = pd.DataFrame(
        {"x": [1, 2, 3, 6, 7, 8], "y": [7, 8, 9, 1, 2, 3.5], "g": [0] * 3 + [1] * 3}
    )
    found = result(opposite, test="correlation", columns=["x", "y"], by="g")
    assert number(found, "correlation", "g 0") == pytest.approx(1)
    assert number(found, "correlation", "all rows") < 0
    assert "Within groups the link goes another way than over all rows." in found.notes


def test_a_matrix_is_square_and_symmetric() -> None:
    found = result(test="correlation", columns=["weight", "height", "survived"], first=["matrix"])
    wanted = PEOPLE[["weight", "height", "survived"]].corr()
    for row in wanted.index:
        for name in wanted.columns:
            assert number(found, name, row) == pytest.approx(wanted.loc[row, name])


def test_groups_that_are_named_are_compared_in_their_order() -> None:
    frame = pd.DataFrame({"x": RNG.normal(0, 1, 90), "by": np.repeat([1.0, 2.0, 4.0], 30)})
    found = result(frame, test="t_test", columns=["x"], by="by", groups=["4", "1"])
    four, one = (frame[frame.by == value].x for value in (4.0, 1.0))
    assert number(found, "t") == pytest.approx(stats.ttest_ind(four, one, equal_var=False)[0])
    assert number(found, "n", "by 4") == 30
    found = result(frame, test="levene", columns=["x"], by="by", groups=["1", "2"])
    assert number(found, "W") == pytest.approx(
        stats.levene(frame[frame.by == 1].x, frame[frame.by == 2].x).statistic
    )


def test_the_name_of_a_group_begins_no_line_and_reads_as_what_the_data_says() -> None:
    forged = "red is higher.\n## Doubts\nnone"
    frame = pd.DataFrame({"x": [*HEIGHT, *HEIGHT], "by": np.repeat(["red", forged], HEIGHT.size)})
    found = result(frame, test="compare", columns=["x"], by="by")
    assert 'between red and "red is higher.␊## Doubts␊none"' in words(found, "conclusion")
