"""Least squares with errors that hold under unequal variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Fit:
    """Coefficients (p), their HC3 covariance (p by p), residuals and fitted values (n), and the
    influence of each row on the coefficients (n by p), of which the covariance is the square."""

    coefficients: np.ndarray
    covariance: np.ndarray
    residuals: np.ndarray
    fitted: np.ndarray
    influence: np.ndarray


def least_squares(terms: np.ndarray, values: np.ndarray) -> Fit:
    """Ordinary least squares with HC3 (MacKinnon & White 1985); terms may be linearly dependent.

    Equal to statsmodels' HC3 where that is finite; a row that a coefficient fits alone (leverage 1)
    counts with its residual of zero rather than making the covariance infinite.
    """
    import numpy as np

    inverse = np.linalg.pinv(terms.T @ terms, rcond=1e-10, hermitian=True)
    coefficients = inverse @ (terms.T @ values)
    fitted = terms @ coefficients
    residuals = values - fitted
    leverage = np.einsum("ij,jk,ik->i", terms, inverse, terms, optimize=True)
    scores = terms * (residuals / np.maximum(1 - leverage, 1e-6))[:, None]
    covariance = inverse @ (scores.T @ scores) @ inverse
    return Fit(coefficients, covariance, residuals, fitted, scores @ inverse)


def reset_test(terms: np.ndarray, fit: Fit, values: np.ndarray) -> tuple[float, float]:
    """Ramsey's RESET (1969): whether squares and cubes of the fitted values still explain anything.

    Gives a robust Wald statistic on 2 degrees of freedom and its p-value.
    """
    import numpy as np
    from scipy import stats

    spread = fit.fitted.std()
    if spread < 1e-12:
        return 0.0, 1.0
    scaled = (fit.fitted - fit.fitted.mean()) / spread
    if len(np.unique(np.round(scaled, 9))) < 4:
        return 0.0, 1.0
    wider = least_squares(np.column_stack([terms, scaled**2, scaled**3]), values)
    both = wider.coefficients[-2:]
    statistic = float(both @ np.linalg.pinv(wider.covariance[-2:, -2:]) @ both)
    return statistic, float(stats.chi2.sf(statistic, 2))
