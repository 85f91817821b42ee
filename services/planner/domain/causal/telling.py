"""The answer of a causal job in words: the effect with its interval, or why there is none to tell.

A verifier holds every word of it against the cells (`mesh.proof.effects`) or the job's own record,
so it is told in few forms.
"""

from __future__ import annotations

from collections.abc import Mapping

from mesh.proof.assertions import Stated
from services.planner.domain.causal.advice import describe_assumptions
from services.planner.domain.causal.groups import standing_out
from services.planner.domain.causal.results import CritiqueDecision, TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.timing import find_knowledge, order_is_known
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.prose import Origin, Prose, Quoted
from services.planner.domain.reporting.stating import stating
from services.planner.domain.reporting.story import Speaker

MOST_GROUPS_SHOWN = 4
_DESIGNS = frozenset({"IV", "RDD", "DiD"})
_OPEN = {
    CritiqueDecision.ITERATE: "What {treatment} does to {outcome} is not settled",
    CritiqueDecision.REJECT: "These data cannot tell what {treatment} does to {outcome}",
}


def recorded(text: str) -> Quoted:
    """Words of the job's own record."""
    return Quoted(text, Origin.RECORD)


def conclusion(state: AnalysisState) -> str:
    """What the verdict leaves open, in words; nothing where it approves."""
    newest = state.newest_critique
    decision = newest.decision if newest is not None else CritiqueDecision.REJECT
    _, outcome = state.get_primary_pair()
    open_words = _OPEN.get(decision, "")
    return open_words.format(treatment=describe_treatment(state), outcome=outcome)


def describe_treatment(state: AnalysisState) -> str:
    """The treatment, and of several values which is held against which: `plan (pro against
    free)`."""
    treatment, _ = state.get_primary_pair()
    labels = (
        e.details.get("contrast") for e in state.treatment_effects if not e.details.get("beside")
    )
    label = next((label for label in labels if label), "")
    return f"{treatment} ({label})" if label else str(treatment)


def headline(
    state: AnalysisState,
    effect: TreatmentEffectResult | None,
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
) -> Prose:
    """The effect, where it may be concluded; else that it may not."""
    left_open = conclusion(state)
    if left_open or effect is None:
        return Prose.of(recorded(left_open or "Nothing could be estimated"))
    condition = condition_of(state, effect)
    named = describe_treatment(state)
    prose = describe_effect(effect, tables, speaker, named, conditioned=bool(condition))
    return Prose.of(recorded(condition), ", ", prose) if condition else prose


def condition_of(state: AnalysisState, effect: TreatmentEffectResult) -> str:
    """What an estimate rests on that no data can show, to be said before its number: of an
    instrument that it acts through the treatment alone. Nothing for other designs, whose
    assumptions are tested, and where chance assigned the treatment.

    "Links" says more than "moves": a column that two unseen causes share, one of each of the pair,
    links both once rows are alike in it, though nothing moves both (M-bias, Greenland 2003)."""
    known = state.domain_knowledge or {}
    if effect.method == "IV":
        return _exclusion(state)
    if effect.method in _DESIGNS or known.get("randomised"):
        return ""
    adjusted = ", ".join((state.confounder_discovery or {}).get("adjustment", []))
    unseen = "nothing unseen links both"
    unseen += f" among rows alike in {adjusted}" if adjusted else ""
    if order_is_known(state):
        return f"If {unseen}"
    treatment, outcome = state.get_primary_pair()
    order = f"{outcome} came after {treatment}"
    order += f" and {adjusted} before it" if adjusted else ""
    return f"If {order}, and {unseen}"


def _exclusion(state: AnalysisState) -> str:
    """The exclusion condition of an instrument by name (Imbens & Angrist 1994), and that nothing
    unseen links it to the outcome."""
    treatment, outcome = state.get_primary_pair()
    instruments = find_knowledge(state).instruments
    chosen = (state.confounder_discovery or {}).get("adjustment", [])
    adjusted = ", ".join(name for name in chosen if name not in instruments)
    several = len(instruments) > 1
    named = " and ".join(filter(None, (", ".join(instruments[:-1]), *instruments[-1:])))
    acting = f"{named} act" if several else f"{named or 'the instrument'} acts"
    alike = f" among rows alike in {adjusted}" if adjusted else ""
    return (
        f"If {acting} on {outcome} through {treatment} alone, and nothing "
        f"unseen links {'them' if several else 'it'} with {outcome}{alike}"
    )


def by_what(state: AnalysisState, effect: TreatmentEffectResult) -> str:
    """The estimand, the method, and what that method adjusted for: a design that took none of the
    study's columns says so itself."""
    chosen = (state.confounder_discovery or {}).get("adjustment", [])
    adjusted = ", ".join(effect.details.get("adjusted", chosen)) or "nothing"
    return f"{effect.estimand} by {effect.method}, adjusted for {adjusted}"


