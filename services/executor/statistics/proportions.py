"""Shares of rows as estimates, with their intervals."""

from __future__ import annotations

import pandas as pd

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import group_name

_MOST_SHOWN = 12  # groups


def add_shares(outcome: Outcome, table: pd.DataFrame, confidence: float) -> None:
    """Adds which share of each group has the second of two values, with Wilson's (1927) interval.

    `table` holds counts, a row for each group and a column for each of the two values. Of two
    groups the difference is added as well, with the interval of Newcombe (1998).
    """
    from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

    if len(table) > _MOST_SHOWN:
        return
    value = group_name(str(table.columns.name), table.columns[1])
    by = str(table.index.name)
    having = [
        (group_name(by, group), int(row.iloc[1]), int(row.sum())) for group, row in table.iterrows()
    ]
    for group, count, rows in having:
        about = f"{value} among {group}"
        low, high = proportion_confint(count, rows, alpha=1 - confidence, method="wilson")
        outcome.add("share", count / rows, about)
        outcome.interval("share", float(low), float(high), about)
    if len(having) != 2:
        return
    (one, a, m), (other, b, n) = sorted(having, key=lambda group: -group[1] / group[2])
    about = f"{value} among {one} less {other}"
    low, high = confint_proportions_2indep(
        a, m, b, n, compare="diff", method="newcomb", alpha=1 - confidence
    )
    outcome.add("difference of shares", a / m - b / n, about)
    outcome.interval("difference of shares", float(low), float(high), about)
