"""What is known before data are looked at: what came first, what is ruled out or certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mesh.tool import ErrorCategory, ToolError


@dataclass(frozen=True)
class Knowledge:
    """Square matrices over the columns; [i, j] is about an edge from i to j.

    `forbidden` holds ruled-out edges, those against time and against what is required among them;
    `required` certain ones; `later` pairs of which i came after j, so that not even a path leads
    from i to j.
    """

    forbidden: np.ndarray
    required: np.ndarray
    later: np.ndarray

    @property
    def any(self) -> bool:
        """Whether something is known."""
        return bool(self.forbidden.any() or self.required.any())

    def ordered(self, order: np.ndarray) -> Knowledge:
        """The same for columns in another order."""
        at = np.ix_(order, order)
        return Knowledge(self.forbidden[at], self.required[at], self.later[at])


def knowledge_of(
    names: Sequence[str],
    tiers: Mapping[str, int],
    forbidden: Sequence[Sequence[str]],
    required: Sequence[Sequence[str]],
) -> tuple[Knowledge, list[str]]:
    """Knowledge about these columns, and notes on what names no column of the graph.

    Raises ToolError where what is required runs in a circle, against time or against what is
    forbidden.
    """
    place = {name: i for i, name in enumerate(names)}
    size = len(names)
    later = np.zeros((size, size), dtype=bool)
    for a, i in place.items():
        for b, j in place.items():
            later[i, j] = a in tiers and b in tiers and tiers[a] > tiers[b]
    no, yes = np.zeros_like(later), np.zeros_like(later)
    strange = {name for name in tiers if name not in place}
    for edges, matrix in ((forbidden, no), (required, yes)):
        for a, b in edges:
            strange.update(name for name in (a, b) if name not in place)
            if a in place and b in place and a != b:
                matrix[place[a], place[b]] = True
    _consistent(names, yes, no, later)
    notes = [
        f'What is known of "{name}" is not used: it is no column of the graph.'
        for name in sorted(strange)
    ]
    return Knowledge(no | later | yes.T, yes, later), notes


def _consistent(names: Sequence[str], yes: np.ndarray, no: np.ndarray, later: np.ndarray) -> None:
    for i, j in np.argwhere(yes & (no | later)):
        why = "its tier is later" if later[i, j] else "it is forbidden too"
        raise _contradiction(f'The edge from "{names[i]}" to "{names[j]}" is required, but {why}.')
    reach = yes.copy()
    for _ in names:
        reach |= (reach.astype(int) @ yes.astype(int)) > 0
    circle = np.flatnonzero(np.diag(reach))
    if len(circle):
        text = ", ".join(f'"{names[i]}"' for i in circle[:6])
        raise _contradiction(f"The required edges run in a circle through {text}.")


def _contradiction(message: str) -> ToolError:
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        message,
        hint="Correct tiers, forbidden and required so that they agree.",
        details={"field": "required"},
    )


def library_knowledge(knowledge: Knowledge) -> tuple[object | None, list[object]]:
    """The same for causal-learn: its BackgroundKnowledge, and its nodes, named X0, X1, ..."""
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

    nodes = [GraphNode(node_name(i)) for i in range(len(knowledge.required))]
    if not knowledge.any:
        return None, nodes
    value = BackgroundKnowledge()
    for i, j in np.argwhere(knowledge.forbidden):
        value.add_forbidden_by_node(nodes[i], nodes[j])
    for i, j in np.argwhere(knowledge.required):
        value.add_required_by_node(nodes[i], nodes[j])
    return value, nodes


def node_name(place: int) -> str:
    """What causal-learn is told that a column is called; names of data may hold anything."""
    return f"X{place}"
