"""Open edges among columns that came before the treatment: whichever way they point, an adjustment
that holds all direct causes of the treatment stays one.

Every back-door path enters the treatment through one of its causes, which such a set holds, and
which is no collider there (Pearl 2009, 3.3; VanderWeele & Shpitser 2011). So these edges need not
be followed one by one, of which there may be more than can be.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from services.executor.causal.discovery.adjustment import Effect
from services.executor.causal.discovery.orientations import GraphEdge


def among_earlier(edges: Sequence[GraphEdge], before: Collection[str]) -> list[GraphEdge]:
    """The edges that leave something open between two columns that came before the treatment."""
    return [e for e in edges if len(e.readings) > 1 and {e.source, e.target} <= set(before)]


def with_one_reading(edges: Sequence[GraphEdge], before: Collection[str]) -> list[GraphEdge]:
    """The edges, those among earlier columns read as arrows that run in no circle."""
    import networkx as nx

    open_ones = among_earlier(edges, before)
    sure = nx.DiGraph()
    sure.add_nodes_from(sorted(before))
    sure.add_edges_from(
        (e.source, e.target)
        for e in edges
        if e.edge_type == "directed" and {e.source, e.target} <= set(before)
    )
    if not nx.is_directed_acyclic_graph(sure):
        return list(edges)
    place = {name: number for number, name in enumerate(nx.lexicographical_topological_sort(sure))}
    return [_pointing(edge, place) if edge in open_ones else edge for edge in edges]


def _pointing(edge: GraphEdge, place: dict[str, int]) -> GraphEdge:
    ends = sorted((edge.source, edge.target), key=place.__getitem__)
    return edge.model_copy(update={"source": ends[0], "target": ends[1], "edge_type": "directed"})


def causes_of(effect: Effect) -> frozenset[str] | None:
    """The direct causes of the treatment; None where one of them is hidden."""
    found = frozenset(effect.graph.predecessors(effect.treatment))
    return found if found <= effect.observed else None


def causes_and_more(effect: Effect) -> frozenset[str] | None:
    """These and the direct causes of the outcome and of what lies between, for a smaller error."""
    causes = causes_of(effect)
    if causes is None:
        return None
    further = {p for node in effect.causal for p in effect.graph.predecessors(node)}
    return causes | (frozenset(further) & effect.observed) - effect.forbidden


def closes(effect: Effect, columns: frozenset[str]) -> bool:
    """Whether the columns close every back-door path whichever way edges among earlier ones
    point."""
    causes = causes_of(effect)
    after = effect.forbidden | effect.descendants
    return causes is not None and causes <= columns <= effect.observed - after
