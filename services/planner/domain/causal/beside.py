"""What is estimated beside the effect that is judged: other values of the treatment, other pairs.

Seed 001 tracks pairs by priority: the primary one is judged by every method and test, secondary and
exploratory ones are estimated by one method each and told as no more than that. All chances are
corrected together, for each is a further question to the same data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.contrasts import contrasts
from services.planner.domain.causal.effects import PREFIX_BESIDE, effects_of
from services.planner.domain.causal.graph import CausalPair
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.study import adjustment_of, study_of
from services.planner.domain.causal.tasks import call, data_task
from services.planner.domain.plan import Subtask

MOST_PAIRS = 6


@dataclass(frozen=True)
class Beside:
    """One further estimate; `contrast` is empty for a treatment of two values or of amounts."""

    task: str
    pair: CausalPair
    arguments: dict[str, Any] = field(default_factory=dict)
    contrast: str = ""


def besides(state: AnalysisState, brief: Brief) -> tuple[Beside, ...]:
    """Other values of the treatment, then other pairs, each with the method that serves it."""
    treatment, outcome = (str(name) for name in state.get_primary_pair())
    primary = CausalPair(treatment=treatment, outcome=outcome)
    levels = contrasts(state.data_profile, treatment, brief.treated, brief.reference)[1:]
    found = [
        Beside(
            f"{PREFIX_BESIDE}level{place}",
            primary,
            {**_method(state, brief, binary=True), **one.arguments},
            one.label,
        )
        for place, one in enumerate(levels)
    ]
    for place, pair in enumerate(brief.pairs[:MOST_PAIRS]):
        several = contrasts(state.data_profile, pair.treatment)
        kinds = state.data_profile.feature_types if state.data_profile is not None else {}
        binary = bool(several) or kinds.get(pair.treatment) == "binary"
        adjusted = _adjustment(state, brief, pair)
        given: dict[str, Any] = {
            **_method(state, brief, binary=binary and bool(adjusted)),
            "treatment": pair.treatment,
            "outcome": pair.outcome,
            "adjustment": adjusted,
            "treated": several[0].treated if several else None,
            "reference": several[0].reference if several else None,
        }
        label = several[0].label if several else ""
        found.append(Beside(f"{PREFIX_BESIDE}pair{place}", pair, given, label))
    return tuple(found)


def beside_calls(state: AnalysisState, brief: Brief) -> list[Subtask]:
    """The calls that estimate them."""
    data, study = data_task(state), study_of(state, brief)
    return [
        call(
            one.task,
            f"{_named(one)} beside the effect that is judged",
            "estimate",
            {**study, **one.arguments},
            data,
            seconds=5.0,
        )
        for one in besides(state, brief)
    ]


def beside_effects(
    state: AnalysisState, seen: Seen, brief: Brief, judged: TreatmentEffectResult | None = None
) -> list[TreatmentEffectResult]:
    """What they gave, each with its chance corrected for all of them, and for the judged one where
    it is of the same treatment's values."""
    found = []
    for one in besides(state, brief):
        effects = effects_of(state, seen, [one.task])
        for effect in effects[:1]:
            more = {"contrast": one.contrast, "beside": True, "priority": one.pair.priority}
            found.append(
                effect.model_copy(
                    update={
                        "treatment_variable": one.pair.treatment,
                        "outcome_variable": one.pair.outcome,
                        "details": {**effect.details, **more},
                    }
                )
            )
    chances = [e.p_value for e in found if e.accepted and e.p_value is not None]
    if judged is not None and judged.p_value is not None:
        chances.append(judged.p_value)
    return [_corrected(effect, chances) for effect in found]


def pairs_beside(brief: Brief) -> Sequence[CausalPair]:
    """Further pairs, each with why it was estimated."""
    return [
        pair.model_copy(update={"rationale": pair.rationale or "named beside"})
        for pair in brief.pairs[:MOST_PAIRS]
    ]


def _corrected(effect: TreatmentEffectResult, chances: list[float]) -> TreatmentEffectResult:
    """With its chance times how many there are (Bonferroni): each may be read by itself."""
    if effect.p_value is None or not effect.accepted:
        return effect
    corrected = min(1.0, effect.p_value * max(1, len(chances)))
    values = {"p_corrected_beside": corrected, "compared": len(chances)}
    return effect.model_copy(update={"details": {**effect.details, **values}})


def _method(state: AnalysisState, brief: Brief, *, binary: bool) -> dict[str, str]:
    adjusts = bool(adjustment_of(state, brief))
    return {"method": "AIPW", "estimand": "ATE"} if binary and adjusts else {"method": "OLS"}


def _adjustment(state: AnalysisState, brief: Brief, pair: CausalPair) -> list[str]:
    """What the judged effect is adjusted for, without what the pair is made of and what comes after
    its own treatment; and the judged treatment, where that came before."""
    tier = known_of(state, brief).tier_of
    treatment, _ = state.get_primary_pair()
    own = tier.get(pair.treatment)
    names = [*adjustment_of(state, brief)]
    if own is not None and tier.get(str(treatment), own) < own:
        names.append(str(treatment))
    after = {name for name, number in tier.items() if own is not None and number > own}
    return sorted({n for n in names if n not in (pair.treatment, pair.outcome)} - after)


def _named(one: Beside) -> str:
    of = f" ({one.contrast})" if one.contrast else ""
    return f"{one.pair.treatment}{of} on {one.pair.outcome}"
