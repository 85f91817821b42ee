"""What is in doubt about the estimates so far, and the call that would settle each doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.planner.domain.causal.advice import (
    PROPOSED_TASK,
    assumed_after,
    assumed_confounders,
    suggested_by,
)
from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.effects import (
    AMPLIFIED,
    calibration_of,
    disagreeing,
    spoken_for,
)
from services.planner.domain.causal.graph import descendants
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.study import adjustment_of, is_binary
from services.planner.domain.causal.variables import candidates_for_adjustment


@dataclass(frozen=True)
class Doubt:
    """A thought, and the estimate that would settle it: arguments beside the study's."""

    task: str
    thought: str
    arguments: dict[str, Any]


def doubts_of(state: AnalysisState, seen: Seen, brief: Brief) -> list[Doubt]:
    """What is open, the most pressing first."""
    effects = state.get_effects_for_pair(*state.get_primary_pair())
    chosen = spoken_for(effects, calibration_of(seen))
    method = chosen.method if chosen is not None and chosen.method in _ADJUSTING else "AIPW"
    method = method if is_binary(state, brief) or method in _OF_AMOUNTS else "DML"
    adjusted = adjustment_of(state, brief)
    found: list[Doubt] = []
    sign = -1.0 if chosen is not None and chosen.estimate < 0 else 1.0
    found += _amplifying(state, brief, method, adjusted, sign)
    found += _other_sets(state, brief, method, adjusted)
    if is_binary(state, brief):
        if chosen is None:
            found.append(
                Doubt(
                    "react_treated",
                    "for all rows nothing stands, so the effect on the treated is tried",
                    {"method": "AIPW", "estimand": "ATT"},
                )
            )
        elif disagreeing(chosen, effects):
            found.append(
                Doubt(
                    "react_matched",
                    "methods disagree, so like is compared with like",
                    {"method": "PSM", "estimand": "ATT"},
                )
            )
    known = known_of(state, brief)
    found_in_graph = (state.confounder_discovery or {}).get("instrument_candidates", [])
    if found_in_graph and not known.instruments:
        found.append(
            Doubt(
                "react_instrument",
                f"the graph takes {', '.join(found_in_graph)} for an instrument",
                {
                    "method": "IV",
                    "instruments": found_in_graph,
                    "adjustment": [n for n in adjusted if n not in found_in_graph],
                },
            )
        )
    found += _suggested(state, method, adjusted)
    return found


def _suggested(state: AnalysisState, method: str, adjusted: list[str]) -> list[Doubt]:
    """Whether the effect hangs on what a language model would adjust for otherwise."""
    without, further = assumed_after(state, adjusted), assumed_confounders(state, adjusted)
    if not without and not further:
        return []
    ways = [("without", without), ("with", further)]
    how = " and ".join(f"{way} {', '.join(names)}" for way, names in ways if names)
    chosen = sorted([*(n for n in adjusted if n not in without), *further])
    return [
        Doubt(
            PROPOSED_TASK,
            f"by an assumption of {suggested_by(state)} {how}",
            {"method": method if chosen else "OLS", "adjustment": chosen},
        )
    ]


_ADJUSTING = frozenset({"OLS", "IPW", "AIPW", "PSM", "stratification", "DML"})
_OF_AMOUNTS = frozenset({"OLS", "DML"})


_STRONG = 0.3
"""Correlation with the treatment from which a column could be what moves it."""


def _amplifying(
    state: AnalysisState, brief: Brief, method: str, adjusted: list[str], sign: float
) -> list[Doubt]:
    """Whether the effect, of this sign, hangs on a column that may be an instrument: adjusting for
    one amplifies what hidden causes do (Ding, VanderWeele & Robins 2017), and no data tell it from
    a confounder.

    Meant are columns that go strongly with the treatment and half as much, or less, with the
    outcome given it; or with the outcome less, where adjusting for them moves the effect away from
    zero. None is doubted of which somebody said that it moves the outcome, nor where chance
    assigned the treatment.
    """
    known = known_of(state, brief)
    _, outcome = state.get_primary_pair()
    if known.randomised:
        return []
    rows = (state.confounder_discovery or {}).get("candidates", [])
    doubted = sorted(
        row["column"]
        for row in rows
        if row["column"] in adjusted
        and row["verdict"] in ("confounder", "unclear", "instrument_like")
        and (row["column"], outcome) not in known.required
        and _like_an_instrument(row, sign)
    )
    if not doubted:
        return []
    without = [name for name in adjusted if name not in doubted]
    named = ", ".join(doubted)
    return [
        Doubt(
            AMPLIFIED,
            f"without {named}, which goes with the treatment far more than with the outcome and "
            "may be an instrument: adjusting for one amplifies hidden bias",
            {"method": method if without else "OLS", "adjustment": without},
        )
    ]


def _like_an_instrument(row: dict[str, Any], sign: float) -> bool:
    treatment, outcome = row.get("with_treatment") or 0.0, row.get("with_outcome") or 0.0
    if treatment < _STRONG:
        return False
    away = sign * (row.get("change_in_estimate") or 0.0) > 0
    return outcome <= treatment / 2 or (outcome < treatment and away)


def _other_sets(
    state: AnalysisState, brief: Brief, method: str, adjusted: list[str]
) -> list[Doubt]:
    """Whether the effect hangs on what was adjusted for: other sets that could be defended."""
    found: list[Doubt] = []
    strategies = (state.confounder_discovery or {}).get("strategies", [])
    sure = {
        row["column"]
        for row in (state.confounder_discovery or {}).get("candidates", [])
        if row["verdict"] == "confounder"  # which came first, and goes with both
    }
    for place, strategy in enumerate(s for s in strategies if s["strategy"] == "backdoor"):
        left_out = set(adjusted) - set(strategy["variables"])
        added = set(strategy["variables"]) - set(adjusted)
        if strategy["identified"] and (added or left_out - sure):
            named = ", ".join(strategy["variables"]) or "nothing"
            found.append(
                Doubt(
                    f"react_backdoor{place}",
                    f"the graph alone asks for {named}",
                    {"method": method, "adjustment": sorted(strategy["variables"])},
                )
            )
            break
    graph = state.proposed_dag
    treatment, _ = state.get_primary_pair()
    behind = descendants(graph.edges, str(treatment)) if graph is not None else frozenset()
    without = [name for name in adjusted if name not in behind]
    if len(without) < len(adjusted):
        named = ", ".join(sorted(set(adjusted) - set(without)))
        found.append(
            Doubt(
                "react_before",
                f"{named} may lie behind the treatment, so it is tried without",
                {"method": method, "adjustment": without},
            )
        )
    everything = candidates_for_adjustment(state, known_of(state, brief))
    if len(everything) > len(adjusted):
        found.append(
            Doubt(
                "react_everything",
                "with every column that may be adjusted for",
                {"method": method, "adjustment": everything},
            )
        )
    return found
