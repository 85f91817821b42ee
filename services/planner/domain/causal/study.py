"""The study: treatment, outcome and what is adjusted for, as the tools that estimate take it."""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.contrasts import contrast_of
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.tasks import data_task
from services.planner.domain.causal.units import unit_of
from services.planner.domain.causal.variables import candidates_for_adjustment


def adjustment_of(state: AnalysisState, brief: Brief) -> list[str]:
    """What is adjusted for: as found, else all that may be."""
    found = state.confounder_discovery
    if found is None:
        return candidates_for_adjustment(state, known_of(state, brief))
    return list(found["adjustment"])


def study_of(state: AnalysisState, brief: Brief) -> dict[str, Any]:
    """The arguments that all tools of one study share."""
    treatment, outcome = state.get_primary_pair()
    contrast = contrast_of(state, brief)
    return {
        "input": data_task(state),
        "treatment": treatment,
        "outcome": outcome,
        "adjustment": adjustment_of(state, brief),
        "unit": unit_of(state),
        "seed": brief.seed,
        **(contrast.arguments if contrast is not None else {}),
    }


def is_binary(state: AnalysisState, brief: Brief) -> bool:
    """Whether two values of the treatment are compared: all that it has, or two of several."""
    if contrast_of(state, brief) is not None:
        return True
    treatment, _ = state.get_primary_pair()
    profile = state.data_profile
    return profile is not None and profile.feature_types.get(str(treatment)) == "binary"