def describe_effect(
    effect: TreatmentEffectResult,
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
    treatment: str,
    *,
    conditioned: bool = False,
) -> Prose:
    """The treatment as it is told, outcome and the estimate with its interval, in the outcome's
    unit; `conditioned` where a condition stands before it."""
    outcome = str(effect.outcome_variable)
    prose = numbers_of(effect, tables, speaker)
    table, row = _cell(effect, tables)
    parts: tuple[Prose | Quoted | str, ...]
    if effect.ci_lower > 0:
        parts = (recorded(treatment), " raises ", recorded(outcome), " by ", prose)
    elif effect.ci_upper < 0:
        parts = (recorded(treatment), " lowers ", recorded(outcome), ": ", prose)
    else:
        parts = (
            "no effect of " if conditioned else "No effect of ",
            recorded(treatment),
            " on ",
            recorded(outcome),
            " is seen: ",
            prose,
        )
    return stating(Stated("effect", table.digest, (row,)), *parts)


def list_notable_groups(state: AnalysisState) -> list[TreatmentEffectResult]:
    """The groups that the answer tells of: those that stand out most, unless the data tell nothing;
    all of them are in the report."""
    newest = state.newest_critique
    if newest is None or newest.decision is CritiqueDecision.REJECT:
        return []
    out = standing_out(state.get_effects_for_pair(*state.get_primary_pair()))
    ranked = sorted(out, key=lambda e: (e.details["p_corrected"], str(e.details["group"])))
    return ranked[:MOST_GROUPS_SHOWN]


def _of_group(group: TreatmentEffectResult) -> str:
    return f"Where {group.details['group']}, by {group.method}"


def list_notable_levels(state: AnalysisState) -> list[TreatmentEffectResult]:
    """Other values of the treatment against its reference, where the data tell anything."""
    newest = state.newest_critique
    if newest is None or newest.decision is CritiqueDecision.REJECT:
        return []
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    return [e for e in effects if e.accepted and e.details.get("beside")]


def _of_level(level: TreatmentEffectResult) -> str:
    return f"{level.details['contrast']}, by {level.method} and not judged by itself"


def describe_estimate(
    name: str,
    effect: TreatmentEffectResult,
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
) -> Prose:
    """A name and one estimate with its interval."""
    table, row = _cell(effect, tables)
    prose = numbers_of(effect, tables, speaker)
    return stating(Stated("estimate", table.digest, (row,)), recorded(name), ": ", prose)


def numbers_of(
    effect: TreatmentEffectResult, tables: Mapping[str, EvidenceTable], speaker: Speaker
) -> Prose:
    """The estimate and its interval, each number a claim on its cell."""
    table, row = _cell(effect, tables)
    estimate, low, high = (
        speaker.number(table, row, column) for column in ("estimate", "ci_lower", "ci_upper")
    )
    return Prose.of(estimate, " (interval ", low, " to ", high, ")")


def answer(
    state: AnalysisState,
    effect: TreatmentEffectResult | None,
    tables: Mapping[str, EvidenceTable],
    speaker: Speaker,
    origin: str = "",
) -> Prose:
    """The answer in a few sentences: the effect or its lack, by what, against the plain comparison,
    the verdict, and of which `origin` it was asked."""
    parts: list[Prose] = [Prose.of(headline(state, effect, tables, speaker), ".")]
    if effect is not None:
        if conclusion(state):
            prose = describe_estimate(f"By {effect.method}", effect, tables, speaker)
            parts.append(Prose.of(prose, "."))
        parts.append(Prose.of(recorded(by_what(state, effect)), "."))
    naive = next((e for e in state.treatment_effects if e.method == "naive" and e.accepted), None)
    if naive is not None:
        plain = describe_estimate("The plain comparison gives", naive, tables, speaker)
        parts.append(Prose.of(plain, "."))
    for group in list_notable_groups(state):
        prose = describe_estimate(_of_group(group), group, tables, speaker)
        parts.append(Prose.of(prose, "."))
    for level in list_notable_levels(state):
        prose = describe_estimate(_of_level(level), level, tables, speaker)
        parts.append(Prose.of(prose, "."))
    assumed = describe_assumptions(state)
    if assumed:
        parts.append(Prose.of(recorded(assumed), "."))
    newest = state.newest_critique
    if newest is not None:
        parts.append(Prose.of(recorded(f"{newest.decision.value}: {newest.reasoning}")))
    if origin:
        parts.append(Prose.of(recorded(origin), "."))
    spread: list[Prose | str] = []
    for place, part in enumerate(parts):
        spread += [" ", part] if place else [part]
    return Prose.of(*spread)


def words_of(
    state: AnalysisState, effect: TreatmentEffectResult | None, origin: str = ""
) -> list[str]:
    """The sentences that the answer and its report quote, for the record."""
    newest = state.newest_critique
    groups = [_of_group(group) for group in list_notable_groups(state)]
    groups += [_of_level(level) for level in list_notable_levels(state)]
    words = [
        *groups,
        conclusion(state) or "Nothing could be estimated",
        "The plain comparison gives",
    ]
    if effect is not None:
        words.append(condition_of(state, effect))
        words += [by_what(state, effect), f"By {effect.method}"]
    words += [text for text in (describe_assumptions(state),) if text]
    if newest is not None:
        words.append(f"{newest.decision.value}: {newest.reasoning}")
    return [*words, origin] if origin else words


def _cell(
    effect: TreatmentEffectResult, tables: Mapping[str, EvidenceTable]
) -> tuple[EvidenceTable, int]:
    return tables[str(effect.details["task"])], int(effect.details["row"])
