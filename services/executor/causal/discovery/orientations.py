"""A graph whose edges leave something open, as the graphs without open edges that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    import networkx as nx

MOST_ORIENTATIONS = 64
"""Six undirected edges, or fewer of those that a hidden cause may stand for too."""
HIDDEN = "hidden cause of "

EdgeType = Literal["directed", "undirected", "bidirected", "partial"]


class GraphEdge(BaseModel):
    """An edge as causal.discover tells it: `confidence` from 0 to 1; `note` begins with the marks
    of a partial edge ("o->", taken where none are told: the target does not cause the source; or
    "o-o")."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    source: str
    target: str
    edge_type: EdgeType = "directed"
    confidence: float = Field(default=1.0, ge=0, le=1)
    note: str = ""

    @property
    def readings(self) -> tuple[tuple[str, str, str], ...]:
        """What it may be: (source, target, "->" or "<->")."""
        there, back = (self.source, self.target, "->"), (self.target, self.source, "->")
        both = (self.source, self.target, "<->")
        if self.edge_type == "undirected":
            return there, back
        if self.edge_type == "partial":
            return (there, back, both) if self.note.startswith("o-o") else (there, both)
        return (both,) if self.edge_type == "bidirected" else (there,)


@dataclass(frozen=True)
class Orientation:
    """One graph without open edges; hidden causes of bidirected edges are nodes of their own."""

    graph: nx.DiGraph
    decided: tuple[str, ...]


def count(edges: Sequence[GraphEdge]) -> int:
    """How many combinations of readings there are."""
    total = 1
    for edge in edges:
        total *= len(edge.readings)
    return total


def orientations(nodes: Sequence[str], edges: Sequence[GraphEdge]) -> list[Orientation]:
    """The acyclic graphs among all combinations of readings.

    Of undirected edges those that make no collider that the graph lacks, for such colliders would
    have been seen (Verma & Pearl 1990); all, where none is left.
    """
    acyclic = list(_acyclic(nodes, edges))
    seen = _colliders(nodes, [e for e in edges if len(e.readings) == 1])
    fitting = [(found, chosen) for found, chosen in acyclic if _as_seen(nodes, edges, chosen, seen)]
    return [found for found, _ in fitting or acyclic]


_Choice = tuple[tuple[str, str, str], ...]


def _acyclic(
    nodes: Sequence[str], edges: Sequence[GraphEdge]
) -> Iterator[tuple[Orientation, _Choice]]:
    import networkx as nx

    for chosen in product(*(edge.readings for edge in edges)):
        graph = nx.DiGraph()
        graph.add_nodes_from(nodes)
        for source, target, mark in chosen:
            if mark == "->":
                graph.add_edge(source, target)
            else:
                hidden = f"{HIDDEN}{source} and {target}"
                graph.add_edges_from([(hidden, source), (hidden, target)])
        if nx.is_directed_acyclic_graph(graph):
            decided = tuple(
                f"{source} {mark} {target}"
                for edge, (source, target, mark) in zip(edges, chosen, strict=True)
                if len(edge.readings) > 1
            )
            yield Orientation(graph, decided), chosen


def _colliders(nodes: Sequence[str], edges: Sequence[GraphEdge]) -> set[tuple[str, str, str]]:
    return _of_choice([reading for edge in edges for reading in edge.readings[:1]])


def _of_choice(chosen: Sequence[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Colliders a, b, c: arrows at b from a and from c, whether or not a and c are adjacent."""
    into: dict[str, set[str]] = {}
    for source, target, mark in chosen:
        into.setdefault(target, set()).add(source)
        if mark == "<->":
            into.setdefault(source, set()).add(target)
    return {(a, b, c) for b, heads in into.items() for a, c in combinations(sorted(heads), 2)}


def _as_seen(
    nodes: Sequence[str],
    edges: Sequence[GraphEdge],
    chosen: _Choice,
    seen: set[tuple[str, str, str]],
) -> bool:
    near = {frozenset((edge.source, edge.target)) for edge in edges}
    open_ends = {
        name
        for edge in edges
        if edge.edge_type == "undirected"
        for name in (edge.source, edge.target)
    }
    new = {
        (a, b, c)
        for a, b, c in _of_choice(chosen)
        if frozenset((a, c)) not in near and b in open_ends
    }
    return new <= seen
