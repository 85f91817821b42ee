"""What a causal study tells of itself: its estimates, tests, critique and what it assumes."""

from __future__ import annotations

from collections.abc import Iterator

from mesh.proof.claims import cell_text
from services.planner.domain.answer import Claim
from services.planner.domain.causal.result import CausalResult
from services.planner.domain.causal.results import (
    CritiqueDecision,
    SensitivityResult,
    TreatmentEffectResult,
)
from services.planner.domain.causal.scoring import newest_tests
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.texts import arrow
from services.planner.domain.inquiry.passage import Cell, Passage, Topic

_PLAIN = "naive"
_FALSIFIED = frozenset({"placebo_treatment", "random_common_cause", "subset", "negative_control"})
_DECISION_TEXTS = {
    CritiqueDecision.APPROVE: "The critique approves: the effect may be concluded.",
    CritiqueDecision.ITERATE: "The critique does not approve: the effect is not settled.",
    CritiqueDecision.REJECT: "The critique rejects it: these data cannot tell the effect.",
}


def of_causal(result: CausalResult) -> Iterator[Passage]:
    """Everything but what jobs of all kinds tell."""
    state = result.state
    treatment, outcome = state.get_primary_pair()
    yield Passage(
        topics=(Topic.EFFECT,), text=result.text, own=True, about=f"{treatment} {outcome} interval"
    )
    yield from _assumed(state)
    yield from _tests(state)
    yield from _verdict(result, state)
    yield from _estimates(state, result.claims)
    overlap = state.ps_diagnostics or {}
    if summary := str(overlap.get("summary") or overlap.get("reason") or "").strip():
        # A text of the tool's frame, or a reason of the record: quoted as it stands.
        yield Passage(topics=(Topic.OVERLAP,), text=f"{summary.rstrip('.')}.", own=True)
    if state.proposed_dag is not None and state.proposed_dag.edges:
        edges = "; ".join(
            f"{e.source} {arrow(e.edge_type)} {e.target}" for e in state.proposed_dag.edges
        )
        yield Passage(topics=(Topic.GRAPH,), text=f"The graph has these links: {edges}.", own=True)
    for repair in state.data_repairs:
        made = "made" if repair["applied"] else "told only"
        sentence = f"{repair['column'] or 'rows'}, {repair['kind']}, {made}: {repair['reason']}"
        yield Passage(topics=(Topic.REPAIRS,), text=f"{sentence.rstrip('.')}.")
    if not state.data_repairs:
        yield Passage(topics=(Topic.REPAIRS,), text="Nothing was repaired.", own=True)
    for text in state.recommendations:
        yield Passage(topics=(Topic.NEXT,), text=f"{text.rstrip('.')}.")


def _assumed(state: AnalysisState) -> Iterator[Passage]:
    found = state.confounder_discovery or {}
    columns = [str(name) for name in found.get("adjustment", found.get("confounders", []))]
    if columns:
        yield Passage(
            topics=(Topic.ADJUSTED,), text=f"Adjusted for {', '.join(columns)}.", own=True
        )
    for name in ("rule", "assumption"):
        if text := str(found.get(name) or ""):
            topics = (Topic.ADJUSTED,) if name == "rule" else (Topic.ASSUMED, Topic.ADJUSTED)
            yield Passage(topics=topics, text=f"{text.rstrip('.')}.", own=True, rank=2)
    for column, why in dict(found.get("excluded", {})).items():
        yield Passage(
            topics=(Topic.ADJUSTED,), text=f"{column} is left out: {why}.", own=True, rank=3
        )


def _tests(state: AnalysisState) -> Iterator[Passage]:
    """The interpretation of each test is a cell of the frame that its call made."""
    tests = newest_tests(state)
    of_task: dict[str, list[SensitivityResult]] = {}
    for test in tests:
        of_task.setdefault(str(test.details.get("task", "")), []).append(test)
    for test in tests:
        task = str(test.details.get("task", ""))
        beside = of_task[task]
        topic = Topic.PLACEBO if test.method in _FALSIFIED else Topic.UNSEEN
        passed = test.details.get("passes")
        verdict = "" if passed is None else " It passed." if passed else " It failed."
        yield Passage(
            topics=(topic,),
            text=f"{test.interpretation.rstrip('.')}.{verdict}",
            own=True,
            about=test.method.replace("_", " "),
            rank=1 if test.method == "placebo_treatment" else 2,
            cell=Cell(
                task_id=task,
                row=beside.index(test),
                rows=len(beside),
                column="interpretation",
                text=test.interpretation,
            ),
        )


def _verdict(result: CausalResult, state: AnalysisState) -> Iterator[Passage]:
    yield Passage(
        topics=(Topic.SURE, Topic.VERDICT), text=_DECISION_TEXTS[result.verdict], own=True
    )
    newest = state.newest_critique
    for issue in newest.issues if newest is not None else ():
        yield Passage(topics=(Topic.VERDICT, Topic.SURE), text=f"{issue.rstrip('.')}.", rank=2)
    if result.verdict is not CritiqueDecision.APPROVE:
        yield Passage(topics=(Topic.SURE,), text=result.text, own=True, rank=3)


def _estimates(state: AnalysisState, claims: tuple[Claim, ...]) -> Iterator[Passage]:
    """Each method's estimate, by the claims of the report whose cells are its numbers."""
    by_value: dict[str, str] = {claim.value: claim.text for claim in reversed(claims)}

    def cited(value: float) -> str:
        return by_value.get(cell_text(value), "")

    for effect in state.get_effects_for_pair(*state.get_primary_pair()):
        texts = [cited(v) for v in (effect.estimate, effect.ci_lower, effect.ci_upper)]
        if not all(texts) or effect.estimand != "ATE" or effect.details.get("group"):
            continue
        plain = effect.method == _PLAIN
        name = "The plain comparison" if plain else effect.method.replace("_", " ")
        text = f"{name} gives {texts[0]} (interval {texts[1]} to {texts[2]}){_standing(effect)}."
        yield Passage(
            topics=(Topic.PLAIN,) if plain else (Topic.METHODS,),
            text=text,
            about=effect.method,
        )


def _standing(effect: TreatmentEffectResult) -> str:
    return "" if effect.accepted else ", and counts for nothing: what it rests on does not hold"
