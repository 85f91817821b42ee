"""Numbers about one column: moments, quantiles, modes, normality."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats

from mesh.tool import ToolError
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    Numbers,
    as_numbers,
    at_least,
    groups_of,
    is_text,
    present,
    varying,
)

_MOST_FOR_SHAPIRO = 5000
_MANY = 1000


def describe(
    data: pd.DataFrame,
    columns: tuple[str, ...],
    ddof: int,
    by: str = "",
    first: tuple[str, ...] = (),
    confidence: float = 0.95,
) -> Outcome:
    """Mean, median, deviation and so on of each column, or of each of its groups.

    `ddof` is taken off n in the deviation; statistics named in `first` come before all others.
    Columns of text have a mode and a number of different values. Raises ToolError.
    """
    outcome = Outcome()
    for group, rows in groups_of(data, by) if by else [("", data)]:
        for name in columns:
            about = f"{name} ({group})" if by else name
            if is_text(rows, name):
                _described_text(outcome, rows, name, about)
            else:
                _described(outcome, rows, name, about, ddof, confidence)
    outcome.rows.sort(key=lambda row: row[1] not in first)
    return outcome


def _described(
    outcome: Outcome, data: pd.DataFrame, name: str, about: str, ddof: int, confidence: float
) -> None:
    every, values = as_numbers(data, name), present(data, name)
    outcome.add("n", values.size, about)
    outcome.add("missing", int(every.isna().sum()), about)
    if not values.size:
        return
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75])
    divided = f"divided by n - {ddof}" if ddof else "divided by n"
    spread = values.std(ddof=ddof) if values.size > ddof else math.nan
    outcome.add("mean", values.mean(), about)
    outcome.add("standard deviation", spread, about, divided)
    outcome.add("minimum", values.min(), about)
    outcome.add("lower quartile", lower, about, "linear interpolation")
    outcome.add("median", median, about)
    outcome.add("upper quartile", upper, about, "linear interpolation")
    outcome.add("maximum", values.max(), about)
    outcome.add("range", np.ptp(values), about)
    outcome.add("interquartile range", upper - lower, about, "linear interpolation")
    if values.size > ddof:
        outcome.add("variance", values.var(ddof=ddof), about, divided)
        error = spread / np.sqrt(values.size)
        outcome.add("standard error", error, about, f"of the mean, {divided}")
        _mean_interval(outcome, values, about, confidence)
        if values.mean():
            outcome.add("coefficient of variation", spread / values.mean(), about, divided)
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


def _mean_interval(outcome: Outcome, values: Numbers, about: str, confidence: float) -> None:
    """Student's interval of the mean; its deviation is divided by n - 1 whatever was asked."""
    if values.size < 2:
        return
    reach = stats.t.ppf(0.5 + confidence / 2, values.size - 1) * stats.sem(values)
    outcome.interval("mean", values.mean() - reach, values.mean() + reach, about)
    outcome.add("degrees of freedom", values.size - 1, about, "of the interval of the mean")


def _described_text(outcome: Outcome, data: pd.DataFrame, name: str, about: str) -> None:
    values = data[name].dropna()
    outcome.add("n", values.size, about)
    outcome.add("missing", len(data) - values.size, about)
    outcome.add("different values", values.nunique(), about)
    if values.size:
        counts = values.value_counts()
        most = sorted(str(value) for value in counts.index[counts == counts.iloc[0]])
        outcome.say("mode", most[0], about)
        others = _as_often(len(most) - 1)
        told = f"{most[0]}; {others}" if others else most[0]
        outcome.add("rows of the mode", int(counts.iloc[0]), about, told)


def _as_often(others: int) -> str:
    return f"{others:,} other values are as frequent" if others else ""


def normality(data: pd.DataFrame, column: str, alpha: float, by: str = "") -> Outcome:
    """Whether values, or those of each group, may come from a normal distribution."""
    if not by:
        return _normality(data, column, column, alpha)
    outcome = Outcome()
    told: list[tuple[str, Outcome]] = []
    for group, rows in groups_of(data, by):
        try:
            told.append((group, _normality(rows, column, column, alpha)))
        except ToolError as error:
            outcome.caveats.append(f"{group} is left out: {error.message}")
    odd = [group for group, one in told if one.value("p-value") < alpha]
    outcome.say("test", f"{told[0][1].words('test')} within each {by}" if told else "none")
    normal = f"not normal for {', '.join(odd[:5])}" if odd else "may well be normal"
    outcome.say("conclusion", f"{column} {'is ' if odd else ''}{normal}, by {by}")
    for group, one in told:
        for _, statistic, number, text in one.rows:
            if number is not None:
                outcome.add(statistic, number, group, text or "")
    outcome.assume("the rows are independent of one another")
    return outcome


def _normality(data: pd.DataFrame, column: str, about: str, alpha: float) -> Outcome:
    outcome = Outcome()
    values = present(data, column)
    at_least(values.size, 3, "a test of normality")
    varying(values, column)
    name, statistic, probability = shape_test(values)
    outcome.say("test", name)
    normal = probability >= alpha
    outcome.say("conclusion", f"{about} {'may well be' if normal else 'is not'} normal")
    outcome.add("statistic", statistic)
    outcome.add("p-value", probability)
    outcome.add("n", values.size)
    outcome.add("skewness", stats.skew(values, bias=False), text="adjusted Fisher-Pearson")
    if values.size > 3:
        outcome.add("kurtosis", stats.kurtosis(values, bias=False), text="excess, adjusted")
    outcome.assume("the rows are independent of one another")
    if values.size > _MANY and not normal:
        outcome.caveats.append(
            "Of so many rows even a slight departure from normal is found; the histogram and the "
            "skewness show whether it matters."
        )
    return outcome


def shape_test(values: Numbers) -> tuple[str, float, float]:
    """Shapiro-Wilk up to 5,000 values, D'Agostino-Pearson above: name, statistic, p-value."""
    if values.size <= _MOST_FOR_SHAPIRO:
        statistic, probability = stats.shapiro(values)
        return "Shapiro-Wilk test", float(statistic), float(probability)
    statistic, probability = stats.normaltest(values)
    return "D'Agostino-Pearson test", float(statistic), float(probability)
