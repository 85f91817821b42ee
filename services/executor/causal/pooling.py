"""One estimate out of those of several imputations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Pooled:
    """`df` are degrees of freedom of a t distribution (inf: normal); `missing_information` is the
    part of the variance that missing values are to blame for, 0 to 1."""

    estimate: float
    std_error: float
    df: float
    missing_information: float


def rubin(
    estimates: Sequence[float], std_errors: Sequence[float], complete_df: float = math.inf
) -> Pooled:
    """Rubin's rules (Rubin 1987) with the degrees of freedom of Barnard & Rubin (1999).

    `complete_df` are the degrees of freedom there would be without missing values. One imputation
    is handed back as it is. Raises ValueError where the two differ in length or are empty.
    """
    many = len(estimates)
    if many == 0 or many != len(std_errors):
        raise ValueError("pooling needs an estimate and a standard error of each imputation")
    mean = math.fsum(estimates) / many
    within = math.fsum(error**2 for error in std_errors) / many
    if many == 1:
        return Pooled(mean, math.sqrt(within), complete_df, 0.0)
    between = math.fsum((each - mean) ** 2 for each in estimates) / (many - 1)
    total = within + (1 + 1 / many) * between
    share = (1 + 1 / many) * between / total if total > 0 else 0.0
    if share < 1e-9:
        return Pooled(mean, math.sqrt(total), complete_df, 0.0)
    old = (many - 1) / share**2
    if math.isinf(complete_df):
        return Pooled(mean, math.sqrt(total), old, share)
    observed = (complete_df + 1) / (complete_df + 3) * complete_df * (1 - share)
    return Pooled(mean, math.sqrt(total), old * observed / (old + observed), share)


def interval(estimate: float, std_error: float, df: float = math.inf) -> tuple[float, float, float]:
    """The 95 % interval and two-sided p-value against no effect, of one distribution."""
    from scipy import stats

    law = stats.norm() if math.isinf(df) else stats.t(df)
    half = float(law.ppf(0.975)) * std_error
    p_value = float(2 * law.sf(abs(estimate) / std_error)) if std_error > 0 else math.nan
    return estimate - half, estimate + half, p_value
