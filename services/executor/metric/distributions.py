"""Tails of the normal distribution and of Student's t, by `scipy.special`.

`scipy.stats` gives the same values by the same functions, and takes longer to import than a small
search takes as a whole.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, poch, stdtr, stdtrit

Numbers = npt.NDArray[np.float64]


def normal_above(value: float) -> float:
    """The probability that a standard normal is above `value`."""
    return float(ndtr(-value))


def normal_quantile(probability: float) -> float:
    """Below which a standard normal is with this probability."""
    return float(ndtri(probability))


def student_above(value: float, freedom: float) -> float:
    """The probability that Student's t with so many degrees of freedom is above `value`."""
    return float(stdtr(freedom, -value))


def student_quantile(probability: float, freedom: npt.ArrayLike) -> Numbers:
    """Below which Student's t is with this probability, for each number of degrees of freedom."""
    return np.asarray(stdtrit(freedom, probability))


def student_log_density(values: Numbers, freedom: float) -> Numbers:
    """The logarithm of the density of Student's t at `values`."""
    constant = np.log(poch(0.5 * freedom, 0.5)) - 0.5 * (np.log(freedom) + np.log(np.pi))
    return np.asarray(constant - (freedom + 1) / 2 * np.log1p(values * values / freedom))
