"""confounder_discovery: identifies the effect, and says of every column what it is to it."""

from __future__ import annotations

import json
from typing import Any

from services.planner.domain.causal.agent import Brief, Row, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.graph import descendants
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import PROFILE, call, data_task
from services.planner.domain.causal.variables import (
    candidates_to_weigh,
    describe_later_columns,
    usable_columns,
)
from services.planner.domain.plan import Subtask

IDENTIFIED, CANDIDATES = "identified", "confounders"
_ADJUSTED = ("confounder", "precision", "unclear")
_LITTLE = ("irrelevant", "instrument_like")
_ROWS_A_COLUMN, _MOST_LEVELS = 20, 25
"""Rows for each number adjusted for, and levels of a category that are told apart: a regression
with products of the treatment has twice as many coefficients (Harrell 2015, ch. 4)."""


class ConfounderDiscovery:
    """Asks what the graph identifies, and what the data say of each candidate."""

    name = "confounder_discovery"
    status = JobStatus.DISCOVERING_CAUSAL

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """Identification from the graph, and candidates from the data."""
        treatment, outcome = state.get_primary_pair()
        data, known = data_task(state), known_of(state, brief)
        asked = []
        graph = state.proposed_dag
        if graph is not None and graph.edges and not seen.ended(IDENTIFIED):
            arguments = {
                "nodes": list(graph.nodes),
                "edges": [edge.model_dump(exclude={"confidence"}) for edge in graph.edges],
                "treatment": treatment,
                "outcome": outcome,
                "before": [name for name in graph.nodes if known.comes_before(name, treatment)],
            }
            asked.append(call(IDENTIFIED, "what the graph lets be known", "identify", arguments))
        candidates = candidates_to_weigh(state, known, seen.rows(PROFILE))
        if candidates and not seen.ended(CANDIDATES):
            arguments = {
                "input": data,
                "treatment": treatment,
                "outcome": outcome,
                "candidates": candidates,
                "tiers": known.tier_of or None,
                "seed": brief.seed,
            }
            asked.append(
                call(
                    CANDIDATES, "what each column is to the effect", "confounders", arguments, data
                )
            )
        return tuple(asked)

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """Strategies, the adjustment set with its reason, and what is kept out of it."""
        known = known_of(state, brief)
        strategies = [_strategy(row) for row in seen.rows(IDENTIFIED)]
        rows = seen.rows(CANDIDATES)
        chosen, excluded, reason = _adjustment(state, rows, strategies, bool(known.tiers))
        instruments = list(known.instruments)
        found = {
            "strategies": strategies,
            "candidates": rows,
            "adjustment": chosen,
            "excluded": excluded,
            "instruments": instruments,
            "instrument_candidates": _instruments(strategies, instruments),
            "rule": reason,
            "assumption": _assumption(state, chosen),
            "failed": {k: v for k, v in seen.failed.items() if k in (IDENTIFIED, CANDIDATES)},
        }
        return {"confounder_discovery": found}, f"{reason} {found['assumption']}"


def _strategy(row: Row) -> dict[str, Any]:
    lists = {name: json.loads(row[name] or "[]") for name in ("variables", "excluded")}
    return {**row, **lists}


def _adjustment(
    state: AnalysisState, rows: list[Row], strategies: list[dict[str, Any]], tiers: bool
) -> tuple[list[str], dict[str, str], str]:
    """What is adjusted for, what is kept out and why, and by which rule.

    All causes of treatment or outcome that came before the treatment: the disjunctive cause
    criterion (VanderWeele 2019), which asks for less of a discovered graph than its back-door sets
    do. Those are held against it by the critique.
    """
    treatment, outcome = state.get_primary_pair()
    excluded = {row["column"]: row["reason"] for row in rows if row["verdict"] not in _ADJUSTED}
    useful = set(usable_columns(state))
    excluded |= {
        row["column"]: row["reason"]
        for row in rows
        if row.get("with_treatment", 0.0) is None and row["column"] not in useful
    }
    for name in set(describe_later_columns(state)) - {treatment, outcome}:
        excluded[name] = (
            "its name says that it came after the treatment; if it came before, say so in tiers"
        )
    known = bool(tiers)
    if known and state.proposed_dag is not None:
        for name in sorted(descendants(state.proposed_dag.edges, str(treatment)) - {outcome}):
            excluded.setdefault(name, "it lies behind the treatment in the graph")
    chosen = [
        row["column"]
        for row in rows
        if row["verdict"] in _ADJUSTED and row["column"] not in excluded
    ]
    further = [
        name
        for name in list_earlier_columns(state, rows, chosen)
        if excluded.get(name) == _reasons(rows).get(name)
    ]
    chosen += further
    for name in further:
        excluded.pop(name, None)
    back_door = next(
        (s for s in strategies if s["strategy"] == "backdoor" and s["identified"]), None
    )
    rule = "Adjusted for what may cause treatment or outcome and came before the treatment."
    if further:
        rule += (
            f" Also for {', '.join(sorted(further))}, said to have come before: that these rows "
            "tie them little to either proves nothing."
        )
    if back_door is not None:
        named = ", ".join(back_door["variables"]) or "nothing"
        rule += f" The graph alone asks for {named}."
    return sorted(chosen), excluded, rule


def _reasons(rows: list[Row]) -> dict[str, str]:
    return {row["column"]: row["reason"] for row in rows}


def list_earlier_columns(state: AnalysisState, rows: list[Row], chosen: list[str]) -> list[str]:
    """Columns that people put before the treatment and that the data tie too little to be chosen:
    as many as there is room for, those that go furthest with either of the pair first.

    A test with few rows misses what confounds, and what it misses adds up: of six confounders half
    are missed with 60 rows. What came before may be adjusted for without harm (VanderWeele 2019);
    an instrument among them is what `doubts` tries without.
    """
    treatment, _ = state.get_primary_pair()
    profile = state.data_profile
    tier = (state.domain_knowledge or {}).get("tiers") or []
    place = next((n for n, names in enumerate(tier) if treatment in names), 0)
    before = {name for names in tier[:place] for name in names}
    if profile is None:
        return []

    def size(name: str) -> int:
        return max(1, min(len(profile.categorical_stats.get(name, {})), _MOST_LEVELS) - 1)

    room = profile.n_samples // _ROWS_A_COLUMN - sum(size(name) for name in chosen)
    seldom = [
        row
        for row in rows
        if row["column"] in before
        and row["verdict"] in _LITTLE
        and row.get("with_treatment", 0.0) is not None
    ]
    found: list[str] = []
    for row in sorted(seldom, key=_ties, reverse=True):
        if size(row["column"]) <= room or not (chosen or found):
            found.append(row["column"])
            room -= size(row["column"])
    return found


def _ties(row: Row) -> tuple[float, str]:
    strengths = (row.get("with_treatment") or 0.0, row.get("with_outcome") or 0.0)
    return max(strengths), str(row["column"])


def _instruments(strategies: list[dict[str, Any]], known: list[str]) -> list[str]:
    found = [v for s in strategies if s["strategy"] == "instrument" for v in s["variables"]]
    return sorted({name for name in found if name not in known})


def _assumption(state: AnalysisState, chosen: list[str]) -> str:
    treatment, outcome = state.get_primary_pair()
    alike = f" among rows alike in {', '.join(chosen)}" if chosen else ""
    return (
        f"Assumed, and not to be seen in the data: nothing unseen links {treatment} and {outcome}"
        f"{alike}."
    )
