"""How much a method's direction of an edge says, by what is published on what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.executor.causal.discovery import marks as graph
from services.executor.causal.discovery.matrix import Matrix
from services.executor.causal.discovery.methods import far_from_normal
from services.executor.causal.threads import one_thread

HSIC_ROWS = 1_000
HSIC_CELLS = 2e7
"""Independence is tested on rows spread over all, fewer where there are many edges: a test goes
over their square, and all tests together over so many cells, which take a second or two."""
SURELY_DEPENDENT = 0.01
STANDARDISED = (
    "of standardised columns, so its direction rests on nothing (Reisach, Seiler & Weichwald 2021)"
)
NORMAL = "both disturbances look normal, so the data do not tell its direction"
DEPENDENT = "what the source leaves of the target still depends on it, so the model is not straight"


@dataclass(frozen=True)
class Trust:
    """What a direction counts among methods, from 0 to 1, and why it counts less than 1."""

    weight: float
    why: str = ""


FULL = Trust(1.0)


def direction_trust(
    method: str, matrix: Matrix, marks: graph.Marks
) -> dict[tuple[int, int], Trust]:
    """For each directed edge (source, target) of a method's graph.

    PC, FCI and GES direct what independences tell: 1. NOTEARS gets directions from scales, and is
    run on standardised columns, which have none: 0. LiNGAM's direction counts where it can be
    told, which takes a disturbance that is not normal at one end at least (Shimizu et al. 2006;
    Hoyer et al. 2008), and where its model holds: what is left of the target has to be independent
    of the source (HSIC, Gretton et al. 2008, p < 0.01 shared among the edges; Mooij et al. 2016).
    """
    edges = [(i, j) for i, j, kind in graph.edges(marks) if kind == "directed"]
    if method == "NOTEARS":
        return {edge: Trust(0.0, STANDARDISED) for edge in edges}
    if method != "LiNGAM" or not edges:
        return {edge: FULL for edge in edges}
    with one_thread():
        return _of_disturbances(matrix, marks, edges)


def _of_disturbances(
    matrix: Matrix, marks: graph.Marks, edges: list[tuple[int, int]]
) -> dict[tuple[int, int], Trust]:
    numbers = matrix.sample().numbers
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    left = _disturbances(numbers, graph.directed(marks))
    strange = [far_from_normal(left[:, j]) for j in range(left.shape[1])]
    rows = min(HSIC_ROWS, int((HSIC_CELLS / len(edges)) ** 0.5))
    found = {}
    for i, j in edges:
        if not (strange[i] or strange[j]):
            found[i, j] = Trust(0.0, NORMAL)
        elif _dependence(numbers[:, i], left[:, j], rows) < SURELY_DEPENDENT / len(edges):
            found[i, j] = Trust(0.0, DEPENDENT)
        else:
            found[i, j] = FULL
    return found


def _disturbances(numbers: np.ndarray, causes: np.ndarray) -> np.ndarray:
    """What each column's causes leave of it by least squares (rows x columns)."""
    left = numbers.copy()
    for j in range(numbers.shape[1]):
        own = np.flatnonzero(causes[:, j])
        if len(own):
            given = numbers[:, own]
            left[:, j] -= given @ np.linalg.lstsq(given, numbers[:, j], rcond=None)[0]
    return left


def _dependence(one: np.ndarray, other: np.ndarray, rows: int) -> float:
    """The p-value of independence, small where two numbers depend on each other."""
    from lingam.hsic import hsic_test_gamma

    step = max(1, -(-len(one) // rows))
    p_value = hsic_test_gamma(one[::step], other[::step])[1]
    return float(p_value)
