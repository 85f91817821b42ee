"""How alike two groups are in their covariates, before and after weighting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from services.executor.causal.profiling.association import Matrix
from services.executor.causal.profiling.columns import Column, Vector

ALIKE = 0.1
"""Standardised differences below this are taken as balance (Austin 2009)."""
_MOST_LEVELS = 12


@dataclass(frozen=True)
class Difference:
    """`smd` is the difference of means in units of the groups' common spread, treated less
    control; `ratio` the treated variance over the control's; `p` of Welch's test, unweighted."""

    treated: float
    control: float
    smd: float
    ratio: float
    p: float


def features(columns: Sequence[Column]) -> tuple[list[str], Matrix]:
    """A named column for each covariate, and for each frequent level of one without an order; gaps
    hold the mean, and are a column of their own."""
    names, parts = [], []
    for column in columns:
        gaps = column.missing
        if column.codes is not None and column.kind in ("categorical", "binary"):
            counts = np.bincount(column.codes[~gaps], minlength=len(column.levels))
            frequent = np.argsort(-counts, kind="stable")[:_MOST_LEVELS]
            shown = [1] if column.kind == "binary" else sorted(frequent.tolist())
            for place in shown:
                names.append(f"{column.name} = {column.levels[place]}")
                parts.append((column.codes == place).astype(np.float64))
            if column.kind != "binary" and len(counts) > len(shown):
                names.append(f"{column.name} = any other")
                parts.append((~np.isin(column.codes, shown) & ~gaps).astype(np.float64))
        elif column.numbers is not None:
            names.append(column.name)
            middle = float(np.nanmean(column.numbers)) if not gaps.all() else 0.0
            parts.append(np.where(gaps, middle, column.numbers))
        if gaps.any() and not gaps.all():
            names.append(f"{column.name} is missing")
            parts.append(gaps.astype(np.float64))
    matrix = np.column_stack(parts) if parts else np.empty((0, 0))
    return names, matrix


def difference(values: Vector, treated: Vector, weights: Vector | None = None) -> Difference:
    """One covariate in two groups. The spread that differences are held against is that of the
    unweighted groups, also after weighting (Stuart 2010), so that both can be compared."""
    one, other = treated > 0.5, treated < 0.5
    if weights is None:
        weights = np.ones(len(values))
    means, variances = [], []
    for group in (one, other):
        share = weights[group] / weights[group].sum()
        mean = float(share @ values[group])
        variances.append(float(share @ (values[group] - mean) ** 2))
        means.append(mean)
    plain = [float(values[group].var()) for group in (one, other)]
    spread = float(np.sqrt(sum(plain) / 2))
    gap = means[0] - means[1]
    smd = gap / spread if spread > 0 else (0.0 if abs(gap) < 1e-12 else float("inf"))
    ratio = variances[0] / variances[1] if variances[1] > 0 else float("nan")
    return Difference(means[0], means[1], smd, ratio, _welch(values[one], values[other]))


def _welch(first: Vector, second: Vector) -> float:
    from scipy.stats import ttest_ind_from_stats

    if min(len(first), len(second)) < 2 or (first.std() == 0 and second.std() == 0):
        return float("nan")
    found = ttest_ind_from_stats(
        first.mean(),
        first.std(ddof=1),
        len(first),
        second.mean(),
        second.std(ddof=1),
        len(second),
        equal_var=False,
    )
    return float(found.pvalue)
