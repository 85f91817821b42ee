"""Rosenbaum bounds (2002): how far matched pairs may differ in their odds of treatment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.frame import Study
from services.executor.causal.sensitivity.again import MOST_ROWS, sampled
from services.executor.causal.sensitivity.arguments import CausalSensitivityArguments
from services.executor.causal.sensitivity.result import Tested

if TYPE_CHECKING:
    import numpy as np

_CALIPER = 0.2
"""In standard deviations of the logit of the propensity (Austin 2011)."""
_LEAST_PAIRS = 20
_MOST_GAMMA = 10.0


def tested(study: Study, arguments: CausalSensitivityArguments) -> Tested:
    """The largest gamma at which the signed rank test over matched pairs still sees an effect."""
    import numpy as np

    few = sampled(study, 2 * MOST_ROWS, np.random.default_rng(arguments.seed))
    differences = _pairs(few)
    if len(differences) < _LEAST_PAIRS:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"only {len(differences)} rows have a like one in the other group.",
        )
    signed = differences if arguments.estimate >= 0 else -differences
    gamma = _largest(signed)
    text = (
        f"Two like rows could differ by a factor of {gamma:.2f} in their odds of "
        f"{study.treatment_name} before the effect was in doubt."
        if gamma > 1
        else f"Among {len(differences):,} matched pairs the effect is in doubt as it is."
    )
    return Tested(gamma, text, None, {"pairs": len(differences)})


def upper_p_value(signed: np.ndarray, gamma: float) -> float:
    """The largest one-sided p-value of Wilcoxon's signed rank test under that gamma, by the normal
    approximation; pairs without a difference count for nothing."""
    import numpy as np
    from scipy import stats

    kept = signed[signed != 0]
    ranks = stats.rankdata(np.abs(kept))
    statistic = float(ranks[kept > 0].sum())
    share = gamma / (1 + gamma)
    mean = share * float(ranks.sum())
    deviation = math.sqrt(share * (1 - share) * float((ranks**2).sum()))
    return float(stats.norm.sf((statistic - mean) / deviation)) if deviation > 0 else 1.0


def _largest(signed: np.ndarray) -> float:
    """The largest gamma with a p-value of at most 2.5 %, found by halving; 1 where none is."""
    if upper_p_value(signed, 1.0) > 0.025:
        return 1.0
    low, high = 1.0, _MOST_GAMMA
    if upper_p_value(signed, high) <= 0.025:
        return high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if upper_p_value(signed, middle) <= 0.025 else (low, middle)
    return low


def _pairs(study: Study) -> np.ndarray:
    """Differences of outcome, treated less untreated, of pairs matched on the logit of the
    propensity within a caliper, each row at most once, the hardest to match first.

    Outcomes are what a regression on the covariates among untreated rows leaves of them, for what
    matching leaves of differences between the two (Rosenbaum 2002, covariance adjustment).
    """
    from bisect import bisect_left

    import numpy as np

    scaled = _scaled(study)
    logit = _logit(scaled, study)
    width = _CALIPER * float(logit.std()) or 1.0
    untreated = study.treatment == 0
    terms = np.column_stack([np.ones(len(study)), scaled])
    fit = np.linalg.lstsq(terms[untreated], study.outcome[untreated], rcond=None)[0]
    outcome = study.outcome - terms @ fit
    left = sorted((float(logit[row]), int(row)) for row in np.flatnonzero(untreated))
    found = []
    for row in sorted(np.flatnonzero(~untreated), key=lambda one: (-logit[one], one)):
        if not left:
            break
        place = bisect_left(left, (float(logit[row]), -1))
        near = [p for p in (place - 1, place) if 0 <= p < len(left)]
        best = min(near, key=lambda p: abs(left[p][0] - logit[row]))
        if abs(left[best][0] - logit[row]) <= width:
            found.append(outcome[row] - outcome[left.pop(best)[1]])
    return np.asarray(found)


def _scaled(study: Study) -> np.ndarray:
    import numpy as np

    values = study.covariates.to_numpy(dtype=float)
    spread = values.std(axis=0)
    scaled: np.ndarray = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return scaled if scaled.shape[1] else np.zeros((len(study), 1))


def _logit(scaled: np.ndarray, study: Study) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=500).fit(scaled, study.treatment)
    found: np.ndarray = scaled @ model.coef_[0] + model.intercept_[0]
    return found
