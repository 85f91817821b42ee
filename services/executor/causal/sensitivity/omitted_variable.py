"""Bounds on omitted variables by partial R squared (Cinelli & Hazlett 2020)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from services.executor.causal.frame import Study
from services.executor.causal.sensitivity.arguments import CausalSensitivityArguments
from services.executor.causal.sensitivity.result import Tested, figure

if TYPE_CHECKING:
    import numpy as np

_GRID = 21
_MOST_BENCHMARKS = 6


def tested(study: Study, arguments: CausalSensitivityArguments) -> Tested:
    """The robustness value, and what a cause as strong as each column adjusted for would leave.

    Everything is of the linear regression of the outcome on treatment and covariates, whatever the
    estimator: its estimate is told beside.
    """
    import numpy as np

    terms = np.column_stack([np.ones(len(study)), study.covariates.to_numpy(dtype=float)])
    outcome, treatment = _left(study.outcome, terms), _left(study.treatment, terms)
    df = len(study) - terms.shape[1] - 1
    spread = float(treatment @ treatment)
    estimate = float(treatment @ outcome) / spread
    left = outcome - estimate * treatment
    error = math.sqrt(float(left @ left) / df / spread)
    value = robustness(abs(estimate / error) / math.sqrt(df))
    doubt = robustness(max(0.0, abs(estimate / error) - 1.959964) / math.sqrt(df))
    benchmarks = _benchmarks(study, df, estimate, error)
    strongest = min(benchmarks, key=lambda b: _kept(b["estimate"], estimate), default=None)
    passes = None
    if strongest is not None and abs(estimate) > 1.959964 * error:
        passes = _kept(strongest["estimate"], estimate) > 1.959964 * error
    text = (
        f"An unseen cause that explains {value:.1%} of what is left of both {study.treatment_name} "
        f"and {study.outcome_name} would take the effect away"
    )
    text += (
        f"; one as strong as {strongest['column']} would leave {figure(strongest['estimate'])} "
        f"of {figure(estimate)}."
        if strongest is not None
        else "."
    )
    details = {
        "estimate": estimate,
        "std_error": error,
        "rv": value,
        "rv_in_doubt": doubt,
        "contour": _contour(estimate, error, df, benchmarks),
        "benchmarks": benchmarks,
    }
    return Tested(value, text, passes, details)


def robustness(strength: float) -> float:
    """The robustness value of a partial Cohen's f: 0 to 1."""
    square = strength**2
    return (math.sqrt(square**2 + 4 * square) - square) / 2


def _left(values: np.ndarray, terms: np.ndarray) -> np.ndarray:
    """What terms leave unexplained of values."""
    import numpy as np

    left: np.ndarray = values - terms @ np.linalg.lstsq(terms, values, rcond=None)[0]
    return left


def _kept(adjusted: float, estimate: float) -> float:
    """What is left of an estimate in its own direction."""
    return adjusted if estimate >= 0 else -adjusted


def _adjusted(estimate: float, error: float, df: int, treatment: float, outcome: float) -> float:
    """The estimate once a cause of these partial R squared is taken out, the worst way round."""
    bias = error * math.sqrt(df) * math.sqrt(outcome * treatment / (1 - treatment))
    return estimate - math.copysign(bias, estimate)


def _benchmarks(study: Study, df: int, estimate: float, error: float) -> list[dict[str, Any]]:
    """Partial R squared of each column with treatment and outcome, the strongest first; an unseen
    cause once as strong is bounded by them (equations 52 to 54)."""
    import numpy as np

    found: list[dict[str, Any]] = []
    values = study.covariates
    for name in values.columns:
        rest = values.drop(columns=name).to_numpy(dtype=float)
        base = np.column_stack([np.ones(len(study)), rest])
        column = _left(values[name].to_numpy(dtype=float), base)
        with_treatment = _partial(column, _left(study.treatment, base))
        also = np.column_stack([base, study.treatment])
        with_outcome = _partial(
            _left(values[name].to_numpy(dtype=float), also), _left(study.outcome, also)
        )
        bounded = with_treatment / (1 - with_treatment)
        if not 0 < bounded < 1 or with_outcome >= 1:
            continue
        share = with_treatment**2 / ((1 - with_treatment) * (1 - with_treatment))
        factor = (1 + math.sqrt(share)) / math.sqrt(max(1e-12, 1 - share))
        of_outcome = min(0.99, factor**2 * with_outcome / (1 - with_outcome))
        found.append(
            {
                "column": str(name),
                "treatment": bounded,
                "outcome": of_outcome,
                "estimate": _adjusted(estimate, error, df, bounded, of_outcome),
            }
        )
    found.sort(key=lambda one: (_kept(one["estimate"], estimate), one["column"]))
    return found[:_MOST_BENCHMARKS]


def _partial(first: np.ndarray, second: np.ndarray) -> float:
    """Squared correlation of two residuals."""
    product = float(first @ first) * float(second @ second)
    return float(first @ second) ** 2 / product if product > 0 else 0.0


def _contour(
    estimate: float, error: float, df: int, benchmarks: list[dict[str, Any]]
) -> dict[str, Any]:
    """The adjusted estimate over a grid wide enough for the benchmarks and for nought."""
    zero = robustness(abs(estimate / error) / math.sqrt(df))
    reach = [zero * 1.3, *(max(b["treatment"], b["outcome"]) * 1.2 for b in benchmarks)]
    most = min(0.95, max(0.05, *reach))
    steps = [most * number / (_GRID - 1) for number in range(_GRID)]
    grid = [[_adjusted(estimate, error, df, t, o) for t in steps] for o in steps]
    return {"treatment": steps, "outcome": steps, "estimate": grid}
