"""Treatment and outcome where the user named less than both: chosen from the profile, and said."""

from __future__ import annotations

from mesh.errors import NO_TREATMENT_OUTCOME, AssayError
from services.planner.domain.causal.state import AnalysisState


def pair_for(state: AnalysisState) -> tuple[str, str]:
    """The pair to study: what was named, and the likeliest candidate for the rest.

    Raises AssayError(NO_TREATMENT_OUTCOME) where the profile has no candidate.
    """
    profile = state.data_profile
    treatments = profile.treatment_candidates if profile is not None else ()
    outcomes = profile.outcome_candidates if profile is not None else ()
    treatment = state.treatment_variable or next(
        (name for name in treatments if name != state.outcome_variable), None
    )
    outcome = state.outcome_variable or next((name for name in outcomes if name != treatment), None)
    if treatment is None or outcome is None:
        missing = "treatment" if treatment is None else "outcome"
        columns = ", ".join(profile.feature_names[:20]) if profile is not None else "none"
        raise AssayError(
            NO_TREATMENT_OUTCOME,
            f"no column looks like a {missing}; the columns are {columns}",
            fields={f"causal.{missing}": "name the column"},
        )
    return treatment, outcome
