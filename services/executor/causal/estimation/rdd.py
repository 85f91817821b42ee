"""Regression discontinuity, sharp and fuzzy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.executor.causal.estimation.local_polynomial import Limit, Side, bandwidth, limit
from services.executor.causal.estimation.rdd_checks import (
    continuous_covariates,
    density_test,
    donut,
    placebo_cutoffs,
)
from services.executor.causal.estimation.result import Assumption, Estimate, Rejected
from services.executor.causal.estimation.support import FEWEST_IN_GROUP
from services.executor.causal.frame import Study
from services.executor.causal.pooling import interval

if TYPE_CHECKING:
    import numpy as np

SHARP = 0.999
LEAST_JUMP_F = 10.0


def estimate(study: Study) -> list[Estimate]:
    """The effect at the cutoff by local linear regression with a triangular kernel, the bandwidth
    that minimises the mean squared error, and robust bias correction (Calonico, Cattaneo &
    Titiunik 2014): estimate and interval are both the corrected ones.

    Sharp where the treatment changes from nobody to everybody at the cutoff, else fuzzy: the jump
    of the outcome over that of the treatment. Rejected where rows pile up at one side of the cutoff
    (McCrary 2008), where covariates or placebo cutoffs jump, and where the treatment hardly jumps.
    """
    distance, values = running_values(study)
    below, above = distance < 0, distance >= 0
    if min(below.sum(), above.sum()) < FEWEST_IN_GROUP:
        raise Rejected(
            f"{below.sum()} rows lie below the cutoff and {above.sum()} from it on; at least "
            f"{FEWEST_IN_GROUP} are needed on each side."
        )
    sharp = is_sharp(study, distance)
    sides = [Side(distance[part], values[part]) for part in (below, above)]
    width = bandwidth(*sides)
    limits = [limit(side, width) for side in sides]
    jump, error, plain = _effect(limits, sharp)
    rows = limits[0].rows + limits[1].rows
    tested: tuple[Assumption, ...] = (
        density_test(distance),
        continuous_covariates(study, distance),
        placebo_cutoffs(distance, study.outcome),
        donut(distance, values, width, sharp, (jump, error)),
    )
    if study.units is not None:
        tested = (*tested, _rows_alone())
    reasons = [each.text for each in tested[:3] if each.passed is False]
    if not sharp:
        first = limits[1].corrected[1] - limits[0].corrected[1]
        noise = limits[0].covariance_corrected[1, 1] + limits[1].covariance_corrected[1, 1]
        if first**2 / noise < LEAST_JUMP_F:
            reasons.append("The treatment hardly jumps at the cutoff.")
    if min(limits[0].rows, limits[1].rows) < FEWEST_IN_GROUP:
        reasons.append(f"Only {min(limits[0].rows, limits[1].rows)} rows of one side are near.")
    low, high, p_value = interval(jump, error)
    return [
        Estimate(
            "LATE",
            jump,
            error,
            rows,
            bounds=(low, high),
            p_value=p_value,
            assumptions=tested,
            details={
                "design": "sharp" if sharp else "fuzzy",
                "bandwidth": width,
                "conventional_estimate": plain,
                "rows_below": limits[0].rows,
                "rows_above": limits[1].rows,
                "cutoff": float(study.roles["cutoff"]),
                "adjusted": [],
            },
            reason=" ".join(reasons),
        )
    ]


def _rows_alone() -> Assumption:
    return Assumption(
        "independent rows",
        "Rows of one unit are counted as if each stood for itself: of a discontinuity the error "
        "is told by row, and may be too small.",
        False,
    )


def running_values(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """The distance to the cutoff (n), and outcome and treatment (n by 2). Raises Rejected for a
    running variable that is no number."""
    import numpy as np
    import pandas as pd

    running = study.others[study.roles["running"]]
    if not pd.api.types.is_numeric_dtype(running):
        raise Rejected("the running variable is not numeric.")
    distance = running.to_numpy(dtype=float) - float(study.roles["cutoff"])
    return distance, np.column_stack([study.outcome, study.treatment])


def is_sharp(study: Study, distance: np.ndarray) -> bool:
    """Whether the side of the cutoff is the treatment, all but."""
    same = float(((distance >= 0) == (study.treatment == 1)).mean()) if study.binary else 0.0
    return same >= SHARP


def _effect(limits: list[Limit], sharp: bool) -> tuple[float, float, float]:
    """The corrected effect, its error, and the conventional effect."""
    import numpy as np

    corrected = limits[1].corrected - limits[0].corrected
    plain = limits[1].conventional - limits[0].conventional
    covariance = limits[1].covariance_corrected + limits[0].covariance_corrected
    if sharp:
        return float(corrected[0]), float(np.sqrt(covariance[0, 0])), float(plain[0])
    ratio = float(corrected[0] / corrected[1])
    slope = np.array([1.0, -ratio]) / corrected[1]
    return ratio, float(np.sqrt(slope @ covariance @ slope)), float(plain[0] / plain[1])
