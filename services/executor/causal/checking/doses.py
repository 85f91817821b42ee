"""A treatment that is a number: how far covariates tell the dose, and what weighting leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.checking.balance import ALIKE, features
from services.executor.causal.checking.weighing import effective
from services.executor.causal.profiling.association import Matrix, standardised
from services.executor.causal.profiling.columns import Column, Vector
from services.executor.profiling.numbers import pearson

_THIRDS = (1 / 3, 2 / 3)


def is_dose(column: Column) -> bool:
    """Whether the treatment is a number of more than two values."""
    return column.kind in ("numeric", "ordinal") and column.usable and column.numbers is not None


def check_doses(
    treatment: Column,
    covariates: Sequence[Column],
    notes: list[str],
    row: Callable[..., dict[str, Any]],
) -> list[dict[str, Any]]:
    """The generalised propensity score (Hirano & Imbens 2004): the density of the dose given the
    covariates, normal about a linear mean. Rows are weighted by the stabilised inverse (Robins,
    Hernán & Brumback 2000); balance is the correlation of dose and covariate (Zhu, Coffman &
    Ghosh 2015). Overlap: the part of the rows whose score for each third's middle dose lies within
    what that third itself reaches. Raises ToolError without covariates or where they tell all.
    """
    assert treatment.numbers is not None
    there = ~np.isnan(treatment.numbers)
    dose = standardised(treatment.numbers[there])
    names, matrix = features(covariates)
    if not names or len(dose) <= len(names) + 10:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"{len(dose):,} rows and {len(names):,} covariates do not suffice to tell a dose.",
            hint="Name fewer covariates, or some.",
            details={"reason": "NO_GROUPS"},
        )
    matrix = np.column_stack([standardised(column) for column in matrix[there].T])
    mean, spread = _fitted(dose, matrix)
    if spread < 1e-6:
        notes.append("The covariates tell the dose wholly: no row could have had another one.")
    score = _normal(dose, mean, spread)
    weights = _normal(dose, np.zeros_like(dose), 1.0) / np.maximum(score, 1e-12)
    cap = float(np.quantile(weights, 0.99))
    weights = np.minimum(weights, cap)
    notes.append(
        f'"{treatment.name}" is a number: the density of the dose stands in for the chance of '
        "treatment, assumed normal about a linear mean. Weights are cut at their 99th percentile."
    )
    inside = _common(dose, mean, spread)
    share = float(inside.mean())
    value = effective(weights)
    verdict = (
        "covariates leave the dose room to vary"
        if share >= 0.8
        else "overlap is weak: many rows could hardly have had the doses of others"
    )
    rows = [
        row("overlap", "dose", "r_squared", 1 - spread**2, None, "how well covariates tell it"),
        row("overlap", "dose", "common_support_share", share),
        row("overlap", "", "verdict", share, None, verdict),
    ]
    for name, values in zip(names, matrix.T, strict=True):
        plain, after = pearson(dose, values) or 0.0, _weighted(dose, values, weights)
        text = "still goes with the dose after weighting" if abs(after) >= ALIKE else ""
        rows.append(row("balance", name, "correlation", plain, after, text))
    rows.append(
        row(
            "weights",
            "",
            "effective_rows",
            float(len(dose)),
            value,
            "few rows carry the estimate" if value < 0.2 * len(dose) else "",
        )
    )
    rows.append(
        row(
            "trimming",
            "",
            "rows",
            float(len(dose)),
            float(inside.sum()),
            "rows within common support of all thirds of the dose",
        )
    )
    return rows


def _fitted(dose: Vector, matrix: Matrix) -> tuple[Vector, float]:
    found, *_ = np.linalg.lstsq(matrix, dose, rcond=1e-9)
    mean = matrix @ found
    return mean, float(np.sqrt(max(float(((dose - mean) ** 2).mean()), 1e-18)))


def _normal(at: Vector, mean: Vector, spread: float) -> Vector:
    return np.asarray(np.exp(-0.5 * ((at - mean) / spread) ** 2) / spread)


def _common(dose: Vector, mean: Vector, spread: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
    cuts = np.quantile(dose, _THIRDS)
    third = np.searchsorted(cuts, dose, side="right")
    inside = np.ones(len(dose), dtype=bool)
    for place in np.unique(third):
        own = third == place
        score = _normal(np.full_like(dose, np.median(dose[own])), mean, spread)
        low, high = np.quantile(score[own], (0.005, 0.995))
        inside &= (score >= low) & (score <= high)
    return inside


def _weighted(first: Vector, second: Vector, weights: Vector) -> float:
    share = weights / weights.sum()
    a, b = first - share @ first, second - share @ second
    scale = float(np.sqrt((share @ a**2) * (share @ b**2)))
    return float(share @ (a * b)) / scale if scale > 0 else 0.0
