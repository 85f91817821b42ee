"""One additive quantity over the leaves of a cube, with all that a search reads of it at once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from services.executor.metric.cube import Numbers, Whole
from services.executor.metric.design import Design
from services.executor.metric.segments import Segments
from services.executor.metric.spread import (
    Dispersion,
    dispersion_of_days,
    dispersion_of_leaves,
    dispersion_of_sparse,
)

Floats = npt.NDArray[np.float32]
_FORECAST_BIAS = 0.05
"""Relative error that all forecasts may share by chance (leaf form, where no day tells it):
forecasts of business figures are commonly a few per cent off as a whole."""

_SPARSE = 0.1
"""Part of leaves with nothing on one side from which their sizes are taken for chance: about what
leaves of two or three rows have."""
_MOST_POINTS = 10.0
"""How much more a leaf may move by points than by a factor: a tenth of the whole's rate and less is
taken for no rate."""
_SAME = 0.02
"""Leaves of one rate move alike by points and by a factor."""
_TELLING = 8
"""Leaves of a segment of which all are on one side that are hardly so by chance."""


@dataclass(frozen=True, eq=False)
class Field:
    """`moved` is how far each leaf moved (per time), `level` its size, `weight` = level / variance.

    For segments: `pull` the weighted move, `information` what it would be for a move of 100 %,
    `series` the weighted sums by time (None in leaf form). `common` is the relative variance of
    what all leaves share by chance. `sparse` (leaf form) says that leaves are a row or two.
    `points` (of a ratio) is what each leaf would move by if all rates moved by as many points, as
    `level` is what it would if they moved by one factor, both of the same size over all leaves.
    `counted` (leaf form) says that rows are known, so that no leaf varies by less than they do.
    """

    segments: Segments
    design: Design
    in_time: bool
    moved: Numbers
    level: Numbers
    weight: Numbers
    noise: float
    pull: Numbers
    information: Numbers
    series: Floats | None
    whole_series: Numbers
    common: float
    weighted: Numbers = field(repr=False)
    sparse: bool = False
    points: Numbers | None = None
    counted: bool = False

    @property
    def whole(self) -> float:
        """The information of all leaves together."""
        return float(self.weight @ self.level)


def field_of(
    values: Numbers,
    segments: Segments,
    design: Design,
    in_time: bool,
    size: Numbers | None = None,
    base: Numbers | None = None,
    rows: Numbers | None = None,
) -> Field:
    """The field of [leaves × times] values; `size` is [leaves × times] where a value's own size is
    not what a move is measured by, `base` (of rates) what a move by points is in proportion to,
    `rows` how many rows each value is the sum of, where that is known."""
    sizes = values if size is None else size
    level = _level(sizes, design)
    moved = values @ design.contrast
    sparse = not in_time and _is_sparse(sizes, segments)
    if in_time:
        rest = design.without_step(values)
        variance = np.einsum("lt,lt->l", rest, rest) / max(design.freedom, 1)
        spread = dispersion_of_days(variance, level)
        noise = float(design.contrast @ design.contrast)
    else:
        spread = _leaves_apart(moved, level, sparse)
        if rows is not None:
            spread = replace(
                spread, linear=max(spread.linear, _of_rows(values, rows, level, design))
            )
        noise = 1.0
    weight = spread.weight(level)
    weighted = weight[:, None] * values
    members = segments.members
    series = (members @ weighted).astype(np.float32) if in_time else None
    whole_series = weighted.sum(axis=0)
    whole = float(weight @ level)
    return Field(
        segments,
        design,
        in_time,
        moved,
        level,
        weight,
        noise,
        np.asarray(members @ (weight * moved)),
        np.asarray(members @ (weight * level)),
        series,
        whole_series,
        _common(whole_series, whole, design) if in_time else _FORECAST_BIAS**2,
        weighted,
        sparse,
        None if base is None else _points(level, _level(base, design)),
        not in_time and rows is not None,
    )


def _points(level: Numbers, base: Numbers) -> Numbers | None:
    """A move by points as large as one by a factor over all leaves; None where it is the same one.
    Of leaves that hardly have a rate it is bounded: by their level they would count for all."""
    if not base.sum() > 0 or not level.sum() > 0:
        return None
    points = np.minimum(base * (level.sum() / base.sum()), _MOST_POINTS * level)
    return points if np.abs(points - level).sum() > _SAME * level.sum() else None


def _level(values: Numbers, design: Design) -> Numbers:
    """The mean of both periods' sizes: as large for what is new as for what is gone."""
    first = 1.0 - design.step
    before = np.abs(values @ (first / first.sum()))
    after = np.abs(values @ (design.step / design.step.sum()))
    return np.asarray((before + after) / 2)


def _leaves_apart(moved: Numbers, level: Numbers, sparse: bool) -> Dispersion:
    there = level > 0
    if sparse:
        common = float(moved[there].sum() / level[there].sum())
        return dispersion_of_sparse(moved - common * level, level)
    ratio = moved[there] / level[there]
    return dispersion_of_leaves(moved - _weighted_median(ratio, level[there]) * level, level)


def _of_rows(values: Numbers, rows: Numbers, level: Numbers, design: Design) -> float:
    """The least variance over level: values are sums of rows whose number varies by chance, so each
    varies by its squared rows at least (Poisson), which are no fewer than value² / rows."""
    squares = np.where(rows > 0, values**2 / np.maximum(rows, 1.0), 0.0)
    return float((squares @ design.contrast**2).sum()) / max(float(level.sum()), 1e-300)


def _is_sparse(sizes: Numbers, segments: Segments) -> bool:
    """Whether many leaves are on one side by chance, as where they are a row or two; leaves of a
    segment that is on one side as a whole are new or gone and do not count."""
    there = (sizes != 0).any(axis=1)
    members = segments.members
    count = np.asarray(members @ there.astype(np.float64))
    whole = np.zeros(len(sizes), dtype=bool)
    alone = np.zeros(len(sizes), dtype=bool)
    for side in range(sizes.shape[1]):
        own = there & (sizes[:, side] == 0)
        alone |= own
        gone = (count >= _TELLING) & (np.asarray(members @ own.astype(np.float64)) == count)
        whole |= np.asarray(members.T @ gone.astype(np.float64)) > 0
    left = there & ~whole
    return bool(left.any()) and float(alone[left].mean()) >= _SPARSE


def _weighted_median(values: Numbers, weights: Numbers) -> float:
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    heights = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(heights, heights[-1] / 2)])


def _common(series: Numbers, whole: float, design: Design) -> float:
    """The relative variance of the whole's step as its days tell it."""
    # Divided first: where leaves hardly vary, weights are so large that their squares overflow.
    rest = design.without_step((series / max(whole, 1e-300))[None, :])[0]
    step = float(rest @ rest) / max(design.freedom, 1) * float(design.contrast @ design.contrast)
    return max(step, 1e-8)


def leaves_marked(field: Field, leaves: Whole) -> Numbers:
    """weight·level of these leaves, zero elsewhere."""
    out = np.zeros(len(field.level))
    out[leaves] = (field.weight * field.level)[leaves]
    return out
