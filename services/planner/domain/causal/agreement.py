"""One graph of several: an edge stands as far as algorithms agree on it and it is stable in each.

Skeleton and direction are judged apart: that two columns are linked is much surer than which way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from services.planner.domain.causal.graph import CausalDAG, CausalEdge, EdgeType

LEAST_SUPPORT = 0.5
"""Mean share of runs, over algorithms, from which an edge stands."""
LEAST_DIRECTION = 0.6
"""Share of that support that must point one way for an edge to be directed."""


def agreed(
    methods: Mapping[str, Sequence[Mapping[str, Any]]],
    columns: Sequence[str],
    treatment: str | None,
    outcome: str | None,
) -> CausalDAG:
    """The graph that rows of `causal.discover` by method agree on; its interpretation says how."""
    support: dict[frozenset[str], float] = {}
    ways: dict[tuple[str, str], float] = {}
    hidden: dict[frozenset[str], float] = {}
    for rows in methods.values():
        for row in rows:
            ends = frozenset((row["source"], row["target"]))
            stable = float(row["skeleton_stability"]) / len(methods)
            support[ends] = support.get(ends, 0.0) + stable
            if row["edge_type"] == "directed":
                way = (row["source"], row["target"])
                ways[way] = ways.get(way, 0.0) + stable * float(row["direction_stability"])
            elif row["edge_type"] == "bidirected":
                hidden[ends] = hidden.get(ends, 0.0) + stable
    edges = [
        _edge(ends, total, ways, hidden)
        for ends, total in sorted(support.items(), key=lambda item: sorted(item[0]))
        if total >= LEAST_SUPPORT and len(ends) == 2
    ]
    return CausalDAG(
        nodes=tuple(sorted(columns)),
        edges=tuple(edges),
        discovery_method="+".join(sorted(methods)) or "none",
        treatment_variable=treatment,
        outcome_variable=outcome,
        interpretation=_interpretation(methods, edges, len(support)),
    )


def _edge(
    ends: frozenset[str],
    support: float,
    ways: Mapping[tuple[str, str], float],
    hidden: Mapping[frozenset[str], float],
) -> CausalEdge:
    first, second = sorted(ends)
    there, back = ways.get((first, second), 0.0), ways.get((second, first), 0.0)
    kind: EdgeType = "undirected"
    source, target = first, second
    if hidden.get(ends, 0.0) > max(there, back, support * LEAST_SUPPORT):
        kind = "bidirected"
    elif max(there, back) >= LEAST_DIRECTION * support and there != back:
        kind = "directed"
        source, target = (first, second) if there > back else (second, first)
    return CausalEdge(
        source=source, target=target, edge_type=kind, confidence=round(min(1.0, support), 6)
    )


def _interpretation(
    methods: Mapping[str, Sequence[Any]], edges: Sequence[CausalEdge], seen: int
) -> str:
    if not methods:
        return "No algorithm suited the data in the time there was, so no graph was found."
    directed = sum(edge.edge_type == "directed" for edge in edges)
    return (
        f"{', '.join(sorted(methods))} saw {seen} links between them; {len(edges)} are stable "
        f"enough to stand, {directed} of them in a direction."
    )
