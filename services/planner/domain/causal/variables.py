"""Which columns take part: what is of use, what came before the treatment, what is its copy."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.causal.agent import Row
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.units import no_covariates

MOST_GRAPH_COLUMNS = 20
MOST_WEIGHED = 200


def usable_columns(state: AnalysisState) -> list[str]:
    """Columns with more than one value, by name: what the profile found no use for is not there."""
    profile = state.data_profile
    if profile is None:
        return []
    used = {
        *profile.treatment_candidates,
        *profile.outcome_candidates,
        *profile.potential_confounders,
        *profile.potential_instruments,
    }
    pair = {name for name in state.get_primary_pair() if name}
    return sorted(used | pair) if used else sorted({*profile.feature_names})


def graph_columns(state: AnalysisState) -> list[str]:
    """The columns that a graph is sought over: the pair, then the likeliest confounders, then what
    has a place in time, then the rest; not what names units or what came after by its name."""
    profile = state.data_profile
    if profile is None:
        return []
    pair = [name for name in state.get_primary_pair() if name]
    tiers = (state.domain_knowledge or {}).get("tiers") or []
    placed = [name for names in tiers for name in names if name in profile.feature_names]
    ranked = [
        *pair,
        *profile.potential_confounders,
        *placed,
        *profile.potential_instruments,
        *profile.treatment_candidates,
        *profile.outcome_candidates,
    ]
    apart = (no_covariates(state) | set(describe_later_columns(state))) - set(pair)
    return sorted(
        [name for name in dict.fromkeys(ranked) if name not in apart][:MOST_GRAPH_COLUMNS]
    )


def candidates_for_adjustment(state: AnalysisState, known: Knowledge) -> list[str]:
    """Columns that may be adjusted for, by name: neither the pair, nor what knowledge puts after
    the treatment, nor instruments, nor what names a unit or a time.

    What knowledge puts before the treatment is a candidate however little the profile makes of it:
    a column that goes with the treatment alone in this sample may be a confounder all the same.
    """
    treatment, _ = state.get_primary_pair()
    tier = known.tier_of
    before = {
        name for name, number in tier.items() if treatment in tier and number < tier[str(treatment)]
    }
    found = set(usable_columns(state)) | (before & varying_columns(state))
    return sorted(found - _apart(state, known))


def candidates_to_weigh(state: AnalysisState, known: Knowledge, rows: Sequence[Row]) -> list[str]:
    """Those, and by `rows` of the profile every other column of use: the profile sees what rises or
    falls with another column, and a confounder may go with both by its square alone."""
    first = candidates_for_adjustment(state, known)
    apart = {*_apart(state, known), *first}
    others = sorted(
        str(row["column"])
        for row in rows
        if row["usable"] and not row["is_time"] and row["column"] not in apart
    )
    return sorted([*first, *others[: max(MOST_WEIGHED - len(first), 0)]])


def _apart(state: AnalysisState, known: Knowledge) -> set[str | None]:
    """What is never adjusted for."""
    treatment, outcome = state.get_primary_pair()
    tier = known.tier_of
    after = {
        name for name, number in tier.items() if treatment in tier and number > tier[str(treatment)]
    }
    return {
        treatment,
        outcome,
        known.unit,
        known.time,
        known.running,
        *known.instruments,
        *known.negative_outcomes,
        *after,
        *no_covariates(state),
        *describe_later_columns(state),
    }


def after_by_name(rows: Sequence[Row], known: Knowledge) -> list[str]:
    """Columns whose names say that they came after the treatment, of which people told no place in
    time: adjusting for one would take away a part of the effect."""
    placed = {*known.tier_of, *(name for pair in known.required for name in pair)}
    return sorted(
        str(row["column"])
        for row in rows
        if row.get("post_treatment") and row["column"] not in placed
    )


def describe_later_columns(state: AnalysisState) -> list[str]:
    """What `after_by_name` found."""
    return list((state.domain_knowledge or {}).get("after_by_name", []))


def varying_columns(state: AnalysisState) -> set[str]:
    """Columns with more than one value."""
    profile = state.data_profile
    if profile is None:
        return set()
    spread = {n for n, facts in profile.numeric_stats.items() if facts.get("std", 0.0) > 0}
    return spread | {n for n, kinds in profile.categorical_stats.items() if len(kinds) > 1}
