"""stats.test against scipy and statsmodels, and against data whose truth was put in."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import statsmodels.formula.api as smf
from pydantic import ValidationError
from scipy import stats

from mesh.tool import DomainReply, PythonRun, ToolError, ToolResult
from services.executor.tools.stats_test import stats_test

RNG = np.random.default_rng(7)
SIZE = 400
WEIGHT = RNG.normal(70, 12, SIZE)
SEX = np.where(np.arange(SIZE) % 2 == 0, "female", "male")
HEIGHT = 120 + 0.7 * WEIGHT + np.where(SEX == "male", 5.0, 0.0) + RNG.normal(0, 4, SIZE)
CLASS = RNG.choice(["a", "b", "c"], SIZE)
SURVIVED = (RNG.random(SIZE) < 1 / (1 + np.exp(-(HEIGHT - 170) / 8))).astype(int)
PEOPLE = pd.DataFrame(
    {"weight": WEIGHT, "height": HEIGHT, "sex": SEX, "class": CLASS, "survived": SURVIVED}
)


class Context:
    """A context that holds one frame and nothing else."""

    row_limit = 1000
    seconds_left = 60.0
    cancelled = threading.Event()

    def __init__(self, frame: pd.DataFrame) -> None:
        self.inputs: Mapping[str, pa.Table] = {"load": pa.Table.from_pandas(frame)}

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        raise AssertionError("no test asks the sources")

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        raise AssertionError("no test runs code")

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        raise NotImplementedError

    def progress(self, message: str, fraction: float | None = None) -> None:
        return None


def result(frame: pd.DataFrame = PEOPLE, **arguments: Any) -> ToolResult:
    found = stats_test.run(stats_test.arguments.model_validate(arguments), Context(frame))
    assert isinstance(found, ToolResult)
    return found


def number(found: ToolResult, statistic: str, about: str = "") -> float:
    assert found.frame is not None
    for row in found.frame.to_pylist():
        if (row["about"], row["statistic"]) == (about, statistic):
            return float(row["value"])
    raise AssertionError(f"no {statistic} about {about!r}")


def words(found: ToolResult, statistic: str) -> str:
    assert found.frame is not None
    return str(next(r["text"] for r in found.frame.to_pylist() if r["statistic"] == statistic))


@pytest.mark.parametrize("ddof", [0, 1])
def test_a_description_states_what_the_deviation_is_divided_by(ddof: int) -> None:
    found = result(test="describe", columns=["weight"], ddof=ddof)
    assert number(found, "mean", "weight") == pytest.approx(WEIGHT.mean())
    assert number(found, "median", "weight") == pytest.approx(np.median(WEIGHT))
    assert number(found, "standard deviation", "weight") == pytest.approx(WEIGHT.std(ddof=ddof))
    assert number(found, "skewness", "weight") == pytest.approx(pd.Series(WEIGHT).skew())
    assert words(found, "standard deviation") == ("divided by n - 1" if ddof else "divided by n")


@pytest.mark.parametrize(
    ("method", "truth"),
    [("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)],
)
def test_correlations_come_with_their_p_values(method: str, truth: Any) -> None:
    found = result(test="correlation", columns=["weight", "height"], method=method)
    wanted = truth(WEIGHT, HEIGHT)
    assert number(found, "correlation") == pytest.approx(wanted.statistic)
    assert number(found, "p-value") == pytest.approx(wanted.pvalue)
    assert words(found, "conclusion") == "height rises with weight"


def test_what_many_rows_make_sure_but_tiny_is_not_said_to_rise_or_fall() -> None:
    rng = np.random.default_rng(7)
    depth = rng.normal(size=60_000)
    frame = pd.DataFrame({"depth": depth, "price": rng.normal(size=depth.size) - 0.02 * depth})
    for test in (
        {"test": "correlation", "columns": ["depth", "price"]},
        {"test": "linear_regression", "columns": ["price"], "predictors": ["depth"]},
    ):
        found = result(frame, **test)
        assert number(found, "p-value") < 0.001
        said = words(found, "conclusion")
        assert "hardly" in said and "by chance alone" in said
        assert "falls" not in said


def test_the_interval_of_a_correlation_is_that_of_fisher() -> None:
    found = result(test="correlation", columns=["weight", "height"], confidence=0.9)
    z, spread = np.arctanh(np.corrcoef(WEIGHT, HEIGHT)[0, 1]), 1 / np.sqrt(SIZE - 3)
    low, high = np.tanh(z + np.array([-1, 1]) * stats.norm.ppf(0.95) * spread)
    assert number(found, "correlation low") == pytest.approx(low)
    assert number(found, "correlation high") == pytest.approx(high)
    assert number(found, "confidence") == 0.9
    assert words(found, "assumes") == "the rows are independent of one another"


@pytest.mark.parametrize("equal", [True, False])
def test_two_groups_are_compared_by_welch_unless_variances_are_said_to_be_equal(
    equal: bool,
) -> None:
    found = result(test="t_test", columns=["height"], by="sex", equal_variances=equal)
    a, b = HEIGHT[SEX == "female"], HEIGHT[SEX == "male"]
    wanted = stats.ttest_ind(a, b, equal_var=equal)
    assert number(found, "t") == pytest.approx(wanted.statistic)
    assert number(found, "p-value") == pytest.approx(wanted.pvalue)
    assert number(found, "degrees of freedom") == pytest.approx(wanted.df)
    low, high = wanted.confidence_interval()
    assert number(found, "difference of means low") == pytest.approx(low)
    assert number(found, "difference of means high") == pytest.approx(high)
    pooled = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    assert number(found, "Cohen's d") == pytest.approx((a.mean() - b.mean()) / pooled)


def test_an_analysis_of_variance_tells_its_effect_and_both_degrees_of_freedom() -> None:
    found = result(test="anova", columns=["height"], by="class")
    groups = [HEIGHT[c == CLASS] for c in "abc"]
    wanted = stats.f_oneway(*groups)
    assert number(found, "F") == pytest.approx(wanted.statistic)
    assert number(found, "p-value") == pytest.approx(wanted.pvalue)
    assert number(found, "degrees of freedom") == 2
    assert number(found, "residual degrees of freedom") == SIZE - 3
    between = sum(g.size * (g.mean() - HEIGHT.mean()) ** 2 for g in groups)
    assert number(found, "eta squared") == pytest.approx(between / (HEIGHT.var() * SIZE))
    assert "does not clearly differ" in words(found, "conclusion")


def test_the_rank_tests_agree_with_scipy() -> None:
    found = result(test="mann_whitney", columns=["height"], by="sex")
    wanted = stats.mannwhitneyu(HEIGHT[SEX == "female"], HEIGHT[SEX == "male"])
    assert number(found, "U") == pytest.approx(wanted.statistic)
    assert number(found, "p-value") == pytest.approx(wanted.pvalue)
    found = result(test="kruskal", columns=["height"], by="class")
    ranks = stats.kruskal(*[HEIGHT[c == CLASS] for c in "abc"])
    assert number(found, "H") == pytest.approx(ranks.statistic)
    assert number(found, "p-value") == pytest.approx(ranks.pvalue)


def test_one_sample_and_paired_t_tests_agree_with_scipy() -> None:
    found = result(test="one_sample_t", columns=["weight"], expected=68)
    wanted = stats.ttest_1samp(WEIGHT, 68)
    assert number(found, "p-value") == pytest.approx(wanted.pvalue)
    found = result(test="paired_t", columns=["weight", "height"])
    assert number(found, "t") == pytest.approx(stats.ttest_rel(WEIGHT, HEIGHT).statistic)


def test_chi_square_is_not_corrected_and_gives_cramers_v() -> None:
    found = result(test="chi_square", columns=["sex", "survived"])
    table = pd.crosstab(PEOPLE["sex"], PEOPLE["survived"])
    wanted = stats.chi2_contingency(table, correction=False)
    assert number(found, "chi-square") == pytest.approx(wanted.statistic)
    assert number(found, "p-value") == pytest.approx(wanted.pvalue)
    assert number(found, "Cramer's V") == pytest.approx(np.sqrt(wanted.statistic / SIZE))


def test_chi_square_warns_where_expected_counts_are_small() -> None:
    few = pd.DataFrame({"a": list("xxxyyy"), "b": list("uuvvvu")})
    assert "rough" in " ".join(result(few, test="chi_square", columns=["a", "b"]).notes)


def test_a_linear_regression_recovers_what_was_put_in() -> None:
    found = result(test="linear_regression", columns=["height"], predictors=["weight", "sex"])
    fit = smf.ols("height ~ weight + C(sex)", PEOPLE).fit()
    assert number(found, "coefficient", "weight") == pytest.approx(fit.params["weight"])
    assert number(found, "p-value", "weight") == pytest.approx(fit.pvalues["weight"])
    assert number(found, "R squared") == pytest.approx(fit.rsquared)
    low, high = (number(found, f"coefficient {end}", "weight") for end in ("low", "high"))
    assert low < 0.7 < high
    assert number(found, "coefficient", "sex male vs female") == pytest.approx(5, abs=1.5)


def test_a_logistic_regression_gives_odds_ratios() -> None:
    found = result(test="logistic_regression", columns=["survived"], predictors=["height"])
    fit = smf.logit("survived ~ height", PEOPLE).fit(disp=0)
    assert number(found, "coefficient", "height") == pytest.approx(fit.params["height"])
    assert number(found, "odds ratio", "height") == pytest.approx(np.exp(fit.params["height"]))
    low, high = (number(found, f"coefficient {end}", "height") for end in ("low", "high"))
    assert low < 1 / 8 < high


def test_separated_values_are_refused_rather_than_estimated() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "y": [0, 0, 0, 1, 1, 1]})
    with pytest.raises(ToolError, match="separate the values"):
        result(frame, test="logistic_regression", columns=["y"], predictors=["x"])


@pytest.mark.parametrize(("method", "limit"), [("iqr", 1.5), ("z-score", 2.0)])
def test_outliers_are_those_outside_the_stated_bounds(method: str, limit: float) -> None:
    found = result(test="outliers", columns=["weight"], method=method, threshold=limit)
    if method == "iqr":
        first, third = np.quantile(WEIGHT, [0.25, 0.75])
        low, high = first - limit * (third - first), third + limit * (third - first)
    else:
        low, high = WEIGHT.mean() + np.array([-limit, limit]) * WEIGHT.std(ddof=1)
    outside = (low > WEIGHT) | (high < WEIGHT)
    assert number(found, "lower bound") == pytest.approx(low)
    assert number(found, "outliers") == outside.sum()


def test_normality_is_told_by_shapiro_wilk() -> None:
    found = result(test="normality", columns=["weight"])
    assert number(found, "p-value") == pytest.approx(stats.shapiro(WEIGHT).pvalue)
    skewed = pd.DataFrame({"x": np.random.default_rng(1).exponential(1, 200)})
    assert words(result(skewed, test="normality", columns=["x"]), "conclusion") == "x is not normal"


def test_missing_values_are_counted_and_left_out_of_tests() -> None:
    frame = pd.DataFrame({"a": [1.0, None, 3, 4, 6], "b": [2.0, 4, None, 9, 11]})
    counted = result(frame, test="missing")
    assert number(counted, "missing", "a") == 1
    assert number(counted, "share missing", "b") == pytest.approx(0.2)
    related = result(frame, test="correlation", columns=["a", "b"])
    assert number(related, "rows used") == 3
    assert number(counted, "rows with a missing value") == 2
    assert related.notes == ("2 rows with a missing value were left out.",)


def test_equal_inputs_give_equal_frames() -> None:
    one = result(test="anova", columns=["height"], by="class").frame
    assert one is not None and one.equals(
        result(test="anova", columns=["height"], by="class").frame
    )


def test_what_cannot_be_tested_is_refused_in_words() -> None:
    flat = pd.DataFrame({"a": [1, 1, 1, 1], "b": [1, 2, 3, 4], "c": list("wxyz")})
    flat = flat.assign(d=list("uuvv"), when=pd.to_datetime(["2020-01-01"] * 4))
    with pytest.raises(ToolError, match="same value in every row"):
        result(flat, test="correlation", columns=["a", "b"])
    with pytest.raises(ToolError, match="values that are no numbers"):
        result(flat, test="normality", columns=["c"])
    with pytest.raises(ToolError, match="one value only within each d"):
        result(flat, test="anova", columns=["a"], by="d")
    with pytest.raises(ToolError, match="values that are no numbers"):
        result(flat, test="describe", columns=["when"])
    with pytest.raises(ToolError, match="no column z; it has a, b, c"):
        result(flat, test="normality", columns=["z"])
    with pytest.raises(ToolError, match="needs exactly two"):
        result(test="t_test", columns=["height"], by="class")
    with pytest.raises(ValidationError, match="needs `by`"):
        result(test="anova", columns=["height"])
