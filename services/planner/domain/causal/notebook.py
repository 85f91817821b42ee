"""What the notebook of a causal job holds: plain words, and the numbers that it must find again."""

from __future__ import annotations

from typing import Any

from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.effects import calibration_of, spoken_for, whole
from services.planner.domain.causal.groups import (
    describe_groups,
    grouped,
    modifiers_of,
    standing_out,
)
from services.planner.domain.causal.results import TreatmentEffectResult
from services.planner.domain.causal.scoring import newest_tests
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.study import study_of
from services.planner.domain.causal.texts import arrow, figure


def notebook_arguments(state: AnalysisState, seen: Seen, brief: Brief) -> dict[str, Any]:
    """Title, study, words by section, and the estimates that running it must give."""
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration_of(seen))
    treatment, outcome = state.get_primary_pair()
    known = known_of(state, brief)
    study = {name: value for name, value in study_of(state, brief).items() if name != "input"}
    shown = [e for e in effects if e.method == "naive" or e in whole(effects)]
    return {
        **study,
        "instruments": list(known.instruments),
        "running": known.running or None,
        "cutoff": known.cutoff,
        "time": known.time or None,
        "title": f"The effect of {treatment} on {outcome}",
        "sections": sections_of(state, chosen),
        "estimates": [
            {
                "method": effect.method,
                "estimand": effect.estimand,
                "estimate": effect.estimate,
                "ci_lower": effect.ci_lower,
                "ci_upper": effect.ci_upper,
            }
            for effect in shown
        ],
        "groups": [
            {
                "method": effect.method,
                "estimand": str(effect.details["group"]),
                "estimate": effect.estimate,
                "ci_lower": effect.ci_lower,
                "ci_upper": effect.ci_upper,
            }
            for effect in grouped(effects)[:100]
        ],
        "modifiers": modifiers_of(state, brief),
        "job_id": state.job_id,
    }


def sections_of(state: AnalysisState, chosen: TreatmentEffectResult | None) -> list[dict[str, str]]:
    """Headings with Markdown, in the order of the work."""
    found = state.confounder_discovery or {}
    info, profile = state.dataset_info, state.data_profile
    graph = state.proposed_dag
    newest = state.newest_critique
    rows = f"{profile.n_samples:,} rows, {profile.n_features} columns" if profile else ""
    parts = [
        ("The data", f"{info.name or info.url}: {rows}. {info.kaggle_description or ''}".strip()),
        (
            "Repairs",
            _listed(
                f"{r['column'] or 'rows'}: {r['kind']}, {r['method']} "
                f"({'made' if r['applied'] else 'told only'}). {r['reason']}"
                for r in state.data_repairs
            ),
        ),
        (
            "The graph",
            _listed(
                [
                    graph.interpretation,
                    *(
                        f"{e.source} {arrow(e.edge_type)} {e.target} ({e.confidence:.0%})"
                        for e in graph.edges
                    ),
                ]
            )
            if graph
            else "",
        ),
        (
            "What is adjusted for",
            _listed(
                [
                    found.get("rule", ""),
                    found.get("assumption", ""),
                    *(
                        f"{name} is left out: {why}"
                        for name, why in found.get("excluded", {}).items()
                    ),
                ]
            ),
        ),
        ("The estimate that speaks for the study", _chosen(chosen)),
        ("Group by group", _by_group(state)),
        ("How fragile it is", _listed(t.interpretation for t in newest_tests(state))),
        ("Verdict", f"{newest.decision.value}: {newest.reasoning}" if newest else ""),
        ("Next steps", _listed(state.recommendations)),
    ]
    return [{"heading": heading, "markdown": text} for heading, text in parts if text]


def _by_group(state: AnalysisState) -> str:
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    out = [
        f"{e.details['group']}: {figure(e.estimate)}, the other rows {figure(e.details['rest'])}"
        for e in standing_out(effects)
    ]
    return _listed([describe_groups(effects), *out])


def _chosen(chosen: TreatmentEffectResult | None) -> str:
    if chosen is None:
        return "None stands."
    tested = "; ".join(text.rstrip(".") for text in chosen.assumptions_tested)
    return (
        f"{chosen.method} ({chosen.estimand}): {figure(chosen.estimate)}, 95 % interval "
        f"{figure(chosen.ci_lower)} to {figure(chosen.ci_upper)}."
        + (f" It rests on: {tested}." if tested else "")
    )


def _listed(lines: Any) -> str:
    return "\n".join(f"- {line}" for line in lines if line)
