"""A graph and how firmly its edges stand: over resampled rows, orders of columns, and alphas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from services.executor.causal.discovery import marks as graph
from services.executor.causal.discovery.effort import Effort, OutOfSteps
from services.executor.causal.discovery.knowledge import Knowledge
from services.executor.causal.discovery.matrix import Matrix, Sample
from services.executor.causal.discovery.methods import Method
from services.executor.causal.threads import one_thread

ORDERS = 5
"""Orders of columns beside the sorted one that are tried on all rows."""
WHOLE_RUNS = ORDERS + 3
"""Runs on all rows: in these orders, and at three alphas."""


@dataclass(frozen=True)
class Edge:
    """One edge; stabilities are shares of runs, `marks` those at source and target."""

    source: int
    target: int
    edge_type: str
    marks: tuple[int, int]
    confidence: float
    skeleton: float
    direction: float
    in_order: float
    in_alpha: float


@dataclass(frozen=True)
class Found:
    """A graph over the matrix's columns, its edges, and pairs that it lacks but runs often have.

    `often` holds pairs with the share of runs that join them.
    """

    marks: graph.Marks
    edges: tuple[Edge, ...]
    often: tuple[tuple[int, int, float], ...]
    bootstraps: int
    steps: float


def alphas_around(alpha: float) -> tuple[float, float, float]:
    """The significance levels at which a graph is looked for: 0.01, 0.05 and 0.1 for 0.05."""
    return (alpha / 5, alpha, min(2 * alpha, 0.5))


def discover(
    matrix: Matrix,
    method: Method,
    knowledge: Knowledge,
    alpha: float,
    bootstraps: int,
    effort: Effort,
    seed: int,
    progress: Callable[[float], None] = lambda _: None,
) -> Found:
    """The graph of all rows, and what resampled rows (Efron 1979; Friedman et al. 1999) make of it.

    Each resampling has its own order of columns and takes the alphas in turn, so that its share
    is over all three. Bootstraps that the effort has no steps for are not run. Raises OutOfSteps
    where not even the graph of all rows fits.
    """
    with one_thread():
        return _discovered(matrix, method, knowledge, alpha, bootstraps, effort, seed, progress)


def _discovered(
    matrix: Matrix,
    method: Method,
    knowledge: Knowledge,
    alpha: float,
    bootstraps: int,
    effort: Effort,
    seed: int,
    progress: Callable[[float], None],
) -> Found:
    random = np.random.default_rng(seed)
    runs = _Runs(matrix, method, knowledge, effort, random)
    whole = matrix.sample()
    base = method.run(matrix, whole, knowledge, alpha, effort)
    orders, levels, drawn = [base], [base], list[graph.Marks]()
    used = np.random.SeedSequence(seed).spawn(bootstraps)
    try:
        orders += [runs.shuffled(whole, alpha) for _ in range(ORDERS)]
        levels += [
            method.run(matrix, whole, knowledge, level, effort)
            for level in alphas_around(alpha)
            if level != alpha
        ]
        for turn, own in enumerate(used):
            level = alphas_around(alpha)[turn % 3]
            chosen = np.random.default_rng(own).integers(0, matrix.rows, matrix.rows)
            drawn.append(runs.shuffled(matrix.sample(chosen), level))
            progress((turn + 1) / bootstraps)
    except OutOfSteps:
        pass
    spread = np.stack(drawn or [*orders, *levels[1:]])
    edges = tuple(
        _edge(base, i, j, kind, spread, np.stack(orders), np.stack(levels))
        for i, j, kind in graph.edges(base)
    )
    joined = (spread != graph.NONE).mean(axis=0)
    apart = np.triu((base == graph.NONE) & (joined >= 0.5))
    often = tuple((int(i), int(j), float(joined[i, j])) for i, j in np.argwhere(apart))
    return Found(base, edges, often, len(drawn), effort.steps)


@dataclass(frozen=True)
class _Runs:
    matrix: Matrix
    method: Method
    knowledge: Knowledge
    effort: Effort
    random: np.random.Generator

    def shuffled(self, sample: Sample, alpha: float) -> graph.Marks:
        """The graph when columns come in another order, put back into theirs."""
        order = self.random.permutation(len(sample.blocks))
        known = self.knowledge.ordered(order)
        found = self.method.run(self.matrix, sample.ordered(order), known, alpha, self.effort)
        back = np.argsort(order)
        result: graph.Marks = found[np.ix_(back, back)]
        return result


def _edge(
    base: graph.Marks,
    i: int,
    j: int,
    kind: str,
    spread: np.ndarray,
    orders: np.ndarray,
    levels: np.ndarray,
) -> Edge:
    joined = spread[:, i, j] != graph.NONE
    same = _same(spread, base, i, j)
    skeleton = float(joined.mean())
    direction = float(same.sum() / joined.sum()) if joined.any() else 0.0
    # An undirected edge says that two columns are joined, and no more.
    confidence = skeleton if kind == "undirected" else float(same.mean())
    return Edge(
        i,
        j,
        kind,
        (int(base[j, i]), int(base[i, j])),
        confidence,
        skeleton,
        direction,
        float(_same(orders, base, i, j).mean()),
        float(_same(levels, base, i, j).mean()),
    )


def _same(runs: np.ndarray, base: graph.Marks, i: int, j: int) -> np.ndarray:
    result: np.ndarray = (runs[:, i, j] == base[i, j]) & (runs[:, j, i] == base[j, i])
    return result
