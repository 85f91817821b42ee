"""The charts of a causal job, each where there is something to draw."""

from __future__ import annotations

from services.planner.domain.causal.agent import Seen
from services.planner.domain.causal.effects import calibration_of, spoken_for
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.tasks import call
from services.planner.domain.plan import Subtask

PREFIX = "draw_"
CHARTS = ("forest", "graph", "overlap", "balance", "contour", "heterogeneity")
"""In the order of a report."""
MOST_GROUPS_DRAWN = 30
_OVERLAP = "overlap"


def drawings(state: AnalysisState, seen: Seen) -> list[Subtask]:
    """Forest plot first, for it is the answer; then graph, overlap, balance, contour, groups."""
    treatment, outcome = state.get_primary_pair()
    effects = state.get_effects_for_pair(treatment, outcome)
    asked = []
    if effects:
        asked.append(_forest(state, effects, seen))
    graph = state.proposed_dag
    if graph is not None and graph.edges:
        arguments = {
            "nodes": list(graph.nodes),
            "edges": [edge.model_dump() for edge in graph.edges],
            "treatment": treatment,
            "outcome": outcome,
        }
        title = f"What may cause what around {treatment} and {outcome}"
        asked.append(_draw("graph", title, arguments))
    values = {row["section"] for row in seen.rows(_OVERLAP)}
    for section, kind, title in (
        ("histogram", "overlap", "How alike treated and untreated rows are"),
        ("balance", "balance", "Differences between the groups, before and after weighting"),
    ):
        if section in values:
            asked.append(_draw(kind, title, {"input": _OVERLAP}, _OVERLAP))
    omitted = [task for task in seen.tables if task.endswith("_test_omitted_variable")]
    if omitted:
        title = "How strong an unseen cause would have to be"
        asked.append(_draw("contour", title, {"input": omitted[-1]}, omitted[-1]))
    groups = [e for e in effects if e.accepted and e.details.get("group")]
    if len(groups) > 1:
        title = f"The effect of {treatment} on {outcome}, group by group"
        rows = [_bar(e, str(e.details["group"])) for e in _shown(groups)]
        asked.append(_draw("heterogeneity", title, {"estimates": rows}))
    return asked


def _shown(groups: list[TreatmentEffectResult]) -> list[TreatmentEffectResult]:
    """The groups that a chart has room for, in their order: of more, those that differ most."""
    ranked = sorted(groups, key=lambda e: e.details.get("p_corrected", 1.0))[:MOST_GROUPS_DRAWN]
    return [group for group in groups if group in ranked]


def _forest(state: AnalysisState, effects: list[TreatmentEffectResult], seen: Seen) -> Subtask:
    treatment, outcome = state.get_primary_pair()
    chosen = spoken_for(effects, calibration_of(seen))
    rows = [
        {**_bar(effect, _label(effect)), "chosen": effect == chosen}
        for effect in effects
        if not effect.details.get("group")
        and not effect.details.get("beside")
        and (chosen is None or effect.estimand == chosen.estimand)
    ]
    title = f"The effect of {treatment} on {outcome}, by method"
    return _draw("forest", title, {"estimates": rows})


def _label(effect: TreatmentEffectResult) -> str:
    if effect.method == "naive":
        return "plain comparison"
    variant = effect.details.get("variant")
    return f"{effect.method} ({effect.estimand})" + (f", {variant}" if variant else "")


def _bar(effect: TreatmentEffectResult, label: str) -> dict[str, object]:
    return {
        "label": label,
        "estimate": effect.estimate,
        "ci_lower": effect.ci_lower,
        "ci_upper": effect.ci_upper,
        "status": effect.details.get("status", "ok"),
    }


def _draw(kind: str, title: str, arguments: dict[str, object], *after: str) -> Subtask:
    given = {"kind": kind, "title": title[:120], **arguments}
    return call(f"{PREFIX}{kind}", f"the {kind} chart", "draw", given, *after)
