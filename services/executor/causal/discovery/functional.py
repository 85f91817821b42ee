"""Graphs from linear equations: DirectLiNGAM and NOTEARS, for columns that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from services.executor.causal.discovery import marks as graph
from services.executor.causal.discovery.effort import Effort
from services.executor.causal.discovery.independence import residual_covariance
from services.executor.causal.discovery.knowledge import Knowledge
from services.executor.causal.discovery.matrix import Sample

LINGAM_ROWS = 10_000
"""Rows that the order is found in, spread over all: more tell no more of the shapes."""
PENALTY = 0.05
LEAST_WEIGHT = 0.15
"""Of standardised columns: smaller coefficients of NOTEARS are no edges."""
LARGEST_WEIGHT = 3.0
_ENOUGH = 1e-8
_LARGEST = 1e12


def lingam(sample: Sample, knowledge: Knowledge, alpha: float, effort: Effort) -> graph.Marks:
    """A directed graph by DirectLiNGAM (Shimizu et al. 2011): linear, disturbances not normal.

    The library finds the causal order, in which tiers and required edges hold. Edges are then what
    a regression on all earlier columns cannot do without, forbidden ones left out; alpha is shared
    among a column's possible causes (Bonferroni).
    """
    from lingam import DirectLiNGAM

    everything = sample.numbers
    numbers = everything[:: max(1, -(-len(everything) // LINGAM_ROWS))]
    size = numbers.shape[1]
    effort.spend(lingam_steps(size))
    prior = np.full((size, size), -1)
    prior[knowledge.later.T] = 0
    prior[_paths(knowledge.required).T] = 1
    np.fill_diagonal(prior, -1)
    centred = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    model = DirectLiNGAM(prior_knowledge=prior if knowledge.any else None)
    model._estimate_adjacency_matrix = lambda *_, **__: model  # the order alone is wanted
    model.fit(centred)
    return graph.from_edges(_needed(everything, list(model.causal_order_), knowledge, alpha))


def lingam_steps(columns: int) -> float:
    """Pairs of columns that DirectLiNGAM compares."""
    return columns * (columns + 1) * (2 * columns + 1) / 6


def _paths(edges: np.ndarray) -> np.ndarray:
    reach = edges.copy()
    for _ in range(len(edges)):
        reach |= (reach.astype(int) @ edges.astype(int)) > 0
    return reach


def _needed(
    numbers: np.ndarray, order: list[int], knowledge: Knowledge, alpha: float
) -> np.ndarray:
    """[i, j]: whether j's regression on what came before it needs i (t-test)."""
    from scipy.special import stdtr

    found = knowledge.required.copy()
    values = np.corrcoef(numbers, rowvar=False)
    for place, j in enumerate(order):
        before = [i for i in order[:place] if not knowledge.forbidden[i, j]]
        if not before:
            continue
        inverse = np.linalg.pinv(values[np.ix_(before, before)])
        weights = inverse @ values[before, j]
        freedom = max(len(numbers) - len(before) - 1, 1)
        rest = residual_covariance(values, np.array([j]), np.array(before))[0, 0]
        error = np.sqrt(np.maximum(np.diag(inverse) * rest, 1e-12) / freedom)
        found[before, j] |= 2 * stdtr(freedom, -np.abs(weights / error)) < alpha / (len(order) - 1)
    return found


def notears(sample: Sample, knowledge: Knowledge, alpha: float, effort: Effort) -> graph.Marks:
    """A directed graph by NOTEARS (Zheng et al. 2018): least squares, kept acyclic by a constraint.

    Over standardised columns, since its result otherwise follows their scale (Reisach, Seiler &
    Weichwald 2021). Least squares need the correlations alone. Penalty and least weight follow
    alpha as the critical value of a test does.
    """
    from scipy.special import ndtri

    strict = float(ndtri(1 - alpha / 2) / ndtri(0.975))
    weights = _Notears(sample, knowledge, effort).solve(PENALTY * strict)
    strength = np.sqrt(_by_block(weights**2, sample.blocks))
    found = _acyclic(np.where(strength >= LEAST_WEIGHT * strict, strength, 0.0))
    return graph.from_edges(found | knowledge.required)


