"""dag_expert: holds the discovered graph against what is known, and mends what cannot be."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from services.planner.domain.causal.advice import suggested, suggested_by
from services.planner.domain.causal.agent import Brief, Seen
from services.planner.domain.causal.agents.domain_knowledge import known_of
from services.planner.domain.causal.graph import CausalDAG, CausalEdge, has_cycle
from services.planner.domain.causal.knowledge import Knowledge
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.plan import Subtask

_SURE, _ASSUMED = 1.0, 0.5


class DAGExpert:
    """Orients by time, adds what is required, drops what is forbidden, breaks cycles."""

    name = "dag_expert"
    status = JobStatus.DISCOVERING_CAUSAL

    def calls(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[Subtask, ...]:
        """None: it judges a graph that is there."""
        return ()

    def writes(self, state: AnalysisState, seen: Seen, brief: Brief) -> tuple[dict[str, Any], str]:
        """The graph with a line for each change."""
        graph = state.proposed_dag
        if graph is None:
            raise ValueError("there is no graph to judge")
        mended, texts = expert_graph(graph, known_of(state, brief))
        texts += assumed_edges(mended, state)
        text = " ".join(texts) if texts else "Nothing that is known speaks against the graph."
        mended = mended.model_copy(
            update={"interpretation": f"{graph.interpretation} {text}".strip()}
        )
        return {"proposed_dag": mended.model_dump()}, text


def expert_graph(graph: CausalDAG, known: Knowledge) -> tuple[CausalDAG, list[str]]:
    """The graph that what is known leaves of another, and what was changed, in words."""
    texts: list[str] = []
    edges = [_oriented(edge, graph, known, texts) for edge in graph.edges]
    kept = [edge for edge in edges if edge is not None]
    kept = _with_required(kept, known, texts)
    kept = _with_the_question(kept, graph, known, texts)
    while cycle := has_cycle(kept):
        steps = set(pairwise(cycle))
        around = steps | {(target, source) for source, target in steps}
        weakest = min(
            (
                e
                for e in kept
                if e.edge_type == "directed"
                and (e.source, e.target) in around
                and (e.source, e.target) not in known.required
            ),
            key=lambda e: (e.confidence, e.source, e.target),
        )
        kept[kept.index(weakest)] = weakest.model_copy(update={"edge_type": "undirected"})
        texts.append(
            f"{weakest.source} -> {weakest.target} closed a circle and was the least stable of it: "
            "it has no direction now."
        )
    return graph.model_copy(update={"edges": tuple(kept)}), texts


def assumed_edges(graph: CausalDAG, state: AnalysisState) -> list[str]:
    """Edges that a language model would draw otherwise. It is told, and the graph stays: what is
    identified by an assumption of a model is not known to be."""
    treatment, outcome = (str(name) for name in state.get_primary_pair())
    assumed = {(treatment, name) for name in suggested(state, "after")}
    assumed |= {(name, treatment) for name in suggested(state, "confounder", "instrument")}
    assumed |= {(name, outcome) for name in suggested(state, "confounder")}
    turned = [
        f"{edge.target} -> {edge.source}"
        for edge in graph.edges
        if edge.edge_type == "directed" and (edge.target, edge.source) in assumed
    ]
    if not turned:
        return []
    by, text = suggested_by(state), ", ".join(turned)
    return [f"{by} assumes {text}: its assumption, not drawn and not judged by."]


def _oriented(
    edge: CausalEdge, graph: CausalDAG, known: Knowledge, texts: list[str]
) -> CausalEdge | None:
    """An edge as knowledge leaves it: turned, given a direction, or gone (None)."""
    there = known.forbids(edge.source, edge.target)
    back = known.forbids(edge.target, edge.source)
    ends = f"{edge.source} and {edge.target}"
    if there and back:
        texts.append(f"{ends} are not linked: it is forbidden.")
        return None
    if edge.edge_type == "undirected" and (there or back):
        source, target = (edge.target, edge.source) if there else (edge.source, edge.target)
        texts.append(f"{source} -> {target}, because it cannot be the other way.")
        return edge.model_copy(update={"source": source, "target": target, "edge_type": "directed"})
    if edge.edge_type == "directed" and there:
        texts.append(f"{edge.target} -> {edge.source} was turned: it cannot be the other way.")
        return edge.model_copy(
            update={"source": edge.target, "target": edge.source, "confidence": _ASSUMED}
        )
    return edge


def _with_required(edges: list[CausalEdge], known: Knowledge, texts: list[str]) -> list[CausalEdge]:
    for source, target in known.required:
        ends = frozenset((source, target))
        edges = [edge for edge in edges if edge.ends != ends]
        edges.append(CausalEdge(source=source, target=target, confidence=_SURE))
        texts.append(f"{source} -> {target}, because it is required.")
    return edges


def _with_the_question(
    edges: list[CausalEdge], graph: CausalDAG, known: Knowledge, texts: list[str]
) -> list[CausalEdge]:
    """With the edge that is asked about: an effect is estimated, so one is not ruled out before.

    An arrow from the outcome back to the treatment is turned, and it is told that this is assumed.
    What knowledge forbids is not assumed: the critique says that the question has no answer.
    """
    treatment, outcome = graph.treatment_variable, graph.outcome_variable
    if not treatment or not outcome or known.forbids(treatment, outcome):
        return edges
    ends = frozenset((treatment, outcome))
    there = [edge for edge in edges if edge.ends == ends]
    if any(e.edge_type == "directed" and e.source == treatment for e in there):
        return edges
    rest = [edge for edge in edges if edge.ends != ends]
    backwards = any(e.edge_type == "directed" for e in there)
    texts.append(
        f"{treatment} -> {outcome} is assumed, because it is what is asked"
        + ("; the data point the other way round." if backwards else ".")
    )
    return [*rest, CausalEdge(source=treatment, target=outcome, confidence=_ASSUMED)]
