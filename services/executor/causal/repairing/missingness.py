"""Why values are missing: by chance, as other columns tell, or in a way that cannot be told.

MCAR: missing completely at random. MAR: missing at random once other columns are known. That a
value is missing because of itself (MNAR) no data can rule out (Molenberghs et al. 2008), so
"MNAR?" is said wherever the data would not show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from services.executor.causal.profiling.association import (
    MOST_ROWS,
    Matrix,
    Strength,
    dummies,
    explained,
    standardised,
    strength,
)
from services.executor.causal.profiling.columns import Codes, Column, Vector

ALPHA = 0.01
_FEWEST = 20
_SHOWS = 0.2
"""How well others tell the column (strength) for its own values to show through them."""
_MOST_COLUMNS = 30
_MOST_ROUNDS = 100


@dataclass(frozen=True)
class Mechanism:
    """`name` is MCAR, MAR or MNAR?; `p` is that of the score test of the column's missingness."""

    name: str
    p: float | None
    reason: str


def mechanism(column: Column, others: Sequence[Column], little_p: float | None) -> Mechanism:
    """Why values of the column are missing, as far as the other columns tell."""
    absent = column.missing
    others = nearest(absent, others)
    count = int(absent.sum())
    if min(count, len(absent) - count) < _FEWEST:
        return Mechanism("MNAR?", None, f"{count:,} missing values are too few to tell why")
    whether = Column("", "binary", absent.astype(np.float64), absent.astype(np.int64), ("0", "1"))
    strengths: dict[str, Strength] = {o.name: strength(whether, o) for o in others}
    strengths |= {  # what is missing together
        f"whether {o.name} is missing": strength(
            whether,
            Column(
                "", "binary", o.missing.astype(np.float64), o.missing.astype(np.int64), ("0", "1")
            ),
        )
        for o in others
        if o.missing.any()
    }
    if not strengths:
        return Mechanism("MNAR?", None, "there is no other column that could tell why")
    p = score_test(whether, others)
    named = sorted(strengths, key=lambda name: (strengths[name].p, -strengths[name].size))
    least = min(1.0, strengths[named[0]].p * len(strengths))
    if p < ALPHA or least < ALPHA:
        clear = [name for name in named if strengths[name].p * len(strengths) < ALPHA][:3]
        by = f" ({', '.join(clear)})" if clear else ""
        return Mechanism(
            "MAR",
            min(p, least),
            f"other columns tell which values are missing{by}; that a value is missing because of "
            "itself as well cannot be ruled out",
        )
    if little_p is not None and little_p < ALPHA:
        return Mechanism(
            "MNAR?",
            p,
            f"Little's test finds a pattern (p = {little_p:.2g}) that no column explains",
        )
    shows = max((strength(column, other).size for other in others if other.usable), default=0.0)
    if shows < _SHOWS:
        return Mechanism(
            "MNAR?",
            p,
            "no column tells which values are missing, but none goes with the column either "
            f"(at most {shows:.2f}), so gaps that depend on the values themselves would not show",
        )
    return Mechanism("MCAR", p, "nothing in the other columns tells which values are missing")


def nearest(absent: npt.NDArray[np.bool_], others: Sequence[Column]) -> list[Column]:
    """At most 30 of the others, those that go most with which values are missing."""
    if len(others) <= _MOST_COLUMNS:
        return sorted(others, key=lambda other: other.name)
    rows = _some(len(absent))
    target = standardised(absent[rows].astype(np.float64))

    def size(other: Column) -> float:
        values = other.numbers if other.numbers is not None else np.asarray(other.codes, float)
        middle = float(np.nanmean(values))
        known = standardised(np.where(np.isnan(values), middle, values)[rows])
        gaps = standardised(other.missing[rows].astype(np.float64))
        return max(abs(float(target @ known)), abs(float(target @ gaps)))

    return sorted(others, key=lambda other: (-round(size(other), 6), other.name))[:_MOST_COLUMNS]


def score_test(whether: Column, others: Sequence[Column]) -> float:
    """The p-value of Rao's score test (1948) that no other column tells which values are missing,
    in a logistic regression: n times the R² of the linear one. Gaps of others are filled by their
    mean, and are columns of their own."""
    from scipy.stats import chi2

    rows = _some(len(whether.missing))
    design = [part for other in others for part in _filled(other, rows)]
    if not design or whether.numbers is None:
        return 1.0
    target = whether.numbers[rows]
    centred = target - target.mean()
    matrix = np.column_stack(design)
    told, rank = explained(matrix - matrix.mean(axis=0), centred)
    if not rank or rank >= len(rows) / 3:
        return 1.0
    share = told / float(centred @ centred)
    return float(chi2.sf(len(rows) * share, rank))


