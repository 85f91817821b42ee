"""What to do next, from what the analysis found wanting."""

from __future__ import annotations

from services.planner.domain.causal.advice import as_knowledge, suggested_by
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.results import CritiqueDecision
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.wording import TRY


def recommendations(state: AnalysisState, origin: Origin | None = None) -> list[str]:
    """What follows from the last critique; the most useful first, each once."""
    newest = state.newest_critique
    if newest is None:
        return []
    found = [text for text in newest.improvements if not text.startswith(TRY)]
    treatment, outcome = state.get_primary_pair()
    if order := as_knowledge(state):
        by = suggested_by(state)
        found.append(f"If the order that {by} assumes is right, say so in --knowledge: {order}")
    if newest.decision is CritiqueDecision.APPROVE:
        found.append(
            f"Belonging to {treatment} is no act that could be done otherwise: name what was done "
            f"there, as a column: assay causal --from {origin.job_id[:8]} --treatment COLUMN."
            if origin is not None and origin.of_segment
            else f"Before much rests on it, change {treatment} by chance for some and see whether "
            f"{outcome} moves as estimated."
        )
    elif newest.decision is CritiqueDecision.REJECT:
        found.append("Take no number from this analysis: what would have to hold for one does not.")
    else:
        found.append("Take the estimates for what they are: not settled.")
    return list(dict.fromkeys(found))
