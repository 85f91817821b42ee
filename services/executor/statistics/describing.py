"""Numbers about one column: moments, quantiles, missing values, normality."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import Numbers, as_numbers, at_least, present, varying

_MOST_FOR_SHAPIRO = 5000


def describe(data: pd.DataFrame, columns: tuple[str, ...], ddof: int) -> Outcome:
    """Mean, median, deviation and so on of each column; `ddof` is taken off n in the deviation."""
    outcome = Outcome()
    for name in columns:
        every = as_numbers(data, name)
        values = present(data, name)
        outcome.add("n", values.size, name)
        outcome.add("missing", int(every.isna().sum()), name)
        if not values.size:
            continue
        outcome.add("mean", values.mean(), name)
        outcome.add("median", float(np.median(values)), name)
        if values.size > ddof:
            divided = f"divided by n - {ddof}" if ddof else "divided by n"
            outcome.add("standard deviation", values.std(ddof=ddof), name, divided)
            outcome.add("variance", values.var(ddof=ddof), name, divided)
        outcome.add("minimum", values.min(), name)
        outcome.add("maximum", values.max(), name)
        outcome.add(
            "lower quartile", float(np.quantile(values, 0.25)), name, "linear interpolation"
        )
        outcome.add(
            "upper quartile", float(np.quantile(values, 0.75)), name, "linear interpolation"
        )
        if values.size > 2 and np.ptp(values) > 0:
            outcome.add("skewness", stats.skew(values, bias=False), name, "adjusted Fisher-Pearson")
        if values.size > 3 and np.ptp(values) > 0:
            outcome.add("kurtosis", stats.kurtosis(values, bias=False), name, "excess")
    return outcome


def missing(data: pd.DataFrame, columns: tuple[str, ...]) -> Outcome:
    """How many values of each column are missing, and which share of the rows that is."""
    outcome = Outcome()
    for name in columns:
        count = int(data[name].isna().sum())
        outcome.add("missing", count, name)
        outcome.add("share missing", count / len(data) if len(data) else 0.0, name)
    return outcome


def normality(data: pd.DataFrame, column: str, alpha: float) -> Outcome:
    """Whether values may come from a normal distribution."""
    outcome = Outcome()
    values = present(data, column)
    at_least(values.size, 3, "a test of normality")
    varying(values, column)
    name, statistic, probability = shape_test(values)
    outcome.say("test", name)
    normal = probability >= alpha
    outcome.say("conclusion", f"{column} {'may well be' if normal else 'is not'} normal")
    outcome.add("statistic", statistic)
    outcome.add("p-value", probability)
    outcome.add("n", values.size)
    outcome.add("skewness", stats.skew(values, bias=False), text="adjusted Fisher-Pearson")
    return outcome


def shape_test(values: Numbers) -> tuple[str, float, float]:
    """Shapiro-Wilk up to 5,000 values, D'Agostino-Pearson above: name, statistic, p-value."""
    if values.size <= _MOST_FOR_SHAPIRO:
        statistic, probability = stats.shapiro(values)
        return "Shapiro-Wilk test", float(statistic), float(probability)
    statistic, probability = stats.normaltest(values)
    return "D'Agostino-Pearson test", float(statistic), float(probability)
