"""Linear regression on treatment and covariates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.causal.estimation.regression import Fit, least_squares, reset_test
from services.executor.causal.estimation.result import UNCONFOUNDED, Assumption, Estimate
from services.executor.causal.estimation.support import (
    require_variation,
    standardised,
    supported,
)
from services.executor.causal.estimation.units import counted, settled
from services.executor.causal.frame import Study

if TYPE_CHECKING:
    import numpy as np

ROWS_FOR_A_TERM = 5


def estimate(study: Study) -> list[Estimate]:
    """Effects by least squares with HC3 errors.

    Binary treatment: treatment, covariates and their products (Lin 2013), so that effects that vary
    with the covariates average to the ATE and, over the treated, the ATT; without products where an
    arm has fewer than 5 rows a term. Numeric treatment: the effect of one unit, without products.
    """
    if not study.binary:
        return _of_a_number(study)
    support = supported(study)
    study = support.study
    return _of_two_groups(study, support.assumptions)


def _of_a_number(study: Study) -> list[Estimate]:
    import numpy as np

    varies = require_variation(study)
    terms = np.column_stack([np.ones(len(study)), study.treatment, standardised(study)])
    fit = least_squares(terms, study.outcome)
    error, df = settled(
        study,
        fit.influence[:, 1],
        float(np.sqrt(fit.covariance[1, 1])),
        len(study) - terms.shape[1],
    )
    return [
        Estimate(
            "ATE",
            float(fit.coefficients[1]),
            error,
            len(study),
            df=df,
            assumptions=(UNCONFOUNDED, varies, _form(terms, fit, study.outcome)),
            details={"model": "additive", "unit": "one unit of the treatment"},
        )
    ]


def _of_two_groups(study: Study, tested: tuple[Assumption, ...]) -> list[Estimate]:
    import numpy as np

    n, values, treatment = len(study), standardised(study), study.treatment
    k = values.shape[1]
    arm = min(counted(study, treatment == each) for each in (0, 1))
    interacted = k > 0 and arm >= ROWS_FOR_A_TERM * (k + 1)
    terms = np.column_stack([np.ones(n), treatment, values])
    if interacted:
        terms = np.column_stack([terms, treatment[:, None] * values])
    fit = least_squares(terms, study.outcome)
    tested = (*tested, _form(terms, fit, study.outcome))
    found = []
    for estimand, rows in (("ATE", np.ones(n, dtype=bool)), ("ATT", treatment == 1)):
        contrast = np.zeros(terms.shape[1])
        contrast[1] = 1
        variance, influence = 0.0, np.zeros(n)
        if interacted:
            contrast[-k:] = values[rows].mean(axis=0)
            # The rows are a sample too: the mean of an effect that varies is not known exactly.
            effects = values[rows] @ fit.coefficients[-k:]
            variance = float(effects.var()) / int(rows.sum())
            influence[rows] = (effects - effects.mean()) / int(rows.sum())
        variance += float(contrast @ fit.covariance @ contrast)
        error, df = settled(
            study,
            influence + fit.influence @ contrast,
            float(np.sqrt(variance)),
            n - terms.shape[1],
        )
        found.append(
            Estimate(
                estimand,
                float(contrast @ fit.coefficients),
                error,
                int(rows.sum()) if estimand == "ATT" else n,
                df=df,
                assumptions=tested,
                details={
                    "model": "with products of treatment and covariates"
                    if interacted
                    else "additive",
                    "terms": terms.shape[1],
                },
            )
        )
    return found if interacted or k == 0 else found[:1]


def _form(terms: np.ndarray, fit: Fit, outcome: np.ndarray) -> Assumption:
    statistic, p_value = reset_test(terms, fit, outcome)
    return Assumption(
        "functional form",
        "Ramsey's RESET: "
        + (
            "curvature is left that the model lacks."
            if p_value < 0.05
            else "no curvature is left unexplained."
        ),
        p_value >= 0.05,
        statistic,
        p_value,
    )
