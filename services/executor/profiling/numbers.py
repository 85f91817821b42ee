"""Moments, quantiles and outliers of numbers, and correlations between two columns.

Only finite values count: NaN and infinities are told as `not_finite` and then left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from services.executor.profiling.cells import Cells

Vector = np.ndarray[Any, np.dtype[np.float64]]

QUANTILES = (5, 25, 50, 75, 95)
FENCE = 1.5


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column as 64-bit floats, one for each row, NaN where there is no finite number."""

    rows: Vector
    not_finite: int

    @classmethod
    def of(cls, values: pa.Array) -> Numbers:
        """Read an Arrow array of integers, floats or decimals."""
        floats = values.cast(pa.float64(), safe=False)
        raw = floats.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
        finite = np.isfinite(raw)
        not_finite = len(raw) - values.null_count - int(finite.sum())
        return cls(np.where(finite, raw, np.nan), not_finite)

    @property
    def finite(self) -> Vector:
        """The finite values in row order."""
        return self.rows[~np.isnan(self.rows)]

    def ranks(self) -> Vector:
        """Ranks of all rows; of use only where every row is finite."""
        return ranks(self.rows)


def describe_numbers(name: str, values: pa.Array, numbers: Numbers, cells: Cells) -> None:
    """Add range, moments, quantiles and outliers; what too few values leave undefined is null."""
    cells.number(name, "not_finite", numbers.not_finite)
    finite = numbers.finite
    if not len(finite):
        return
    low, high = _exact_range(values, finite)
    cells.number(name, "min", float(finite.min()), low)
    cells.number(name, "max", float(finite.max()), high)
    with np.errstate(all="ignore"):  # overflow gives a value that is not finite, hence a null
        cells.number(name, "mean", float(finite.mean()))
        cells.number(name, "std", float(finite.std(ddof=1)) if len(finite) > 1 else None)
        cells.number(name, "skew", skewness(finite))
        levels = np.quantile(finite, [level / 100 for level in QUANTILES], method="linear")
    for level, quantile in zip(QUANTILES, levels, strict=True):
        cells.number(name, f"p{level:02d}", float(quantile))
    _describe_outliers(name, finite, float(levels[1]), float(levels[3]), cells)


def _exact_range(values: pa.Array, finite: Vector) -> tuple[str, str]:
    """Smallest and largest as text: integers and decimals with all their digits."""
    if pa.types.is_floating(values.type):
        return repr(float(finite.min())), repr(float(finite.max()))
    extremes = pc.min_max(values)
    return str(extremes["min"].as_py()), str(extremes["max"].as_py())


def _describe_outliers(name: str, finite: Vector, q1: float, q3: float, cells: Cells) -> None:
    reach = FENCE * (q3 - q1)
    low, high = q1 - reach, q3 + reach
    outside = int(((finite < low) | (finite > high)).sum())
    cells.number(name, "outliers", outside)
    cells.number(name, "outlier_below", low)
    cells.number(name, "outlier_above", high)


def skewness(finite: Vector) -> float | None:
    """The adjusted Fisher-Pearson coefficient; None below three values or without spread."""
    count = len(finite)
    if count < 3 or finite.min() == finite.max():
        return None
    centred = finite - finite.mean()
    spread = float((centred**2).mean())
    if spread <= 0:
        return None
    plain = float((centred**3).mean()) / spread**1.5
    return float(plain * np.sqrt(count * (count - 1)) / (count - 2))


def pearson(left: Vector, right: Vector) -> float | None:
    """Correlation of two vectors without NaN; None below two values or without spread."""
    if len(left) < 2 or left.min() == left.max() or right.min() == right.max():
        return None
    with np.errstate(all="ignore"):
        a, b = left - left.mean(), right - right.mean()
        scale = float(np.sqrt((a @ a) * (b @ b)))
        found = float(a @ b) / scale if scale > 0 else float("nan")
    return max(-1.0, min(1.0, found)) if np.isfinite(found) else None


def ranks(values: Vector) -> Vector:
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: Vector = (last - (counts - 1) / 2.0).astype(np.float64)
    return shared[inverse]
