"""How far segments move between earlier pairs of periods, where nobody asked for a cause.

Days within two periods say how a segment varies from day to day. They cannot say that its level
wanders from month to month; earlier pairs of periods of the same lengths and weekdays can. What
moved by t there, time and again, has to move by as much more to be news (an empirical null, Efron
2004; the variances of segments borrow from their like, Smyth 2004).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np
from scipy import sparse

from mesh.tool import ToolError
from services.executor.metric.amounts import amounts_of
from services.executor.metric.cube import Cube, Numbers, Whole
from services.executor.metric.design import Design
from services.executor.metric.field import Field, field_of
from services.executor.metric.fitting import FREE, Fitting
from services.executor.metric.null import chunks, test_of
from services.executor.metric.segments import Segments
from services.executor.metric.spans import Frame, Span, frame_of, width_of
from services.executor.metric.spread import moderation_of

MOST_PAIRS = 12
"""Earlier pairs looked at: each costs as much as reading the segments once, and pairs nearer than a
period to one another say little more."""
_FEWEST = 2
"""One pair alone may be an event of its own."""
_MOST_WORK = 40_000_000
"""Segments × buckets × pairs: some seconds; of a very wide cube fewer pairs are looked at."""
_FURTHEST, _HABIT = 4.0, 3.0
"""|t| of an earlier pair counts up to four, or three times what half of a segment's pairs have:
beyond, something may have happened then as well, and one event is no habit."""
_HALF_NORMAL = 0.6745  # the median of |z|
_FEW = 10.0
"""Segments times pairs of which a set of dimensions speaks as much for itself as all others do."""
_MOST_KEY = 1 << 62
_WEEK = 7
_Made = Callable[[Frame], Field]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Earlier pairs of periods as frames, and how many of them are apart from one another."""

    frames: tuple[Frame, ...]
    apart: int


@dataclass(frozen=True, eq=False)
class History:
    """What a cube tells of segments outside both periods."""

    cube: Cube
    design: Design
    pairs: Pairs = Pairs((), 0)
    segments: Segments | None = None

    def amounts(self) -> Numbers | None:
        """The unrest of what is compared: amounts, or rates."""

        if self.segments is None:
            return None
        segments = self.segments

        return unrest_of(self.pairs, segments.place, self._field)

    def unrest_beside(self, chosen: list[int]) -> Numbers:
        """By how much t of some segments is divided, each beside the others of them: a season of
        one makes all others seem to move, in earlier pairs as now. One standard error more than
        what the pairs show, as there are few of them [chosen]."""
        if self.segments is None or not self.pairs.frames:
            return np.ones(len(chosen))
        rows = [_beside(self._field(frame), chosen) for frame in self.pairs.frames]
        sizes = np.nan_to_num(np.abs(np.stack(rows)))
        mean = (np.minimum(sizes, _counting(sizes)) ** 2).mean(axis=0)
        return np.asarray(np.sqrt(np.maximum(mean * (1 + np.sqrt(2 / self.pairs.apart)), 1.0)))

    def _field(self, frame: Frame) -> Field:
        assert self.segments is not None
        found = amounts_of(self.cube, frame)
        return field_of(found.series, self.segments, self.design, True, found.size, found.plain)

    def shares(self) -> Numbers | None:
        """The unrest of denominators, of a ratio."""

        if self.segments is None or self.cube.denominator is None:
            return None
        return self._of_block(self.cube.denominator, self.segments)

    def _of_block(self, block: Numbers, segments: Segments) -> Numbers | None:
        def made(frame: Frame) -> Field:
            return field_of(frame.values(block), segments, self.design, True)

        return unrest_of(self.pairs, segments.place, made)


def history_of(cube: Cube, frame: Frame, design: Design, segments: Segments) -> History:
    """The history of the segments of a search over both periods."""
    pairs = earlier_pairs(cube, frame, len(segments))
    if not pairs.frames or not len(segments):
        return History(cube, design)
    return History(cube, design, pairs, over(segments, cube))


