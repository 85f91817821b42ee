"""One graph of several: an edge stands as far as algorithms agree on it and it is stable in each.

Skeleton and direction are judged apart: that two columns are linked is much surer than which way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.planner.domain.causal.graph import CausalDAG, CausalEdge, EdgeType

LEAST_SUPPORT = 0.5
"""Mean share of runs, over algorithms, from which an edge stands."""
LEAST_DIRECTION = 0.6
"""Share of what speaks of a direction that must point one way for an edge to be directed."""
DISTURBANCES = "LiNGAM"
"""Tells directions by the shape of disturbances, which independences leave open."""
Rows = Sequence[Mapping[str, Any]]


@dataclass
class _Votes:
    """What is said of one pair: by how many it is linked, and how its direction is spoken of.

    `ways` and `spoken` are of the algorithms that go by independences, `by_shape` of the one that
    goes by disturbances (`wavering` where its runs point elsewhere), all as shares of runs; the
    first of two ways leads from the first of the names.
    """

    support: float = 0.0
    hidden: float = 0.0
    ways: list[float] = field(default_factory=lambda: [0.0, 0.0])
    spoken: float = 0.0
    by_shape: list[float] = field(default_factory=lambda: [0.0, 0.0])
    wavering: float = 0.0


def agreed(
    methods: Mapping[str, Rows],
    columns: Sequence[str],
    treatment: str | None,
    outcome: str | None,
) -> CausalDAG:
    """The graph that rows of `causal.discover` by method agree on; its interpretation says how.

    Every algorithm has one voice on whether two columns are linked. On the direction each has the
    weight that its row says; and PC, FCI and GES, which all go by independences and cannot tell
    graphs with the same ones apart (Verma & Pearl 1990), have one voice together beside that of
    LiNGAM. Where its disturbances tell a direction, what they leave open is no voice against it.
    """
    votes: dict[tuple[str, str], _Votes] = {}
    for name, rows in methods.items():
        for row in rows:
            first, second = sorted((row["source"], row["target"]))
            if first != second:
                pair = votes.setdefault((first, second), _Votes())
                _counted(pair, name, row, row["source"] == first, len(methods))
    edges = [
        _edge(first, second, pair)
        for (first, second), pair in sorted(votes.items())
        if pair.support >= LEAST_SUPPORT - 1e-9
    ]
    return CausalDAG(
        nodes=tuple(sorted(columns)),
        edges=tuple(edges),
        discovery_method="+".join(sorted(methods)) or "none",
        treatment_variable=treatment,
        outcome_variable=outcome,
        interpretation=_interpretation(methods, edges, len(votes)),
    )


def _counted(
    pair: _Votes, method: str, row: Mapping[str, Any], forward: bool, methods: int
) -> None:
    """Add what one algorithm says of a pair."""
    stable = float(row["skeleton_stability"])
    pair.support += stable / methods
    weight = float(row.get("direction_weight", 1.0))
    if row["edge_type"] == "bidirected":
        pair.hidden += stable / methods
    pointed = weight * stable * float(row["direction_stability"])
    pointed *= row["edge_type"] == "directed"
    if method == DISTURBANCES:
        pair.by_shape[not forward] += pointed
        pair.wavering += weight * stable - pointed
    elif weight > 0:
        pair.ways[not forward] += pointed
        pair.spoken += weight * stable


def _edge(first: str, second: str, pair: _Votes) -> CausalEdge:
    by_shape = sum(pair.by_shape)
    by_independence = [each / pair.spoken if pair.spoken else 0.0 for each in pair.ways]
    left_open = max(1.0 - sum(by_independence), 0.0) if pair.spoken else 0.0
    there, back = (by_independence[way] + pair.by_shape[way] for way in (0, 1))
    spoken = there + back + left_open * (1.0 - by_shape) + pair.wavering
    kind: EdgeType = "undirected"
    source, target = first, second
    pointing = max(pair.ways) / max(pair.spoken, 1e-9) * pair.support
    if pair.hidden > max(pointing, pair.support * LEAST_SUPPORT):
        kind = "bidirected"
    elif max(there, back) >= LEAST_DIRECTION * spoken - 1e-9 and abs(there - back) > 1e-9:
        kind = "directed"
        source, target = (first, second) if there > back else (second, first)
    return CausalEdge(
        source=source, target=target, edge_type=kind, confidence=round(min(1.0, pair.support), 6)
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
