"""Subclassification on the propensity score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from services.executor.causal.estimation.matching import tied
from services.executor.causal.estimation.regression import least_squares
from services.executor.causal.estimation.result import Assumption, Estimate, Rejected
from services.executor.causal.estimation.support import Support, supported
from services.executor.causal.estimation.units import counted, settled
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
    score = tied(support.score)
    cuts = np.quantile(score, np.linspace(0, 1, STRATA + 1)[1:-1])
    stratum = np.searchsorted(cuts, score, side="left")
    parts = []
    dropped = 0
    for each in np.unique(stratum):
        rows = np.flatnonzero(stratum == each)
        if min(_arms(study, rows)) < FEWEST_IN_ARM:
            dropped += len(rows)
            continue
        parts.append(_within(support, rows))
    assumption = Assumption(
        "strata",
        f"{len(parts)} of {len(set(stratum))} strata have {FEWEST_IN_ARM} "
        f"{'rows' if study.units is None else 'units'} of each group; "
        f"{dropped:,} rows are left out.",
        dropped <= MOST_DROPPED * len(study),
        float(dropped),
    )
    if not assumption.passed or not parts:
        raise Rejected("too many strata of the propensity hold one group alone.", [assumption])
    return [_averaged(support, parts, estimand, assumption) for estimand in ("ATE", "ATT")]


@dataclass(frozen=True)
class _Stratum:
    """The `rows` of one, how many are treated, and for the ATE and the ATT the effect, its variance
    and the influence of each row on it."""

    rows: np.ndarray
    treated: int
    effects: dict[str, float]
    variances: dict[str, float]
    influence: dict[str, np.ndarray]


def _within(support: Support, rows: np.ndarray) -> _Stratum:
    import numpy as np

    treatment, arm = support.study.treatment[rows], min(_arms(support.study, rows))
    terms = support.terms[rows, 1:]
    if arm < 2 * (terms.shape[1] + 1):
        terms = np.log(support.score / (1 - support.score))[rows, None]
    terms = terms - terms.mean(axis=0)
    p = terms.shape[1]
    used = np.column_stack([treatment, np.ones(len(rows)), terms])
    if arm >= 5 * (p + 1):
        # With products effects may vary within the stratum too (Lin 2013).
        used = np.column_stack([used, treatment[:, None] * terms])
    fit = least_squares(used, support.study.outcome[rows])
    found = _Stratum(rows, int(treatment.sum()), {}, {}, {})
    means = {"ATE": np.zeros(p), "ATT": terms[treatment == 1].mean(axis=0)}
    for estimand, over in means.items():
        contrast = np.zeros(used.shape[1])
        contrast[0] = 1
        if used.shape[1] > p + 2:
            contrast[-p:] = over
        found.effects[estimand] = float(contrast @ fit.coefficients)
        found.variances[estimand] = float(contrast @ fit.covariance @ contrast)
        found.influence[estimand] = fit.influence @ contrast
    return found


def _arms(study: Study, rows: np.ndarray) -> tuple[int, int]:
    """Treated and untreated rows, or units where rows belong together, of a stratum."""
    import numpy as np

    here = np.isin(np.arange(len(study)), rows)
    return (
        counted(study, here & (study.treatment == 1)),
        counted(study, here & (study.treatment == 0)),
    )


def _averaged(
    support: Support, parts: list[_Stratum], estimand: str, assumption: Assumption
) -> Estimate:
    import numpy as np

    study = support.study
    counts = [len(each.rows) if estimand == "ATE" else each.treated for each in parts]
    sizes = np.array(counts, dtype=float)
    shares = sizes / sizes.sum()
    effects = np.array([each.effects[estimand] for each in parts])
    variances = np.array([each.variances[estimand] for each in parts])
    mean = float(shares @ effects)
    # How many rows fall in each stratum is a draw too, which counts where effects differ.
    between = float(shares @ (effects - mean) ** 2 - shares @ variances) / sizes.sum()
    influence = np.zeros(len(study))
    for share, each in zip(shares, parts, strict=True):
        counted = np.ones(len(each.rows)) if estimand == "ATE" else study.treatment[each.rows]
        drawn = counted * (each.effects[estimand] - mean) / sizes.sum()
        influence[each.rows] = share * each.influence[estimand] + drawn
    error, df = settled(study, influence, float(np.sqrt(shares**2 @ variances + max(between, 0.0))))
    return Estimate(
        estimand,
        mean,
        error,
        int(sizes.sum()),
        df=df,
        assumptions=(*support.assumptions, assumption),
        details={
            "strata": [
                {
                    "rows": len(each.rows),
                    "treated": each.treated,
                    "estimate": each.effects[estimand],
                    "std_error": each.variances[estimand] ** 0.5,
                }
                for each in parts
            ]
        },
    )
