"""An outcome whose mean hangs on a handful of rows, so that an effect on the mean says little."""

from __future__ import annotations

from services.planner.domain.causal.state import AnalysisState

_FEW, _SHARE = 10, 0.01
"""Rows that carry the outcome's spread, and their share of all, below which a mean hangs on them.
Of samples of 1,000 rows from a Cauchy distribution 97 % are below, of Student's t with three
degrees of freedom 5 %, of normal and exponential ones none."""


def hangs_on_few_rows(state: AnalysisState) -> str:
    """Why an effect on the outcome's mean says little; empty where enough rows carry it.

    How many rows carry the spread is one over the sum of their squared shares of it, which is the
    number of rows over the kurtosis: as the effective size of a weighted sample (Kish 1965).
    """
    profile, explored = state.data_profile, state.eda_result
    _, outcome = state.get_primary_pair()
    if profile is None or explored is None or outcome is None:
        return ""
    excess = explored.distribution_stats.get(outcome, {}).get("kurtosis")
    if excess is None or not profile.n_samples:
        return ""
    carrying = profile.n_samples / (float(excess) + 3)
    if carrying >= min(_FEW, _SHARE * profile.n_samples):
        return ""
    return (
        f"how far {outcome} spreads lies with {max(1, round(carrying))} of its "
        f"{profile.n_samples:,} rows, so that its mean, and any effect on it, hangs on those few"
    )
