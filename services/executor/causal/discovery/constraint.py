"""Graphs from tests of conditional independence: PC and FCI."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from services.executor.causal.discovery import marks as graph
from services.executor.causal.discovery.effort import Effort
from services.executor.causal.discovery.independence import columns_only, library_test
from services.executor.causal.discovery.knowledge import Knowledge, library_knowledge, node_name
from services.executor.causal.discovery.matrix import Sample

_Separated = dict[tuple[int, int], set[int]]
DEPTH = 4
"""Most columns that a test conditions on: more are seldom needed, and rarely have power."""


def pc(sample: Sample, knowledge: Knowledge, alpha: float, effort: Effort) -> graph.Marks:
    """The pattern by PC (Spirtes & Glymour 1991), whatever the order of columns.

    PC-stable (Colombo & Maathuis 2014); colliders in the order of their evidence; Meek's rules.
    Tails on both sides are edges whose direction the data leave open.
    """
    from causallearn.utils.PCUtils import Meek, UCSepset
    from causallearn.utils.PCUtils.BackgroundKnowledgeOrientUtils import (
        orient_by_background_knowledge,
    )
    from causallearn.utils.PCUtils.SkeletonDiscovery import skeleton_discovery

    value, _ = library_knowledge(knowledge)
    test = library_test(sample, knowledge, effort)
    names = [node_name(i) for i in range(len(sample.blocks))]
    found = skeleton_discovery(
        columns_only(sample),
        alpha,
        test,
        stable=True,
        background_knowledge=value,
        show_progress=False,
        node_names=names,
        max_k=DEPTH,
    )
    for i, j in _apart_by_knowledge(knowledge, test, alpha):
        others = tuple(k for k in range(len(names)) if k not in (i, j))
        found.sepset[i, j] = found.sepset[j, i] = [others]
    if value is not None:
        orient_by_background_knowledge(found, value)
    found = UCSepset.uc_sepset(found, 3, background_knowledge=value)
    found = Meek.meek(found, background_knowledge=value)
    return graph.close(graph.from_library(found.G.graph), knowledge.forbidden)


def fci(sample: Sample, knowledge: Knowledge, alpha: float, effort: Effort) -> graph.Marks:
    """The partial ancestral graph by FCI (Spirtes, Meek & Richardson 1995; Zhang 2008).

    It allows for hidden common causes: i <-> j has one, a circle says that the data leave the mark
    open. causal-learn's steps are put together here, for its own `fci` turns "j does not cause i"
    into "i causes j", which rules out what FCI is for, and looks for discriminating paths only
    where three kinds of knowledge are given at once.
    """
    from causallearn.search.ConstraintBased import FCI as library  # noqa: N811
    from causallearn.utils.FAS import fas

    value, nodes = library_knowledge(knowledge)
    test = library_test(sample, knowledge, effort)
    data = columns_only(sample)
    found, separated, _ = fas(
        data, nodes, test, alpha=alpha, knowledge=value, depth=DEPTH, show_progress=False
    )
    for i, j in _apart_by_knowledge(knowledge, test, alpha):
        separated.pop((i, j), None)
        separated.pop((j, i), None)
    _known_marks(found, separated, knowledge, test, alpha)
    _possible_d_separation(found, separated, test, alpha)
    _known_marks(found, separated, knowledge, test, alpha)
    nodes = found.get_nodes()
    changed = True
    while changed:  # knowledge stands in marks by now, and the rules replace circles alone
        changed = library.rulesR1R2cycle(found, None, False, False)
        changed = library.ruleR3(found, separated, None, changed, False)
        changed = library.ruleR4B(found, -1, data, test, alpha, separated, changed, None, False)
        for rule in (library.ruleR5, library.ruleR6, library.ruleR7):
            changed = rule(found, changed, False)
        changed = library.rule8(found, nodes, changed)
        changed = library.rule9(found, nodes, changed)
        changed = library.rule10(found, changed)
        effort.spend(len(nodes))
    return graph.from_library(found.graph)


def _apart_by_knowledge(knowledge: Knowledge, test: Any, alpha: float) -> list[tuple[int, int]]:
    """Pairs that knowledge parts and the data do not: what stands between them is no collider."""
    both = np.argwhere(np.triu(knowledge.forbidden & knowledge.forbidden.T, 1))
    return [(int(i), int(j)) for i, j in both if test(i, j) <= alpha]


def _known_marks(
    found: Any, separated: _Separated, knowledge: Knowledge, test: Any, alpha: float
) -> None:
    """Circles everywhere; tails and arrows where knowledge and unshielded colliders put them."""
    marks = np.where(np.asarray(found.graph) != 0, graph.CIRCLE, graph.NONE).astype(np.int8)
    near = marks != graph.NONE
    marks[near & knowledge.forbidden.T] = graph.ARROW  # i may not lead to j: no tail at i
    marks[near & knowledge.required.T] = graph.TAIL
    for b in range(len(near)):
        for a, c in combinations(np.flatnonzero(near[b]).tolist(), 2):
            if near[a, c] or knowledge.required[b, a] or knowledge.required[b, c]:
                continue
            if _is_collider(a, b, c, near, separated, test, alpha):
                marks[a, b] = marks[c, b] = graph.ARROW
    _put(found, marks)


def _is_collider(
    a: int, b: int, c: int, near: np.ndarray, separated: _Separated, test: Any, alpha: float
) -> bool:
    """Whether what separates a and c best does so without b (max-p, Ramsey 2016).

    One set that separates by chance thus decides nothing; where only columns further away
    separate, what was found there counts.
    """
    best = {True: 0.0, False: 0.0}
    for one, other in ((a, c), (c, a)):
        beside = [k for k in np.flatnonzero(near[one]).tolist() if k != other]
        for given in (s for size in range(DEPTH) for s in combinations(beside, size)):
            best[b in given] = max(best[b in given], test(a, c, given))
    if max(best.values()) > alpha:
        return best[False] > best[True]
    between = separated.get((a, c), separated.get((c, a)))
    return between is not None and b not in between


def _put(found: Any, marks: graph.Marks) -> None:
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint

    ends = {graph.TAIL: Endpoint.TAIL, graph.ARROW: Endpoint.ARROW, graph.CIRCLE: Endpoint.CIRCLE}
    nodes = found.get_nodes()
    for i, j in np.argwhere(np.triu(marks != graph.NONE)):
        found.remove_edge(found.get_edge(nodes[i], nodes[j]))
        found.add_edge(Edge(nodes[i], nodes[j], ends[marks[j, i]], ends[marks[i, j]]))


def _possible_d_separation(found: Any, separated: _Separated, test: Any, alpha: float) -> None:
    """Remove edges whose ends columns further away separate (FCI's second stage)."""
    from causallearn.search.ConstraintBased.FCI import getPossibleDsep

    nodes = found.get_nodes()
    place = {node.get_name(): i for i, node in enumerate(nodes)}
    near = np.asarray(found.graph) != 0
    gone: dict[tuple[int, int], set[int]] = {}
    for i, j in np.argwhere(near).tolist():
        if (j, i) in gone:
            continue
        beside = set(np.flatnonzero(near[i])), set(np.flatnonzero(near[j]))
        around = getPossibleDsep(nodes[i], nodes[j], found, -1)
        far = sorted(place[node.get_name()] for node in around)
        for given in (s for size in range(2, DEPTH) for s in combinations(far, size)):
            if (
                not any(beside_one >= set(given) for beside_one in beside)
                and test(i, j, given) > alpha
            ):
                gone[i, j] = set(given)
                break
    for (i, j), apart in gone.items():
        found.remove_edge(found.get_edge(nodes[i], nodes[j]))
        separated[i, j] = separated[j, i] = apart
