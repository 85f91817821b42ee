"""Designs that people named and that did not stand: what is left is adjusting alone."""

from __future__ import annotations

from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.timing import find_knowledge


def denied_design(state: AnalysisState) -> tuple[str, str] | None:
    """Why an estimate that adjusts may not take the place of a design that was named and rejected,
    and what would help; None where none was.

    Who names an instrument or a cutoff says by it that something unseen, or the cutoff itself,
    moves both. Where chance assigned the treatment, adjusting needs no design.
    """
    known = find_knowledge(state)
    named = {
        "IV": ", ".join(known.instruments),
        "RDD": known.running if known.cutoff is not None else "",
    }
    if known.randomised:
        return None
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    for method, columns in named.items():
        own = [e for e in effects if e.method == method and not e.details.get("variant")]
        if not columns or any(effect.accepted for effect in own):
            continue
        reasons = (str(effect.details.get("reason", "")).rstrip(".") for effect in own)
        why = next((reason for reason in reasons if reason), "it gave no estimate")
        kind = "an instrument" if method == "IV" else "what decides on the treatment"
        return (
            f"{method} does not stand: {why}. {columns} was named as {kind}, so adjusting alone "
            "may miss what it was named for.",
            "Bring more rows or another design; if nothing unseen moves both, leave "
            f"{columns} out of --knowledge as {kind}.",
        )
    return None
