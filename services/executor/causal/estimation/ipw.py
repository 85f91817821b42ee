"""Inverse probability weighting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.causal.estimation.result import Assumption, Estimate
from services.executor.causal.estimation.support import Support, balanced, supported
from services.executor.causal.estimation.units import settled
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np


def estimate(study: Study) -> list[Estimate]:
    """ATE and ATT with weights that add to one in each group (Hajek 1971).

    Standard errors from influence functions that count the estimated propensity in (Lunceford &
    Davidian 2004), scaled up by n / (n - p) for its p coefficients.
    """
    support = supported(study)
    found = []
    for estimand in ("ATE", "ATT"):
        ones, zeros = _weights(support, estimand)
        effect, error, df = _weighted(support, ones, zeros, estimand)
        weights = ones + zeros
        assumptions = (
            *support.assumptions,
            balanced(support.study, weights),
            _heaviest(support, weights),
        )
        treated = int(support.study.treatment.sum())
        found.append(
            Estimate(
                estimand,
                effect,
                error,
                treated if estimand == "ATT" else len(support.study),
                df=df,
                assumptions=assumptions,
                details={"effective_rows": float(weights.sum() ** 2 / (weights**2).sum())},
            )
        )
    return found


def _weights(support: Support, estimand: str) -> tuple[np.ndarray, np.ndarray]:
    treatment, score = support.study.treatment, support.score
    if estimand == "ATE":
        return treatment / score, (1 - treatment) / (1 - score)
    return treatment, (1 - treatment) * score / (1 - score)


def _weighted(
    support: Support, ones: np.ndarray, zeros: np.ndarray, estimand: str
) -> tuple[float, float, float]:
    """The difference of weighted means, its standard error and degrees of freedom."""
    import numpy as np

    outcome, treatment = support.study.outcome, support.study.treatment
    score, terms = support.score, support.terms
    n, p = terms.shape
    means = [float(np.average(outcome, weights=each)) for each in (ones, zeros)]
    first = ones * (outcome - means[0]) / ones.mean()
    second = zeros * (outcome - means[1]) / zeros.mean()
    # How each part moves with the logit: 1/e by -(1-e)/e, 1/(1-e) by e/(1-e), e/(1-e) by itself.
    slope = -(first * (1 - score) + second * score) if estimand == "ATE" else -second
    gradient = (slope[:, None] * terms).mean(axis=0)
    information = (terms * (score * (1 - score))[:, None]).T @ terms / n
    scores = (treatment - score)[:, None] * terms
    influence = first - second + scores @ np.linalg.pinv(information, hermitian=True) @ gradient
    influence /= np.sqrt(n * max(n - p, 1))
    error, df = settled(support.study, influence, float(np.sqrt((influence**2).sum())))
    return means[0] - means[1], error, df


def _heaviest(support: Support, weights: np.ndarray) -> Assumption:
    treatment = support.study.treatment
    share = max(
        float(weights[treatment == arm].max() / weights[treatment == arm].sum()) for arm in (0, 1)
    )
    return Assumption(
        "weights", f"The heaviest row carries {share:.1%} of its group.", share <= 0.1, share
    )
