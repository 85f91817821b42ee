"""Whether the chance of treatment jumps where a number passes a cutoff."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from services.executor.causal.profiling.columns import Column, Vector

_LEAST_DISTINCT, _LEAST_BESIDE = 20, 25
_LEAST_JUMP, _LEAST_Z = 0.2, 4.0
_KEPT = 0.65
"""Part of a jump that is still there in a quarter of the window; of a steep slope it is not."""


@dataclass(frozen=True)
class Jump:
    """At `cutoff` the chance of treatment changes by `size` (between -1 and 1)."""

    cutoff: float
    size: float
    z: float


def jump(running: Column, treatment: Column) -> Jump | None:
    """The clearest jump of a two-valued treatment along a numeric column, if there is one.

    The cutoff is looked for in every other row (the best split by variance) and tested in the
    rest, so that the search cannot make up what it finds: lines are fitted on both sides within a
    window (Hahn, Todd & van der Klaauw 2001), and the jump has to stay as the window shrinks,
    which that of a smooth slope does not.
    """
    if treatment.kind != "binary" or running.numbers is None or treatment.codes is None:
        return None
    there = ~(running.missing | treatment.missing)
    at, given = running.numbers[there], treatment.codes[there].astype(np.float64)
    distinct = np.unique(at)
    if len(distinct) < _LEAST_DISTINCT or len(at) < 8 * _LEAST_BESIDE:
        return None
    order = np.argsort(at, kind="stable")
    at, given = at[order], given[order]
    split = _best_split(at[::2], given[::2])
    if split is None:
        return None
    below = float(distinct[distinct < split].max())
    cutoff = roundest(below, float(distinct[distinct >= split].min()))
    wide = _tested(at[1::2], given[1::2], cutoff, 1.0)
    narrow = _tested(at[1::2], given[1::2], cutoff, 0.25)
    if wide is None or narrow is None:
        return None
    same = narrow.size * wide.size > 0 and abs(narrow.size) >= _KEPT * abs(wide.size)
    clear = abs(narrow.size) >= _LEAST_JUMP and abs(wide.z) >= _LEAST_Z
    return wide if same and clear and abs(narrow.z) >= _LEAST_Z / 2 else None


def _best_split(at: Vector, given: Vector) -> float | None:
    """The value from which on means differ most, by the variance that the split explains."""
    count = len(at)
    sums = np.cumsum(given)
    places = np.flatnonzero(np.diff(at) > 0) + 1
    places = places[(places >= _LEAST_BESIDE) & (places <= count - _LEAST_BESIDE)]
    if not len(places):
        return None
    before = sums[places - 1]
    gain = before**2 / places + (sums[-1] - before) ** 2 / (count - places)
    return float(at[places[int(np.argmax(gain))]])


def _tested(at: Vector, given: Vector, cutoff: float, part: float) -> Jump | None:
    """The jump of lines fitted on both sides, over `part` of the half of the rows nearest."""
    distance = np.abs(at - cutoff)
    sides = (at < cutoff, at >= cutoff)
    if min(int(side.sum()) for side in sides) < _LEAST_BESIDE:
        return None
    reach = min(float(np.quantile(distance[side], 0.5)) for side in sides) * part
    needed = max(
        float(np.partition(distance[side], _LEAST_BESIDE - 1)[_LEAST_BESIDE - 1]) for side in sides
    )
    reach = max(reach, needed)
    ends, errors = [], []
    for side in sides:
        near = side & (distance <= reach)
        x, y = at[near] - cutoff, given[near]
        if len(np.unique(x)) < 3:
            return None
        design = np.column_stack([np.ones(len(x)), x])
        found, *_ = np.linalg.lstsq(design, y, rcond=None)
        residual = y - design @ found
        spread = np.linalg.pinv(design.T @ design)
        # A side without variation still has the uncertainty of a share of so many rows.
        noise = max(float((residual**2).sum()) / max(len(x) - 2, 1), 0.25 / len(x))
        ends.append(float(found[0]))
        errors.append(noise * float(spread[0, 0]))
    size = float(np.clip(ends[1] - ends[0], -1, 1))
    return Jump(cutoff, size, size / math.sqrt(sum(errors)))


def roundest(low: float, high: float) -> float:
    """The number of fewest digits above `low`, up to and with `high`."""
    if not low < high:
        return high
    power = math.ceil(math.log10(max(abs(low), abs(high), high - low))) + 1
    for digits in range(power, power - 18, -1):
        for step in (10.0**digits, 5 * 10.0 ** (digits - 1)):
            candidate = float(f"{math.floor(high / step + 1e-9) * step:.12g}")
            if low < candidate <= high:
                return candidate
    return high
