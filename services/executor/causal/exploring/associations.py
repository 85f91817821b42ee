"""Every pair of columns: how strongly they go together, each by the measure of its kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from services.executor.causal.profiling.columns import Codes, Column, Vector
from services.executor.profiling.numbers import pearson, ranks

HIGH = 0.7
MOST_COLUMNS = 60
_MOST_ROWS = 50_000


@dataclass(frozen=True)
class Pair:
    """`statistic` is pearson, spearman, cramers_v or correlation_ratio."""

    one: str
    other: str
    statistic: str
    value: float
    rows: int


def pairs(columns: Sequence[Column]) -> Iterator[Pair]:
    """Numbers by Pearson's and Spearman's correlation, levels by Cramér's V with the correction for
    bias (Bergsma 2013), numbers by levels by the correlation ratio (the root of eta squared). Rows
    without one of the two are left out; of many rows an even part is read."""
    count = len(columns[0].missing) if columns else 0
    rows = np.linspace(0, count - 1, min(count, _MOST_ROWS)).astype(np.int64)
    for place, one in enumerate(columns):
        for other in columns[place + 1 :]:
            both = rows[~(one.missing[rows] | other.missing[rows])]
            for statistic, value in _measured(one, other, both):
                if value is not None:
                    yield Pair(one.name, other.name, statistic, value, len(both))


def numeric(column: Column) -> bool:
    """Whether correlations of its numbers mean something: also of two values, and of ranks."""
    return column.kind in ("numeric", "ordinal", "binary") and column.numbers is not None


def _measured(
    one: Column, other: Column, rows: npt.NDArray[np.int64]
) -> Iterator[tuple[str, float | None]]:
    if len(rows) < 3:
        return
    plain = [column for column in (one, other) if column.kind in ("numeric", "ordinal")]
    if plain and numeric(one) and numeric(other):
        assert one.numbers is not None and other.numbers is not None
        a, b = one.numbers[rows], other.numbers[rows]
        yield "pearson", pearson(a, b)
        yield "spearman", pearson(ranks(a), ranks(b))
    elif not plain:
        assert one.codes is not None and other.codes is not None
        yield "cramers_v", cramers_v(one.codes[rows], other.codes[rows])
    else:
        (number,) = plain
        levels = other if number is one else one
        assert number.numbers is not None and levels.codes is not None
        yield "correlation_ratio", correlation_ratio(levels.codes[rows], number.numbers[rows])


def cramers_v(first: Codes, second: Codes) -> float | None:
    """Association of levels, 0 to 1; None where one of the two does not vary."""
    _, a = np.unique(first, return_inverse=True)
    _, b = np.unique(second, return_inverse=True)
    r, k, n = int(a.max()) + 1, int(b.max()) + 1, len(a)
    if r < 2 or k < 2:
        return None
    table = np.bincount(a * k + b, minlength=r * k).reshape(r, k).astype(np.float64)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi = float(((table - expected) ** 2 / expected).sum()) / n
    corrected = max(0.0, phi - (r - 1) * (k - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    least = min(rows, columns) - 1
    return float(min(1.0, np.sqrt(corrected / least))) if least > 0 else None


def correlation_ratio(codes: Codes, numbers: Vector) -> float | None:
    """The root of the part of the variance that lies between levels, 0 to 1."""
    whole = float(((numbers - numbers.mean()) ** 2).sum())
    if whole <= 0:
        return None
    counts = np.bincount(codes)
    sums = np.bincount(codes, weights=numbers)
    present = counts > 0
    means = sums[present] / counts[present]
    between = float((counts[present] * (means - numbers.mean()) ** 2).sum())
    return float(np.sqrt(min(1.0, between / whole)))


def inflation(columns: Sequence[Column]) -> dict[str, float]:
    """How much less sure a column's coefficient is for the others: the variance inflation factor,
    of levels the generalised one (Fox & Monette 1992) to the power 1/df, which reads alike.
    Infinite where the others tell a column wholly. Rows without a gap are read."""
    from services.executor.causal.profiling.association import dummies, standardised

    fit = [column for column in columns if column.usable]
    if len(fit) < 2:
        return {}
    whole = np.flatnonzero(~np.any([column.missing for column in fit], axis=0))
    rows = whole[:: max(1, len(whole) // _MOST_ROWS)]
    if len(rows) < 3:
        return {}
    blocks = []
    for column in fit:
        if column.kind == "categorical":
            blocks.append(dummies(column, rows))
        else:
            assert column.numbers is not None
            blocks.append(column.numbers[rows][:, None])
    parts = [np.column_stack([standardised(part) for part in block.T]) for block in blocks]
    parts = [part[:, part.std(axis=0) > 0] for part in parts]
    sizes = np.cumsum([0, *(part.shape[1] for part in parts)])
    if sizes[-1] >= len(rows):
        return {}
    cross = np.corrcoef(np.column_stack(parts), rowvar=False).reshape(sizes[-1], sizes[-1])
    found = {}
    for place, column in enumerate(fit):
        own = np.arange(sizes[place], sizes[place + 1])
        rest = np.setdiff1d(np.arange(sizes[-1]), own)
        if len(own):
            found[column.name] = _generalised(cross, own, rest) ** (1 / len(own))
    return found


def _generalised(cross: npt.NDArray[np.float64], own: Codes, rest: Codes) -> float:
    """det(own) over det(own given the rest), by the Schur complement, whose inverse of the rest
    allows for columns of the rest that tell one another."""
    alone = cross[np.ix_(own, own)]
    between = cross[np.ix_(own, rest)]
    inverse = np.linalg.pinv(cross[np.ix_(rest, rest)], rcond=1e-9, hermitian=True)
    left = alone - between @ inverse @ between.T
    sign, size = np.linalg.slogdet(left)
    if sign <= 0 or size < -20 * len(own):
        return float("inf")
    return float(np.exp(np.linalg.slogdet(alone)[1] - size))
