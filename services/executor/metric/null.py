"""The largest statistic of a search where nothing moved: over relabelled times or drawn leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from services.executor.metric.cube import Chosen, Numbers, Whole
from services.executor.metric.design import Design, unbiased, without_means
from services.executor.metric.field import Field
from services.executor.metric.spread import Moderation, bins_of, moderation_of
from services.executor.metric.tails import TAILS, Tails

_CHUNK = 16_384
_LITTLE = 0.02  # autocorrelation that is not worth the time that a filter costs
_MOST_PRODUCTS = 600_000_000
_LEVELS = 12
_FEW = 10  # leaves of like level that are exchanged among them: of two there is one other way


@dataclass(frozen=True, eq=False)
class Test:
    """How a segment's series is tested: its memory, the design after the filter, the moderation;
    `unrest` is what its t is divided by, for how far it moved in earlier pairs of periods."""

    __test__ = False

    design: Design
    memory: Numbers | None
    moderation: Moderation
    unrest: Numbers | None = None

    def statistics(
        self, field: Field, at: Chosen | slice, series: Numbers, left: Numbers
    ) -> Numbers:
        """t of each series, those of the segments `at`, with `left` of information to them."""
        ready, scale, x = self._ready(field, at, series, left)
        moved = ready @ x
        part = moved**2 / (x @ x) / scale
        t = np.sign(moved) * np.sqrt(part * self.freedom / np.maximum(1 - part, 1e-12))
        return np.asarray(t if self.unrest is None else t / self.unrest[at])

    @property
    def freedom(self) -> float:
        """The degrees of freedom of t."""
        return self.design.freedom + self.moderation.freedom

    def _ready(
        self, field: Field, at: Chosen | slice, series: Numbers, left: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        memory = None if self.memory is None else self.memory[at]
        ready = series if memory is None else field.design.filter(series, memory)
        ready = without_means(ready, self.design.strata)
        typical = self.moderation.typical(field.information[at], left)
        power = np.einsum("st,st->s", ready, ready) + self.moderation.freedom * typical
        return ready, np.maximum(power, 1e-300), self.design.centred


def test_of(field: Field) -> Test:
    """The test of all segments of a field in time, fitted to how they vary within the periods."""
    design = field.design
    assert field.series is not None
    raws, powers = [], []
    for _, series, _ in chunks(field):
        raws.append(design.memory(series) if design.can_filter() else np.zeros(len(series)))
        rest = design.without_step(series)
        powers.append(np.einsum("st,st->s", rest, rest))
    raw, power = np.concatenate(raws), np.concatenate(powers)
    left = _left(field)
    memory = _memory(design, raw, field) if design.can_filter() else None
    if memory is None:
        moderation = moderation_of(power / design.freedom, field.information, left, design.freedom)
        return Test(design, None, moderation)
    short = design.filtered
    powers = []
    for at, series, _ in chunks(field):
        rest = short.without_step(design.filter(series, memory[at]))
        powers.append(np.einsum("st,st->s", rest, rest))
    variance = np.concatenate(powers) / short.freedom
    return Test(short, memory, moderation_of(variance, field.information, left, short.freedom))


def _memory(design: Design, raw: Numbers, field: Field) -> Numbers | None:
    """Autocorrelation of every series: its own, drawn to that of its like as far as chance alone
    makes them differ. None where there is none to speak of.

    Its like are series of like size, and of these, series of the same dimensions: customers come
    back where browsers do not.
    """
    calibration, chance = design.calibrated
    groups = bins_of(np.log(np.maximum(field.information, 1e-300)), 8)
    count = np.bincount(groups)
    like = (np.bincount(groups, raw) / count)[groups]
    like = like + _of_dimensions(raw - like, field.segments.place, chance)
    spread = np.bincount(groups, (raw - like) ** 2) / count
    own = np.maximum(spread - chance, 0.0) / np.maximum(spread, 1e-12)
    memory = unbiased(like + own[groups] * (raw - like), calibration)
    return memory if np.quantile(memory, 0.9) > _LITTLE else None


def _of_dimensions(rest: Numbers, place: Whole, chance: float) -> Numbers:
    """What series of the same dimensions have in common [series], as far as it is beyond chance
    (the positive part of James and Stein). As the whole is taken out of each, the last of them
    follows from the others: two values have one series between them."""
    count = np.maximum(np.bincount(place), 1)
    mean = np.bincount(place, rest) / count
    free = np.maximum(count - 1, 1)
    apart = np.bincount(place, (rest - mean[place]) ** 2) / free
    error = np.maximum(apart, chance) / free
    kept = np.maximum(1 - error / np.maximum(mean**2, 1e-12), 0.0)
    return np.asarray(np.where(count > 1, kept * mean, 0.0)[place])


def chunks(field: Field) -> list[tuple[slice, Numbers, Numbers]]:
    """Slices of segments with their series and information after the whole is taken out."""
    assert field.series is not None
    out = []
    for start in range(0, len(field.information), _CHUNK):
        at = slice(start, start + _CHUNK)
        out.append((at, _apart(field, at), _left(field)[at]))
    return out


def _apart(field: Field, at: slice) -> Numbers:
    assert field.series is not None
    share = (field.information[at] / field.whole).astype(np.float32)
    whole = field.whole_series.astype(np.float32)
    return np.asarray(field.series[at] - np.outer(share, whole), dtype=np.float32)


def _left(field: Field) -> Numbers:
    return np.asarray(field.information * np.maximum(1 - field.information / field.whole, 1e-9))


def null_in_time(field: Field, test: Test, times: int, seed: int) -> Numbers:
    """The largest |t| over all segments, for each of `times` relabellings: of relabelled days no
    level wanders, so they are what a t divided by its unrest is held against."""
    x = test.design.centred
    relabelled = test.design.relabelled(times, seed).astype(np.float32)
    best = np.zeros(times, dtype=np.float32)
    for at, series, left in chunks(field):
        ready, power, _ = test._ready(field, at, series, left)
        ready = (ready / np.sqrt(power * (x @ x))[:, None]).astype(np.float32)
        np.maximum(best, np.abs(ready @ relabelled).max(axis=0, initial=0), out=best)
    part = np.minimum(best.astype(np.float64) ** 2, 1 - 1e-9)
    return np.asarray(np.sqrt(part * test.freedom / (1 - part)))


def null_of_leaves(field: Field, tails: Tails, times: int, seed: int) -> Numbers:
    """The largest |z| over all segments with noise of the leaves' own shape.

    A single leaf far out is a cause where the tails are short, and none where they are long. Each
    draw is brought to the residuals' median, as the variance of the leaves was.
    """
    there = np.flatnonzero(field.level > 0)
    spread = np.sqrt(field.level[there] / field.weight[there])
    random = np.random.default_rng(seed)
    members = field.segments.members[:, there]
    times = int(min(times, max(_MOST_PRODUCTS // max(members.nnz, 1), 39)))
    left = np.sqrt(np.maximum(_left(field), 1e-300))
    left[field.information <= 0] = np.inf
    share = field.information / max(field.whole, 1e-300)
    alike, own = None, tails.own
    if own is not None:
        alike = bins_of(np.log(field.level[there]), max(1, min(_LEVELS, len(there) // _FEW)))
        own = own - (np.bincount(alike, own) / np.bincount(alike))[alike]
    best = np.zeros(times)
    for column in range(times):
        if own is not None and alike is not None:
            noise = _permuted(own, alike, random)
        else:
            noise = random.standard_t(random.choice(TAILS, p=tails.chances), len(there))
            noise *= tails.middle / float(np.median(np.abs(noise)))
        pull = field.weight[there] * spread * np.clip(noise, -tails.reach, tails.reach)
        best[column] = np.abs((members @ pull - share * pull.sum()) / left).max(initial=0)
    return best


def _permuted(own: Numbers, groups: Whole, random: np.random.Generator) -> Numbers:
    """Residuals exchanged among leaves of like level."""
    out = np.empty_like(own)
    places = np.argsort(groups, kind="stable")
    out[places] = own[np.lexsort((random.random(len(own)), groups))]
    return out
