"""What is known of order in time, as far as a verdict hangs on it."""

from __future__ import annotations

from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.state import AnalysisState

_WHOLLY = 0.9
"""Share of rows whose values are among a column's commonest, from which adjusting for it counts."""
_MOST_DISTINCT = 25
"""Values of a column that tools which estimate tell apart; the rest is one to them."""
_REPEATED = 2
"""Rows of the commonest value up to which a column only names its rows."""


_MANY = 100
"""Rows from which tests of association tell most of what confounds: of six moderate confounders
they miss three with 60 rows, two with 100, one with 200."""


def too_few_rows(state: AnalysisState) -> str:
    """Why nobody knows what confounds, where neither people nor the rows tell; else empty."""
    rows = state.data_profile.n_samples if state.data_profile is not None else 0
    if rows >= _MANY:
        return ""
    return (
        f"{rows:,} rows are too few to show which columns go with both, and nobody said what came "
        "first."
    )


def find_knowledge(state: AnalysisState) -> Knowledge:
    """What people said, as `domain_knowledge` recorded it."""
    fields = Knowledge.model_fields
    values = state.domain_knowledge or {}
    return Knowledge.model_validate({name: values[name] for name in fields if name in values})


def against_time(state: AnalysisState) -> str:
    """Why the treatment cannot move the outcome by what people said of time; empty where it can."""
    treatment, outcome = (str(name) for name in state.get_primary_pair())
    known = find_knowledge(state)
    if not known.forbids(treatment, outcome):
        return ""
    tier = known.tier_of
    if tier.get(treatment, 0) > tier.get(outcome, 0):
        return (
            f"{treatment} came after {outcome}, as is said of time (tiers), and what comes later "
            "moves nothing that came before."
        )
    return f"{treatment} -> {outcome} is forbidden by what was said."


def order_is_known(state: AnalysisState) -> bool:
    """Whether people said that the outcome came after the treatment, and all that is adjusted for
    before it."""
    treatment, outcome = state.get_primary_pair()
    tier = find_knowledge(state).tier_of
    if treatment not in tier or outcome not in tier or tier[outcome] <= tier[treatment]:
        return False
    adjusted = (state.confounder_discovery or {}).get("adjustment", [])
    return all(name in tier and tier[name] < tier[treatment] for name in adjusted)


def crowded_columns(state: AnalysisState) -> list[str]:
    """Columns that ought to be adjusted for and cannot be wholly: of so many values that the
    commonest cover too few rows. Those whose values hardly repeat name rows, and are no cause.
    Where nobody told an order, nor that chance assigned the treatment, any column may have to."""
    profile = state.data_profile
    if profile is None:
        return []
    treatment, _ = state.get_primary_pair()
    tier = find_knowledge(state).tier_of
    early = {n for n, place in tier.items() if treatment in tier and place < tier[str(treatment)]}
    adjusted = set((state.confounder_discovery or {}).get("adjustment", []))
    wanted = early | adjusted
    if not tier and not (state.domain_knowledge or {}).get("randomised"):
        wanted |= set(profile.categorical_stats) - set(state.get_primary_pair())
    found = []
    for name in sorted(wanted & profile.categorical_stats.keys()):
        counts = sorted(profile.categorical_stats[name].values(), reverse=True)[:_MOST_DISTINCT]
        rows = profile.n_samples - profile.missing_values.get(name, 0)
        if max(counts, default=0) > _REPEATED and sum(counts) < _WHOLLY * rows:
            found.append(name)
    return found