def _some(count: int) -> Codes:
    return np.linspace(0, count - 1, min(count, MOST_ROWS)).astype(np.int64)


def _filled(other: Column, rows: Codes) -> list[Vector]:
    gaps = other.missing[rows]
    parts: list[Vector] = []
    if other.usable and other.kind == "categorical":
        parts = _levels(other, rows)
    elif other.usable and other.numbers is not None:
        values = other.numbers[rows]
        parts = [standardised(np.where(gaps, float(np.nanmean(other.numbers)), values))]
    return [*parts, gaps.astype(np.float64)] if gaps.any() else parts


def _levels(other: Column, rows: Codes) -> list[Vector]:
    assert other.codes is not None
    known = np.where(other.missing, 0, other.codes)
    whole = Column(other.name, other.kind, None, known, other.levels)
    return list(dummies(whole, rows).T)


def little(columns: Sequence[Column]) -> tuple[float, float, int] | None:
    """Little's test (1988) that values are missing completely at random: d², p and degrees of
    freedom. Over numbers and levels of rank; None where no or too few columns have gaps.

    Means of each pattern of gaps are compared with those of maximum likelihood under normality,
    found by EM (Dempster, Laird & Rubin 1977) on at most 30 columns, those with most gaps first.
    """
    from scipy.stats import chi2

    fit = [c for c in columns if c.usable and c.numbers is not None]
    fit = sorted(fit, key=lambda c: (-int(c.missing.sum()), c.name))[:_MOST_COLUMNS]
    if len(fit) < 2 or not any(c.missing.any() for c in fit):
        return None
    data = np.column_stack([_z(c.numbers) for c in fit if c.numbers is not None])
    data = data[_some(len(data))]
    data = data[~np.isnan(data).all(axis=1)]
    if len(data) < 5 * data.shape[1]:
        return None
    patterns = _patterns(data)
    mean, cover = _em(data, patterns)
    total, freedom = 0.0, -data.shape[1]
    for seen, rows in patterns:
        gap = data[np.ix_(rows, seen)].mean(axis=0) - mean[seen]
        total += len(rows) * float(gap @ np.linalg.pinv(cover[np.ix_(seen, seen)]) @ gap)
        freedom += len(seen)
    return (total, float(chi2.sf(total, freedom)), freedom) if freedom > 0 else None


def _z(numbers: Vector) -> Vector:
    spread = float(np.nanstd(numbers))
    return (numbers - float(np.nanmean(numbers))) / (spread or 1.0)


_Patterns = list[tuple[Codes, Codes]]


def _patterns(data: Matrix) -> _Patterns:
    """The columns that are there, and the rows, of each pattern of gaps."""
    kinds, which = np.unique(~np.isnan(data), axis=0, return_inverse=True)
    which = which.reshape(-1)
    return [(np.flatnonzero(kind), np.flatnonzero(which == i)) for i, kind in enumerate(kinds)]


def _em(data: Matrix, patterns: _Patterns) -> tuple[Vector, Matrix]:
    size = data.shape[1]
    mean = np.nanmean(data, axis=0)
    cover = np.diag(np.nanvar(data, axis=0) + 1e-9)
    for _ in range(_MOST_ROUNDS):
        sums, squares = np.zeros(size), np.zeros((size, size))
        for seen, rows in patterns:
            gaps = np.setdiff1d(np.arange(size), seen)
            filled = np.empty((len(rows), size))
            known = data[np.ix_(rows, seen)]
            filled[:, seen] = known
            if len(gaps):
                slope = np.linalg.pinv(cover[np.ix_(seen, seen)]) @ cover[np.ix_(seen, gaps)]
                filled[:, gaps] = mean[gaps] + (known - mean[seen]) @ slope
                rest = cover[np.ix_(gaps, gaps)] - cover[np.ix_(gaps, seen)] @ slope
                squares[np.ix_(gaps, gaps)] += len(rows) * rest
            sums += filled.sum(axis=0)
            squares += filled.T @ filled
        new_mean = sums / len(data)
        new_cover = squares / len(data) - np.outer(new_mean, new_mean) + 1e-10 * np.eye(size)
        moved = max(float(np.abs(new_mean - mean).max()), float(np.abs(new_cover - cover).max()))
        mean, cover = new_mean, new_cover
        if moved < 1e-5:
            break
    return mean, cover
