"""Matching on the propensity score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.causal.estimation.matching import nearest, neighbour_variance, tied
from services.executor.causal.estimation.regression import least_squares
from services.executor.causal.estimation.result import Estimate
from services.executor.causal.estimation.support import Support, balanced, supported
from services.executor.causal.estimation.units import counted, settled
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np


def estimate(study: Study) -> list[Estimate]:
    """ATE and ATT by the nearest neighbour on the logit of the propensity, with replacement.

    Differences that a match leaves in the covariates are corrected by a regression in each group
    (Abadie & Imbens 2011). Errors are those of Abadie & Imbens 2006; the part that the estimated
    propensity adds (Abadie & Imbens 2016) vanishes once outcomes are corrected for the covariates
    that the propensity is made of, since what is left does not move with them.
    """
    import numpy as np

    support = supported(study)
    logit = tied(np.log(support.score / (1 - support.score)))
    study, treated = support.study, support.study.treatment == 1
    left, expected = _corrected(support, treated)
    variance = np.empty(len(study))
    uses, squares = np.zeros(len(study)), np.zeros(len(study))
    effects, gaps = np.empty(len(study)), expected[0] - expected[1]
    for arm in (treated, ~treated):
        variance[arm] = neighbour_variance(logit[arm], left[arm])
        matches = nearest(logit[arm], logit[~arm])
        sign = 1 if arm is treated else -1
        effects[arm] = gaps[arm] + sign * (left[arm] - matches.mean(left[~arm]))
        uses[~arm], squares[~arm] = matches.uses(1), matches.uses(2)
    return [
        _averaged(support, (effects, gaps, left), variance, uses, squares, estimand)
        for estimand in ("ATE", "ATT")
    ]


def _corrected(
    support: Support, treated: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """What the outcome has beyond the regression of its group (n), and what both regressions expect
    of each row (of the treated, of the others)."""
    import numpy as np

    outcome, terms = support.study.outcome, support.terms
    expected = []
    for arm in (treated, ~treated):
        # With few rows in a group a regression on all terms would follow them one by one.
        many = counted(support.study, arm) >= 5 * terms.shape[1]
        used = terms if many else terms[:, :1]
        expected.append(used @ least_squares(used[arm], outcome[arm]).coefficients)
    return outcome - np.where(treated, *expected), (expected[0], expected[1])


def _averaged(
    support: Support,
    found: tuple[np.ndarray, np.ndarray, np.ndarray],
    variance: np.ndarray,
    uses: np.ndarray,
    squares: np.ndarray,
    estimand: str,
) -> Estimate:
    """The mean of effects; `found` are these, what both regressions differ by, and what outcomes
    have beyond them (n each). By unit the errors are of the linear form of Otsu & Rai (2017)."""
    import numpy as np

    effects, gaps, left = found
    treatment = support.study.treatment
    if estimand == "ATE":
        chosen = np.ones(len(treatment), dtype=bool)
        spread = ((effects - effects.mean()) ** 2).sum()
        noise = ((uses**2 + 2 * uses - squares) * variance).sum()
        weights = 1 + uses
    else:
        chosen = treatment == 1
        spread = ((effects[chosen] - effects[chosen].mean()) ** 2).sum()
        noise = ((uses**2 - squares) * variance)[~chosen].sum()
        weights = np.where(chosen, 1.0, uses)
    rows, mean = int(chosen.sum()), float(effects[chosen].mean())
    influence = (
        np.where(chosen, gaps - mean, 0.0) + np.where(treatment == 1, 1, -1) * weights * left
    )
    error = float(np.sqrt(max(spread + noise, spread / 2)) / rows)
    fitted = 2 * support.terms.shape[1]  # of a regression in each group
    error, df = settled(support.study, influence / rows, error, spent=fitted)
    return Estimate(
        estimand,
        mean,
        error,
        rows,
        df=df,
        assumptions=(*support.assumptions, balanced(support.study, weights)),
        details={"most_uses_of_a_row": float(uses.max()), "neighbours": 1},
    )
