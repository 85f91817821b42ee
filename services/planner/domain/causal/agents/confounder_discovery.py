"""confounder_discovery: identifies the effect, and says of every column what it is to it."""

from __future__ import annotations

import json
from typing import Any

from services.planner.domain.causal.agent import Brief, Row, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.graph import descendants
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.tasks import call, data_task
from services.planner.domain.causal.variables import (
    candidates_for_adjustment,
    told_after,
    usable_columns,
)
from services.planner.domain.plan import Subtask

IDENTIFIED, CANDIDATES = "identified", "confounders"
_ADJUSTED = ("confounder", "precision", "unclear")


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
            }
            asked.append(call(IDENTIFIED, "what the graph lets be known", "identify", arguments))
        candidates = candidates_for_adjustment(state, known)
        if candidates and not seen.ended(CANDIDATES):
            arguments = {
                "input": data,
                "treatment": treatment,
                "outcome": outcome,
                "candidates": candidates,
                "tiers": known.tier_of or None,
                "seed": brief.seed,
            }
            asked.append(call(CANDIDATES, "what each column is to the effect", "confounders",
                              arguments, data))  # fmt: skip
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
    for name in set(told_after(state)) - {treatment, outcome}:
        excluded[name] = (
            "its name says that it came after the treatment; if it came before, say so in tiers"
        )
    known = bool(tiers)
    if known and state.proposed_dag is not None:
        for name in sorted(descendants(state.proposed_dag.edges, str(treatment)) - {outcome}):
            excluded.setdefault(name, "it lies behind the treatment in the graph")
    chosen = [row["column"] for row in rows
              if row["verdict"] in _ADJUSTED and row["column"] not in excluded]  # fmt: skip
    if not chosen:
        tier = (state.domain_knowledge or {}).get("tiers") or []
        place = next((n for n, names in enumerate(tier) if treatment in names), 0)
        before = {name for names in tier[:place] for name in names}
        chosen = [row["column"] for row in rows
                  if row["column"] in before and row["verdict"] == "irrelevant"]  # fmt: skip
        for name in chosen:
            excluded.pop(name, None)
    back_door = next(
        (s for s in strategies if s["strategy"] == "backdoor" and s["identified"]), None
    )
    rule = "Adjusted for what may cause treatment or outcome and came before the treatment."
    if back_door is not None:
        named = ", ".join(back_door["variables"]) or "nothing"
        rule += f" The graph alone asks for {named}."
    return sorted(chosen), excluded, rule


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
