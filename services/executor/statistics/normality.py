"""Whether values may come from a normal distribution, by one of three tests."""

from __future__ import annotations

import pandas as pd
from scipy import stats

from mesh.tool import ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    Numbers,
    at_least,
    groups_of,
    present,
    varying,
)

_MOST_FOR_SHAPIRO = 5000
_LEAST_FOR_DAGOSTINO = 8
_MANY = 1000
_KOLMOGOROV = "Kolmogorov-Smirnov test"


def normality(
    data: pd.DataFrame, column: str, alpha: float, by: str = "", method: str = ""
) -> Outcome:
    """Whether values, or those of each group, may come from a normal distribution."""
    if not by:
        return _normality(data, column, column, alpha, method)
    outcome = Outcome()
    pairs: list[tuple[str, Outcome]] = []
    for group, rows in groups_of(data, by):
        try:
            pairs.append((group, _normality(rows, column, column, alpha, method)))
        except ToolError as error:
            outcome.caveats.append(f"{group} is left out: {error.message}")
    odd = [group for group, one in pairs if one.value("p-value") < alpha]
    outcome.add_sentence(
        "test", f"{pairs[0][1].words('test')} within each {by}" if pairs else "none"
    )
    normal = f"not normal for {', '.join(odd[:5])}" if odd else "may well be normal"
    outcome.add_sentence("conclusion", f"{column} {'is ' if odd else ''}{normal}, by {by}")
    for group, one in pairs:
        for _, statistic, number, text in one.rows:
            if number is not None:
                outcome.add(statistic, number, group, text or "")
    outcome.assume("the rows are independent of one another")
    return outcome


def _normality(data: pd.DataFrame, column: str, about: str, alpha: float, method: str) -> Outcome:
    outcome = Outcome()
    values = present(data, column)
    at_least(values.size, 3, "a test of normality")
    varying(values, column)
    name, statistic, probability = shape_test(values, method)
    outcome.add_sentence("test", name)
    normal = probability >= alpha
    outcome.add_sentence("conclusion", f"{about} {'may well be' if normal else 'is not'} normal")
    outcome.add("statistic", statistic)
    outcome.add("p-value", probability)
    outcome.add("n", values.size)
    outcome.add("skewness", stats.skew(values, bias=False), text="adjusted Fisher-Pearson")
    if values.size > 3:
        outcome.add("kurtosis", stats.kurtosis(values, bias=False), text="excess, adjusted")
    outcome.assume("the rows are independent of one another")
    if name == _KOLMOGOROV:
        outcome.caveats.append(
            "The normal curve has the sample's own mean and deviation (n - 1), so that the p-value "
            "of Kolmogorov-Smirnov comes out too high."
        )
    if values.size > _MANY and not normal:
        outcome.caveats.append(
            "Of so many rows even a slight departure from normal is found; the histogram and the "
            "skewness show whether it matters."
        )
    return outcome


def shape_test(values: Numbers, method: str = "") -> tuple[str, float, float]:
    """The name, statistic and p-value of the test; where none is named, of the one that fits.

    That is Shapiro-Wilk up to 5,000 values and D'Agostino-Pearson above.
    """
    if method == "kolmogorov":
        scaled = (values - values.mean()) / values.std(ddof=1)
        found = stats.kstest(scaled, "norm")
        return _KOLMOGOROV, float(found.statistic), float(found.pvalue)
    if method != "dagostino" and (method == "shapiro" or values.size <= _MOST_FOR_SHAPIRO):
        statistic, probability = stats.shapiro(values)
        return "Shapiro-Wilk test", float(statistic), float(probability)
    at_least(values.size, _LEAST_FOR_DAGOSTINO, "D'Agostino and Pearson's test")
    statistic, probability = stats.normaltest(values)
    return "D'Agostino-Pearson test", float(statistic), float(probability)
