"""Rows that are left out for want of a treatment or an outcome, as far as a verdict hangs on it."""

from __future__ import annotations

from services.planner.domain.causal.state import AnalysisState

_FEW = 0.05
"""Share of rows up to which their loss is told and decides nothing."""


def chosen_by_gaps(state: AnalysisState) -> str:
    """Why the rows that are left may not stand for those that were lost; empty where they may.

    Who answers may hang on the answer (those who spend much do not tell), which no data show and
    no adjusting mends (Little & Rubin 2019). Gaps by chance alone do not choose.
    """
    profile = state.data_profile
    if profile is None or not profile.n_samples:
        return ""
    for repair in state.data_repairs:
        share = int(repair.get("rows") or 0) / profile.n_samples
        gaps = repair.get("kind") == "missing" and repair.get("column") in state.get_primary_pair()
        if gaps and repair.get("mechanism") not in ("", "MCAR", None) and share > _FEW:
            return (
                f"{share:.0%} of the rows lack {repair['column']}, and not by chance alone: if its "
                "value decides on whether it is known, the effect among the other rows is another"
            )
    return ""