def earlier_pairs(cube: Cube, frame: Frame, segments: int) -> Pairs:
    """Both periods some weeks earlier, as far as the cube reaches, spread evenly; none shares a
    bucket with the comparison itself."""
    if frame.spans is None or not frame.in_time:
        return Pairs((), 0)
    baseline, comparison = frame.spans
    days = [day for day in cube.buckets if isinstance(day, date)]
    if width_of(days) > _WEEK:
        return Pairs((), 0)
    first = min(baseline.start, comparison.start)
    weeks = [
        back
        for back in range(1, (first - days[0]).days // _WEEK + 1)
        if not any(_met(_earlier(span, back), comparison) for span in frame.spans)
    ]
    most = max(1, min(MOST_PAIRS, _MOST_WORK // max(segments * len(frame.times), 1)))
    if len(weeks) > most:
        chosen = np.unique(np.linspace(0, len(weeks) - 1, most).round().astype(int))
        weeks = [weeks[at] for at in chosen]
    made: list[tuple[int, Frame]] = []
    for back in weeks:
        try:
            found = frame_of(cube, _earlier(baseline, back), _earlier(comparison, back))
        except ToolError:
            continue
        if np.array_equal(found.strata, frame.strata) and np.array_equal(
            found.baseline, frame.baseline
        ):  # so that one design serves all
            made.append((back, found))
    if len(made) < _FEWEST:
        return Pairs((), 0)
    reach = (made[-1][0] - made[0][0]) * _WEEK
    apart = min(len(made), 1 + reach // max(comparison.days, 1))
    return Pairs(tuple(found for _, found in made), apart)


def _earlier(span: Span, weeks: int) -> Span:
    shift = timedelta(days=weeks * _WEEK)
    return Span(start=span.start - shift, end=span.end - shift)


def _met(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def unrest_of(pairs: Pairs, place: Whole, made: _Made) -> Numbers | None:
    """By how much each segment's t is divided, at least 1 [segments]: the root mean square of its t
    in earlier pairs, drawn to that of its like. None without pairs.

    `made` gives the field of a frame, over the same segments; `place` is their set of dimensions.
    Its like are the segments of the same
    dimensions: where levels wander by some part of themselves, t² grows with size.
    """
    if not pairs.frames:
        return None
    fields = [_statistics(made(frame)) for frame in pairs.frames]
    t = np.stack([found for found, _ in fields])
    share = np.mean([share for _, share in fields], axis=0)
    counts = np.isfinite(t).sum(axis=0)
    sizes = np.where(np.isfinite(t), np.abs(t), 0.0)
    mean = (np.minimum(sizes, _counting(sizes)) ** 2).sum(axis=0) / np.maximum(counts, 1)
    size = share * (1 - share)
    typical = 1.0 + _wandering(mean - 1.0, size, counts, place, pairs.apart) * size
    ratio = np.where(counts == len(t), mean / typical, 0.0)
    ones = np.ones(len(size))
    like = moderation_of(ratio, np.maximum(size, 1e-12), ones, pairs.apart)
    own = pairs.apart * counts / len(t)
    total = np.maximum(own + like.freedom, 1e-9)
    moderated = (own * mean / typical + like.freedom) / total
    squared = typical * np.where(own + like.freedom > 0, moderated, 1.0)
    return np.asarray(np.sqrt(np.maximum(squared, 1.0)))


def _counting(sizes: Numbers) -> Numbers:
    """Up to where |t| of earlier pairs [pairs × segments] counts."""
    return np.maximum(_FURTHEST, _HABIT / _HALF_NORMAL * np.median(sizes, axis=0))


def _statistics(field: Field) -> tuple[Numbers, Numbers]:
    """t of each segment in units of its spread by chance (nan where it is not there), and its share
    of the whole."""
    test = test_of(field)
    t = np.concatenate(
        [test.statistics(field, at, series, left) for at, series, left in chunks(field)]
    )
    share = np.clip(field.information / max(field.whole, 1e-300), 0.0, 1.0)
    usual = np.sqrt(test.freedom / max(test.freedom - 2, 1.0))
    return np.where(share > 1e-9, t / usual, np.nan), share


def _beside(field: Field, chosen: list[int]) -> Numbers:
    """t of each of some segments beside the others, in units of its spread by chance; nan where it
    is not there."""
    test, fitting = test_of(field), Fitting(field, hold=FREE)
    usual = np.sqrt(test.freedom / max(test.freedom - 2, 1.0))
    out = np.full(len(chosen), np.nan)
    for place, k in enumerate(chosen):
        at, others = np.array([k]), [one for one in chosen if one != k]
        if field.information[k] > 0:
            left, _ = fitting.apart(others, at, ridge=False)
            series = fitting.beside(others, at)
            out[place] = float(test.statistics(field, at, series, left)[0]) / usual
    return out


def _wandering(
    excess: Numbers, size: Numbers, counts: Numbers, place: Whole, apart: int
) -> Numbers:
    """By how much t² grows with size among segments of the same dimensions, less one standard error
    of what few pairs show by chance; drawn to all as far as these are few [segments]."""
    there = counts > 0
    above = np.bincount(place, np.where(there, excess * size, 0.0))
    below = np.maximum(np.bincount(place, np.where(there, size**2, 0.0)), 1e-300)
    seen = np.bincount(place, np.where(there, counts, 0.0))
    error = np.sqrt(2 / apart)  # of the mean of as many t²
    own = (above - error * np.sqrt(below)) / below
    all_of_them = float((above.sum() - error * np.sqrt(below.sum())) / below.sum())
    part = seen / (seen + _FEW)
    return np.asarray(np.maximum(part * own + (1 - part) * all_of_them, 0.0)[place])


def over(segments: Segments, cube: Cube) -> Segments:
    """The same segments over the leaves of another cube of the same dimensions and values."""
    rows, columns = [], []
    own = segments.cube.codes[segments.leaf]
    for place, cuboid in enumerate(segments.cuboids):
        here = np.flatnonzero(segments.place == place)
        if not len(here):
            continue
        keys = _keys(cube, np.concatenate([own[here], cube.codes]), cuboid)
        order = np.argsort(keys[: len(here)], kind="stable")
        known, asked = keys[: len(here)][order], keys[len(here) :]
        at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        found = np.flatnonzero(known[at] == asked)
        rows.append(here[order][at[found]])
        columns.append(found)
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (len(segments), len(cube.codes))
    members = sparse.csr_matrix((np.ones(len(row)), (row, column)), shape=shape)
    return replace(segments, cube=cube, members=members)


def _keys(cube: Cube, codes: Whole, cuboid: tuple[int, ...]) -> Whole:
    """A number for each row's values at some places: the same for the same values."""
    key, span = np.zeros(len(codes), dtype=np.int64), 1
    for place in cuboid:
        size = len(cube.values[place])
        if span > _MOST_KEY // size:  # of many dimensions numbers would be too large
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
            span = len(key)
        key, span = key * size + codes[:, place], span * size
    return key


def leaves_within(cube: Cube, frame: Frame) -> Cube:
    """The leaves that have rows in either period."""
    there = (frame.values(cube.rows) != 0).any(axis=1)
    there |= (frame.values(cube.numerator) != 0).any(axis=1)
    if there.all() or not there.any():
        return cube
    denominator = None if cube.denominator is None else cube.denominator[there]
    return replace(
        cube,
        codes=cube.codes[there],
        numerator=cube.numerator[there],
        denominator=denominator,
        rows=cube.rows[there],
    )
