"""Whether a number differs between groups, by the test that fits the groups and their rows."""

from __future__ import annotations

import pandas as pd

from services.executor.statistics.clustered import compare_clustered
from services.executor.statistics.groups import two_groups
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_numbers
from services.executor.statistics.variance import many_groups


def compare(data: pd.DataFrame, column: str, by: str, cluster: str, confidence: float) -> Outcome:
    """Welch's test of two groups, an analysis of variance of more; with `cluster`, one that allows
    for rows that are alike. Raises ToolError."""
    if cluster:
        return compare_clustered(data, column, by, cluster, confidence)
    known = data[[column, by]].dropna().groupby(by, observed=True)[column].count()
    if int((known > 1).sum()) == 2:
        return two_groups(
            data, column, by, equal_variances=False, ranks=False, confidence=confidence
        )
    as_numbers(data, column)
    return many_groups(data, column, by, ranks=False, confidence=confidence)
