"""Running one method over the studies of a frame, and its estimates as rows."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa

from services.executor.causal.estimation.result import (
    Assumption,
    Estimate,
    Estimator,
    Rejected,
)
from services.executor.causal.estimation.units import require_units
from services.executor.causal.frame import Study
from services.executor.causal.pooling import interval, rubin
from services.executor.causal.threads import one_thread

# Each method's module in this folder, and what it estimates over all rows.
METHODS = {
    "OLS": ("ols", "ATE"),
    "IPW": ("ipw", "ATE"),
    "AIPW": ("aipw", "ATE"),
    "PSM": ("psm", "ATE"),
    "stratification": ("stratification", "ATE"),
    "DML": ("dml", "ATE"),
    "causal_forest": ("causal_forest", "ATE"),
    "IV": ("iv", "LATE"),
    "RDD": ("rdd", "LATE"),
    "DiD": ("did", "ATT"),
}

HELD = ("sklearn.ensemble", "lightgbm")
"""Libraries with threads of their own, that methods use."""

SCHEMA = pa.schema(
    [
        ("method", pa.string()),
        ("estimand", pa.string()),
        ("group", pa.string()),
        ("estimate", pa.float64()),
        ("std_error", pa.float64()),
        ("ci_lower", pa.float64()),
        ("ci_upper", pa.float64()),
        ("p_value", pa.float64()),
        ("rows", pa.int64()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("assumptions", pa.string()),
        ("details", pa.string()),
    ]
)


def estimator(method: str) -> Estimator:
    """The estimator behind a method's name."""
    module = importlib.import_module(f"{__package__}.{METHODS[method][0]}")
    return cast(Estimator, module.estimate)


def estimated(method: str, study: Study) -> list[Estimate]:
    """The method's estimates of one study, on one thread so that sums come out the same anywhere.

    Raises Rejected, also where the arithmetic behind the method breaks down on this data.
    """
    import warnings

    import numpy as np

    try:
        with (
            one_thread(*HELD),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            warnings.simplefilter("ignore")  # what matters of them is told as an assumption
            require_units(study)
            found = estimator(method)(study)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
        raise Rejected(f"{method} cannot be computed on these rows ({error}).") from error
    return [_believable(each, study) for each in found]


def _believable(found: Estimate, study: Study) -> Estimate:
    """The estimate, rejected where its error cannot be told, or where it or its error is larger
    than the outcome can move: then rows did not determine it, whatever the method says."""
    if not (
        math.isfinite(found.estimate) and math.isfinite(found.std_error) and found.std_error > 0
    ):
        return replace(found, reason=found.reason or "the error of the estimate cannot be told.")
    reach = float(study.outcome.max() - study.outcome.min())
    if not study.binary:  # an effect of one unit: over all units there are
        reach /= max(float(study.treatment.max() - study.treatment.min()), 1e-300)
        reach *= 100  # and lines may be steep between rows that lie close
    if max(abs(found.estimate), found.std_error) <= reach:
        return found
    why = "the estimate or its error is larger than the outcome moves at all: rows do not tell it."
    return replace(found, reason=found.reason or why)


def rows_of(
    method: str, studies: Sequence[Study], look: Callable[[], None] = lambda: None
) -> list[dict[str, Any]]:
    """A row an estimate, pooled over imputations, in the order of the method's estimates.

    `look` is called before each imputation, and may raise to stop.

    A method that any imputation rejects is rejected: what is concluded may not rest on a guess of
    missing values.
    """
    found: list[list[Estimate]] = []
    try:
        for study in studies:
            look()
            found.append(estimated(method, study))
    except Rejected as rejected:
        which = f" (in imputation {len(found) + 1} of {len(studies)})" if len(studies) > 1 else ""
        return [_declined(method, studies[0], rejected, which)]
    names = [(each.estimand, each.group) for each in found[0]]
    grouped = [
        [each for one in found for each in one if (each.estimand, each.group) == name]
        for name in names
    ]
    return [_row(method, _pooled(each)) for each in grouped if len(each) == len(studies)]


def _declined(method: str, study: Study, rejected: Rejected, which: str) -> dict[str, Any]:
    return {
        "method": method,
        "estimand": METHODS[method][1],
        "group": "",
        "estimate": None,
        "std_error": None,
        "ci_lower": None,
        "ci_upper": None,
        "p_value": None,
        "rows": len(study),
        "status": "rejected",
        "reason": rejected.reason + which,
        "assumptions": _listed(rejected.assumptions),
        "details": "{}",
    }


def _pooled(found: Sequence[Estimate]) -> Estimate:
    first = found[0]
    if len(found) == 1:
        return first
    pooled = rubin(
        [each.estimate for each in found],
        [each.std_error for each in found],
        min(each.df for each in found),
    )
    reasons = [each.reason for each in found if each.reason]
    return replace(
        first,
        estimate=pooled.estimate,
        std_error=pooled.std_error,
        df=pooled.df,
        bounds=None,
        p_value=None,
        rows=round(sum(each.rows for each in found) / len(found)),
        assumptions=_together(found),
        reason=reasons[0] if reasons else "",
        details={
            **first.details,
            "imputations": len(found),
            "missing_information": pooled.missing_information,
        },
    )


def _together(found: Sequence[Estimate]) -> tuple[Assumption, ...]:
    """Each assumption as the imputation tells it in which it fares worst."""
    worst: dict[str, Assumption] = {}
    for each in (assumption for one in found for assumption in one.assumptions):
        known = worst.get(each.name)
        if known is None or (each.passed is False and known.passed is not False):
            worst[each.name] = each
    return tuple(worst.values())


def _row(method: str, found: Estimate) -> dict[str, Any]:
    low, high, p_value = interval(found.estimate, found.std_error, found.df)
    if found.bounds is not None:
        low, high = found.bounds
    return {
        "method": method,
        "estimand": found.estimand,
        "group": found.group,
        "estimate": _number(found.estimate),
        "std_error": _number(found.std_error),
        "ci_lower": _number(low),
        "ci_upper": _number(high),
        "p_value": _number(p_value if found.p_value is None else found.p_value),
        "rows": found.rows,
        "status": "rejected" if found.reason else "ok",
        "reason": found.reason,
        "assumptions": _listed(found.assumptions),
        "details": json.dumps(_plain(found.details), sort_keys=True),
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _listed(assumptions: Iterable[Assumption]) -> str:
    return json.dumps(
        [
            {
                "name": each.name,
                "statistic": _plain(each.statistic),
                "p_value": _plain(each.p_value),
                "passed": each.passed,
                "text": each.text,
            }
            for each in assumptions
        ]
    )


def _plain(value: Any) -> Any:
    """Without what JSON has no word for: infinities and what is no number are null."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
