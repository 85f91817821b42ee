"""stats.test where rows come in clusters, named as such or found to be alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from tests.thorough import times
from tests.unit.executor.test_stats_test import number, result, words


def of_clusters(
    rng: np.random.Generator, clusters: int, *, nested: bool, alike: float = 0.4
) -> pd.DataFrame:
    """Rows without any difference between their groups, each cluster with a level of its own."""
    level = rng.normal(0, np.sqrt(alike), clusters)
    which = np.repeat(np.arange(clusters), rng.poisson(6, clusters) + 1)
    group = which % 2 if nested else rng.integers(0, 2, len(which))
    noise = rng.normal(0, np.sqrt(1 - alike), len(which))
    return pd.DataFrame(
        {"spent": level[which] + noise, "shop": np.where(group, "b", "a"), "customer": which}
    )


@pytest.mark.parametrize("nested", [True, False], ids=["in one group", "in both"])
@pytest.mark.parametrize("clusters", [12, 60])
def test_nothing_is_found_in_nothing_more_often_than_is_said(clusters: int, nested: bool) -> None:
    rng = np.random.default_rng(11)
    tried = times(40, 400)
    found = [
        result(
            of_clusters(rng, clusters, nested=nested),
            test="compare",
            columns=["spent"],
            by="shop",
            cluster="customer",
        )
        for _ in range(tried)
    ]
    wrong = sum(number(one, "p-value") < 0.05 for one in found) / tried
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / tried)
    if nested:  # which is what a test of single rows gets wrong
        assert sum(number(one, "unclustered p-value") < 0.05 for one in found) / tried > 0.15


def test_many_clusters_have_the_errors_of_statsmodels() -> None:
    data = of_clusters(np.random.default_rng(3), 80, nested=True)
    found = result(data, test="compare", columns=["spent"], by="shop", cluster="customer")
    wanted = smf.ols("spent ~ shop", data).fit(
        cov_type="cluster", cov_kwds={"groups": data["customer"]}, use_t=True
    )
    assert number(found, "difference of means") == pytest.approx(wanted.params["shop[T.b]"])
    assert number(found, "p-value") == pytest.approx(wanted.pvalues["shop[T.b]"])
    model = result(
        data.assign(b=(data["shop"] == "b") * 1),
        test="regression",
        columns=["spent"],
        predictors=["b"],
        cluster="customer",
    )
    assert number(model, "standard error", "b") == pytest.approx(wanted.bse["shop[T.b]"])


def test_rows_that_are_alike_are_found_where_nobody_names_them() -> None:
    rng = np.random.default_rng(5)
    alike = result(of_clusters(rng, 30, nested=True), test="compare", columns=["spent"], by="shop")
    assert words(alike, "not met").startswith("Not independent: rows of one customer are alike")
    single = of_clusters(np.random.default_rng(6), 30, nested=True, alike=0.0)
    plain = result(single, test="compare", columns=["spent"], by="shop")
    assert not any("alike" in note for note in plain.notes)


def test_a_yes_and_no_in_words_is_looked_at_as_well() -> None:
    which = np.repeat(np.arange(40), 6)
    often = np.where(which % 3 == 0, 5, 1)  # of six rows
    left = np.arange(240) % 6 < often
    data = pd.DataFrame({"customer": which, "left": np.where(left, "yes", "no")})
    data["spent"] = np.arange(240) % 17 + which % 5
    found = result(data, test="regression", columns=["left"], predictors=["spent"])
    assert "logistic" in words(found, "test")
    assert words(found, "not met").startswith("Not independent: rows of one customer are alike")


def test_too_few_clusters_bear_no_conclusion() -> None:
    data = of_clusters(np.random.default_rng(3), 20, nested=True)
    found = result(
        data, test="regression", columns=["spent"], predictors=["shop"], cluster="customer"
    )
    assert words(found, "not met").startswith("Few clusters: customer has 20 values only")


def test_the_more_is_tried_the_surer_each_has_to_be() -> None:
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"x": rng.normal(0, 1, 200), "by": np.repeat(["a", "b"], 100)})
    data.loc[data["by"] == "b", "x"] += 0.32
    alone = result(data, test="compare", columns=["x"], by="by")
    among = result(data, test="compare", columns=["x"], by="by", tried=10)
    assert number(alone, "p-value") == number(among, "p-value") < 0.05
    assert number(among, "Bonferroni p-value") == pytest.approx(10 * number(among, "p-value"))
    assert "differs" in words(alone, "conclusion")
    assert "does not clearly differ" in words(among, "conclusion")
    assert number(among, "confidence") == pytest.approx(0.995)
    assert any("one of 10 tests" in note for note in among.notes)