def _by_block(values: np.ndarray, blocks: tuple[np.ndarray, ...]) -> np.ndarray:
    """Sums over the numbers of two columns' blocks."""
    owner = np.zeros((values.shape[0], len(blocks)))
    for place, block in enumerate(blocks):
        owner[block, place] = 1.0
    result: np.ndarray = owner.T @ values @ owner
    return result


def _acyclic(strength: np.ndarray) -> np.ndarray:
    """The edges, without the weakest of those that still run in a circle."""
    while graph.has_cycle(strength > 0):
        on_circle = (strength > 0) & _paths(strength > 0).T
        weakest = np.where(on_circle, strength, np.inf)
        strength[np.unravel_index(np.argmin(weakest), strength.shape)] = 0.0
    found: np.ndarray = strength > 0
    return found


class _Notears:
    """NOTEARS' augmented Lagrangian over blocks; a point is weights above and below zero."""

    def __init__(self, sample: Sample, knowledge: Knowledge, effort: Effort) -> None:
        self._blocks, self._effort = sample.blocks, effort
        self._moments = sample.correlation
        self._width = len(sample.correlation)
        blocked = knowledge.forbidden | np.eye(len(sample.blocks), dtype=bool)
        owner = np.zeros(self._width, dtype=int)
        for place, block in enumerate(sample.blocks):
            owner[block] = place
        self._owner = owner
        self._free = ~blocked[np.ix_(owner, owner)]

    def solve(self, penalty: float) -> np.ndarray:
        """Weights (width x width): [a, b] is of number a in the equation of number b."""
        from scipy.optimize import minimize

        size = self._width**2
        bounds = [(0, LARGEST_WEIGHT) if free else (0, 0) for free in self._free.ravel()] * 2
        point, rho, multiplier, before = np.zeros(2 * size), 1.0, 0.0, np.inf
        for _ in range(60):
            while True:
                found = minimize(
                    self._value,
                    point,
                    args=(rho, multiplier, penalty),
                    method="L-BFGS-B",
                    jac=True,
                    bounds=bounds,
                    options={"maxiter": 500, "ftol": 1e-7, "gtol": 1e-4},
                )
                circle = self._circle(self._weights(found.x))[0]
                if circle <= 0.25 * before or rho >= _LARGEST:
                    break
                rho *= 10
            point, before = found.x, circle
            multiplier += rho * circle
            if circle <= _ENOUGH or rho >= _LARGEST:
                break
        return self._weights(point)

    def _weights(self, point: np.ndarray) -> np.ndarray:
        above, below = point.reshape(2, self._width, self._width)
        weights: np.ndarray = above - below
        return weights

    def _circle(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """How far from acyclic the sums of squares are, and the gradient of that.

        The polynomial tr((1 + B/d)^d) - d (Yu et al. 2019), which overflows later than exp(B).
        """
        size = len(self._blocks)
        between = np.eye(size) + _by_block(weights**2, self._blocks) / size
        power = np.linalg.matrix_power(between, size - 1)
        gradient = power.T[np.ix_(self._owner, self._owner)] * 2 * weights
        return float(np.sum(power.T * between) - size), gradient

    def _value(
        self, point: np.ndarray, rho: float, multiplier: float, penalty: float
    ) -> tuple[float, Any]:
        self._effort.spend()
        weights = self._weights(point)
        rest = np.eye(self._width) - weights
        pull = self._moments @ rest
        loss, slope = 0.5 * float(np.sum(rest * pull)), -pull
        circle, bend = self._circle(weights)
        value = loss + 0.5 * rho * circle**2 + multiplier * circle + penalty * float(point.sum())
        slope = slope + (rho * circle + multiplier) * bend
        return value, np.concatenate([(slope + penalty).ravel(), (penalty - slope).ravel()])
