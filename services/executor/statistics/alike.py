"""Rows that are alike though nobody said so: a column of the frame whose rows come in clusters."""

from __future__ import annotations

import warnings

import pandas as pd
import pyarrow as pa
from scipy import stats

from services.executor.statistics.arguments import TestArguments
from services.executor.statistics.clustered import intraclass
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import as_numbers, is_text, of_groups

_LEAST_CLUSTERS, _ROWS_EACH, _MOST_COLUMNS = 5, 1.5, 30
_INFLATED, _BY_CHANCE = 1.3, 0.01


def tell_alike(outcome: Outcome, frame: pa.Table, arguments: TestArguments) -> None:
    """Denies that rows are independent where those with one value of another column are alike in
    what is tested, groups apart: by so much that errors are 1.14 times too small (the design effect
    of Kish, 1965, above 1.3), and not by chance (analysis of variance, p below 0.01)."""
    column, by = arguments.columns[0], arguments.by or ""
    named = {*arguments.columns, *arguments.predictors, by}
    found: list[tuple[float, str, int]] = []
    others = [name for name in frame.column_names if name not in named][:_MOST_COLUMNS]
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_boolean)
    for name in others:
        if not any(kind(frame.schema.field(name).type) for kind in kinds):
            continue
        data = frame.select([*([by] if by else []), column, name]).to_pandas().dropna()
        data = of_groups(data, by, arguments.groups) if by and arguments.groups else data
        clusters = int(data[name].nunique())
        if clusters < _LEAST_CLUSTERS or len(data) < _ROWS_EACH * clusters:
            continue
        values = _tested(data, column)
        if by:  # groups that differ make their rows alike, which is what is tested
            values = values - values.groupby(data[by].astype(str)).transform("mean")
        likeness = intraclass(values.to_numpy(), data[name])
        inflated = 1 + (len(data) / clusters - 1) * likeness
        if inflated > _INFLATED and _p(values, data[name]) < _BY_CHANCE:
            found.append((likeness, name, clusters))
    for likeness, name, clusters in sorted(found, reverse=True)[:1]:
        outcome.deny(
            "Not independent",
            f"rows of one {name} are alike (intraclass correlation {likeness:.2f}, {clusters:,} "
            f"clusters), so p is too small. Name {name} as the cluster.",
        )


def _tested(data: pd.DataFrame, column: str) -> pd.Series[float]:
    """What is tested as numbers: of two values, as a logistic regression takes, one and nought."""
    if is_text(data, column):
        return pd.Series(pd.factorize(data[column])[0], index=data.index, dtype="float64")
    return as_numbers(data, column)


def _p(values: pd.Series[float], clusters: pd.Series[str]) -> float:
    groups = [one.to_numpy() for _, one in values.groupby(clusters.to_numpy()) if len(one) > 1]
    if len(groups) < 2:
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # clusters within which nothing varies are alike indeed
        return float(stats.f_oneway(*groups).pvalue)
