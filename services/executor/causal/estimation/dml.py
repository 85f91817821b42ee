"""Double machine learning."""

from __future__ import annotations

from services.executor.causal.estimation.orthogonal import interactive, partially_linear
from services.executor.causal.estimation.result import Estimate
from services.executor.causal.frame import Study


def estimate(study: Study) -> list[Estimate]:
    """Effects with models chosen among lasso and gradient boosting (Chernozhukov et al. 2018):
    the interactive model for a binary treatment, the partially linear one for a number."""
    return (interactive if study.binary else partially_linear)(study, boosting=True)
