"""Causal graphs (seed 001): nodes, and edges that are directed, undirected or bidirected."""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from pydantic import Field

from services.planner.domain.catalogue import Frozen

EdgeType = Literal["directed", "bidirected", "undirected"]


class CausalPair(Frozen):
    """A treatment and an outcome; `priority` is 1 (primary), 2 (secondary) or 3 (exploratory)."""

    treatment: str
    outcome: str
    rationale: str = ""
    priority: int = Field(default=1, ge=1, le=3)


class CausalEdge(Frozen):
    """An edge. A bidirected one stands for a hidden common cause, an undirected one for a cause
    whose direction the data do not tell. `confidence` is between 0 and 1."""

    source: str
    target: str
    edge_type: EdgeType = "directed"
    confidence: float = Field(default=1.0, ge=0, le=1)

    @property
    def ends(self) -> frozenset[str]:
        """Both nodes, whichever way it points."""
        return frozenset((self.source, self.target))


class CausalDAG(Frozen):
    """A causal graph; `discovery_method` names what found it."""

    nodes: tuple[str, ...]
    edges: tuple[CausalEdge, ...]
    discovery_method: str
    treatment_variable: str | None = None
    outcome_variable: str | None = None
    interpretation: str = ""

    @property
    def directed(self) -> tuple[CausalEdge, ...]:
        """The edges that say which way."""
        return tuple(edge for edge in self.edges if edge.edge_type == "directed")


def has_cycle(edges: Iterable[CausalEdge]) -> tuple[str, ...]:
    """The nodes of a cycle of directed edges, in order; empty where there is none."""
    parents: dict[str, set[str]] = {}
    for edge in edges:
        if edge.edge_type == "directed":
            parents.setdefault(edge.target, set()).add(edge.source)
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        return tuple(error.args[1])
    return ()


def descendants(edges: Iterable[CausalEdge], node: str) -> frozenset[str]:
    """All that directed edges lead to from a node, without it."""
    children: dict[str, set[str]] = {}
    for edge in edges:
        if edge.edge_type == "directed":
            children.setdefault(edge.source, set()).add(edge.target)
    found: set[str] = set()
    left = [node]
    while left:
        for child in children.get(left.pop(), ()):
            if child not in found and child != node:
                found.add(child)
                left.append(child)
    return frozenset(found)
