"""Subclassification on the propensity score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.causal.estimation.regression import least_squares
from services.executor.causal.estimation.result import Assumption, Estimate, Rejected
from services.executor.causal.estimation.support import Support, supported
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np

STRATA = 5
FEWEST_IN_ARM = 10
MOST_DROPPED = 0.2


def estimate(study: Study) -> list[Estimate]:
    """ATE and ATT over fifths of the propensity (Rosenbaum & Rubin 1984).

    Within a stratum outcomes are regressed on treatment and covariates, for the difference in means
    keeps a tenth of the confounding (Imbens & Rubin 2015, ch. 17). A stratum with fewer than 10
    rows of a group is left out and told; rejected where that takes more than a fifth of the rows.
    """
    import numpy as np

    support = supported(study)
    study = support.study
    cuts = np.quantile(support.score, np.linspace(0, 1, STRATA + 1)[1:-1])
    stratum = np.searchsorted(cuts, support.score, side="left")
    parts = []
    dropped = 0
    for each in np.unique(stratum):
        rows = np.flatnonzero(stratum == each)
        treated = int(study.treatment[rows].sum())
        if min(treated, len(rows) - treated) < FEWEST_IN_ARM:
            dropped += len(rows)
            continue
        parts.append((len(rows), treated, *_within(support, rows)))
    told = Assumption(
        "strata",
        f"{len(parts)} of {len(set(stratum))} strata have {FEWEST_IN_ARM} rows of each group; "
        f"{dropped:,} rows are left out.",
        dropped <= MOST_DROPPED * len(study),
        float(dropped),
    )
    if not told.passed or not parts:
        raise Rejected("too many strata of the propensity hold one group alone.", [told])
    return [_averaged(support, np.array(parts), estimand, told) for estimand in ("ATE", "ATT")]


def _within(support: Support, rows: np.ndarray) -> list[float]:
    """The effect in one stratum, its variance, and both again over the treated alone."""
    import numpy as np

    treatment = support.study.treatment[rows]
    terms = support.terms[rows, 1:]
    arm = min(treatment.sum(), len(rows) - treatment.sum())
    if arm < 2 * (terms.shape[1] + 1):
        terms = np.log(support.score / (1 - support.score))[rows, None]
    terms = terms - terms.mean(axis=0)
    p = terms.shape[1]
    used = np.column_stack([treatment, np.ones(len(rows)), terms])
    if arm >= 5 * (p + 1):
        # With products effects may vary within the stratum too (Lin 2013).
        used = np.column_stack([used, treatment[:, None] * terms])
    fit = least_squares(used, support.study.outcome[rows])
    found = []
    for over in (np.zeros(p), terms[treatment == 1].mean(axis=0)):
        contrast = np.zeros(used.shape[1])
        contrast[0] = 1
        if used.shape[1] > p + 2:
            contrast[-p:] = over
        found += [float(contrast @ fit.coefficients), float(contrast @ fit.covariance @ contrast)]
    return found


def _averaged(support: Support, parts: np.ndarray, estimand: str, told: Assumption) -> Estimate:
    import numpy as np

    sizes = parts[:, 0] if estimand == "ATE" else parts[:, 1]
    shares = sizes / sizes.sum()
    first = 2 if estimand == "ATE" else 4
    effects, variances = parts[:, first], parts[:, first + 1]
    mean = float(shares @ effects)
    # How many rows fall in each stratum is a draw too, which counts where effects differ.
    between = float(shares @ (effects - mean) ** 2 - shares @ variances) / sizes.sum()
    error = float(np.sqrt(shares**2 @ variances + max(between, 0.0)))
    return Estimate(
        estimand, mean, error, int(sizes.sum()), assumptions=(*support.assumptions, told),
        details={"strata": [{"rows": int(each[0]), "treated": int(each[1]),
                             "estimate": float(each[first]),
                             "std_error": float(each[first + 1]) ** 0.5}
                            for each in parts]},
    )  # fmt: skip
