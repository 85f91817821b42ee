"""Numbers about one column: moments, quantiles, modes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import (
    Numbers,
    as_numbers,
    groups_of,
    is_text,
    present,
)


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
        outcome.add_sentence("mode", most[0], about)
        others = _as_often(len(most) - 1)
        text = f"{most[0]}; {others}" if others else most[0]
        outcome.add("rows of the mode", int(counts.iloc[0]), about, text)


def _as_often(others: int) -> str:
    return f"{others:,} other values are as frequent" if others else ""
