"""Numbers about one column: moments, quantiles, modes, normality."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    MOST_GROUPS,
    Numbers,
    as_numbers,
    at_least,
    is_text,
    present,
    too_many_groups,
    varying,
)

_MOST_FOR_SHAPIRO = 5000


def describe(
    data: pd.DataFrame,
    columns: tuple[str, ...],
    ddof: int,
    by: str = "",
    first: tuple[str, ...] = (),
) -> Outcome:
    """Mean, median, deviation and so on of each column, or of each of its groups.

    `ddof` is taken off n in the deviation; statistics named in `first` come before all others.
    Columns of text have a mode and a number of different values. Raises ToolError.
    """
    outcome = Outcome()
    groups = [("", data)] if not by else [(str(k), v) for k, v in data.groupby(by, sort=True)]
    if len(groups) > MOST_GROUPS:
        raise too_many_groups(by, len(groups))
    for group, rows in groups:
        for name in columns:
            about = f"{name} ({group})" if by else name
            if is_text(rows, name):
                _described_text(outcome, rows, name, about)
            else:
                _described(outcome, rows, name, about, ddof)
    outcome.rows.sort(key=lambda row: row[1] not in first)
    return outcome


def _described(outcome: Outcome, data: pd.DataFrame, name: str, about: str, ddof: int) -> None:
    every, values = as_numbers(data, name), present(data, name)
    outcome.add("n", values.size, about)
    outcome.add("missing", int(every.isna().sum()), about)
    if not values.size:
        return
    outcome.add("mean", values.mean(), about)
    outcome.add("median", float(np.median(values)), about)
    if values.size > ddof:
        divided = f"divided by n - {ddof}" if ddof else "divided by n"
        outcome.add("standard deviation", values.std(ddof=ddof), about, divided)
        outcome.add("variance", values.var(ddof=ddof), about, divided)
        error = values.std(ddof=ddof) / np.sqrt(values.size)
        outcome.add("standard error", error, about, f"of the mean, {divided}")
        if values.mean():
            ratio = values.std(ddof=ddof) / values.mean()
            outcome.add("coefficient of variation", ratio, about, divided)
    outcome.add("minimum", values.min(), about)
    outcome.add("maximum", values.max(), about)
    outcome.add("range", np.ptp(values), about)
    lower, upper = np.quantile(values, [0.25, 0.75])
    outcome.add("lower quartile", lower, about, "linear interpolation")
    outcome.add("upper quartile", upper, about, "linear interpolation")
    outcome.add("interquartile range", upper - lower, about, "linear interpolation")
    kinds, counts = np.unique(values, return_counts=True)
    if counts.max() > 1:
        also = int((counts == counts.max()).sum()) - 1
        outcome.add("mode", kinds[counts.argmax()], about, _as_often(also))
    outcome.add("sum", values.sum(), about)
    if values.size > 2 and np.ptp(values) > 0:
        outcome.add("skewness", stats.skew(values, bias=False), about, "adjusted Fisher-Pearson")
        outcome.add("skewness of the sample", stats.skew(values), about, "not adjusted")
    if values.size > 3 and np.ptp(values) > 0:
        outcome.add("kurtosis", stats.kurtosis(values, bias=False), about, "excess, adjusted")
        outcome.add("kurtosis of the sample", stats.kurtosis(values), about, "excess, not adjusted")


def _described_text(outcome: Outcome, data: pd.DataFrame, name: str, about: str) -> None:
    values = data[name].dropna()
    outcome.add("n", values.size, about)
    outcome.add("missing", len(data) - values.size, about)
    outcome.add("different values", values.nunique(), about)
    if values.size:
        counts = values.value_counts()
        most = sorted(str(value) for value in counts.index[counts == counts.iloc[0]])
        outcome.say("mode", most[0], about)
        outcome.add("rows of the mode", int(counts.iloc[0]), about, _as_often(len(most) - 1))


def _as_often(others: int) -> str:
    return f"{others:,} other values are as frequent" if others else ""


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
