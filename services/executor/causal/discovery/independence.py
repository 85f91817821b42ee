"""Tests of conditional independence, chosen by what the columns are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from services.executor.causal.discovery.effort import Effort
from services.executor.causal.discovery.knowledge import Knowledge
from services.executor.causal.discovery.matrix import Sample

LEAST_VARIANCE = 1e-6
"""What others leave of a column, of 1; below, they determine it and a test says nothing."""


class IndependenceTest(Protocol):
    """Whether two columns are independent given others."""

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        """Of the hypothesis that they are independent."""
        ...


class GaussianTest:
    """Fisher's z for two numbers; else Wilks' likelihood ratio between their blocks.

    With dummies for categories the latter is the degenerate Gaussian test (Andrews, Ramsey &
    Cooper 2019), with Bartlett's correction of the statistic for few rows.
    """

    def __init__(self, sample: Sample) -> None:
        """Tests over the sample's correlations."""
        self._blocks = sample.blocks
        self._correlation = sample.correlation
        self._rows = sample.rows

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        """Of independence; 1 where the others determine a column."""
        from scipy.special import chdtrc, ndtr

        one, two = self._blocks[x], self._blocks[y]
        others = np.concatenate([self._blocks[z] for z in given]) if len(given) else None
        rest = residual_covariance(self._correlation, np.concatenate([one, two]), others)
        a, b = len(one), len(two)
        known = 0 if others is None else len(others)
        if rest.diagonal().min() < LEAST_VARIANCE:
            return 1.0
        if a == b == 1:
            freedom = self._rows - known - 3
            r = rest[0, 1] / np.sqrt(rest[0, 0] * rest[1, 1])
            r = float(np.clip(r, -1 + 1e-12, 1 - 1e-12))
            return float(2 * ndtr(-np.sqrt(max(freedom, 0)) * abs(np.arctanh(r))))
        free = np.linalg.slogdet(rest[:a, :a])[1] + np.linalg.slogdet(rest[a:, a:])[1]
        ratio = free - np.linalg.slogdet(rest)[1]
        weight = self._rows - 1 - known - (a + b + 1) / 2
        return float(chdtrc(a * b, max(weight * ratio, 0.0))) if np.isfinite(ratio) else 1.0


class DiscreteTest:
    """The G-squared test of causal-learn on tables of counts."""

    def __init__(self, sample: Sample) -> None:
        """Tests over the sample's levels."""
        from causallearn.utils.cit import CIT

        self._test: Any = CIT(sample.integers, "gsq")

    def p_value(self, x: int, y: int, given: Sequence[int]) -> float:
        """Of independence."""
        return float(self._test(x, y, tuple(given)))


def residual_covariance(
    correlation: np.ndarray, wanted: np.ndarray, given: np.ndarray | None
) -> np.ndarray:
    """Covariance of the wanted numbers after linear regression on the given ones."""
    inside = correlation[np.ix_(wanted, wanted)]
    if given is None:
        alone: np.ndarray = inside
        return alone
    across = correlation[np.ix_(given, wanted)]
    among = correlation[np.ix_(given, given)]
    try:
        solved = np.linalg.solve(among, across)
    except np.linalg.LinAlgError:
        solved = np.linalg.lstsq(among, across, rcond=None)[0]
    rest: np.ndarray = inside - across.T @ solved
    return rest


def test_of(sample: Sample) -> IndependenceTest:
    """The test that suits the columns."""
    return GaussianTest(sample) if sample.integers is None else DiscreteTest(sample)


def library_test(sample: Sample, knowledge: Knowledge, effort: Effort) -> Any:
    """The test as causal-learn takes it: it counts steps and never separates a required edge.

    Nor do columns separate two that both came before them: no ancestor of either is among such, and
    given what both cause two that are linked may well look apart (Spirtes et al. 2000, ch. 5.4.5).
    """
    from causallearn.utils.cit import CIT_Base

    test = test_of(sample)
    certain = knowledge.required | knowledge.required.T
    later = knowledge.later

    class Test(CIT_Base):  # type: ignore[misc]
        """Answers each question once."""

        def __init__(self) -> None:
            super().__init__(columns_only(sample))
            self.method = "assay"
            self._known: dict[tuple[int, int, tuple[int, ...]], float] = {}

        def __call__(self, X: int, Y: int, condition_set: Any = None) -> float:  # noqa: N803
            x, y = sorted((int(X), int(Y)))
            given = tuple(sorted(int(z) for z in condition_set or ()))
            if certain[x, y] or any(later[z, x] and later[z, y] for z in given):
                return 0.0
            key = (x, y, given)
            if key not in self._known:
                effort.spend()
                self._known[key] = test.p_value(*key)
            return self._known[key]

    return Test()


def columns_only(sample: Sample) -> np.ndarray:
    """What causal-learn gets for data: it counts the columns, for all tests are ours."""
    return np.zeros((1, len(sample.blocks)))
