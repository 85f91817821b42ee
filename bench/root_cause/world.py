"""A business drawn at random: its dimensions, how its days go, how its amounts scatter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.root_cause.cases import Metric, Numbers, Whole

Codes = Mapping[str, Whole]
"""For each dimension, the code of its value in each row."""

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 200_000)
NOISES = ("poisson", "lognormal", "heavy", "overdispersed")
NAMES = ("region", "channel", "device", "product", "segment", "payment", "campaign", "browser")
CARDINALITIES = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 100, 200)

_SPREADS = (0.4, 0.8, 1.2)  # of the logarithm of an amount
_TAILS = (3.0, 2.5, 2.2)  # exponent of a Pareto law: the variance is finite, the kurtosis is not
_DAY_SPREADS = (0.03, 0.06, 0.12)  # of the logarithm of a day's size
_VALUE_SPREADS = (0.1, 0.2, 0.3)  # of the logarithm of one value's size on one day


@dataclass(frozen=True)
class Dimension:
    """`weights` are the sizes of its values. A `child_of` is drawn near its parent's value with
    probability `bond`; of a `parent_of`, this dimension follows by `follows` (a city's country)."""

    name: str
    weights: Numbers
    child_of: str | None = None
    bond: float = 0.0
    parent_of: str | None = None
    follows: Whole | None = None


@dataclass(frozen=True, eq=False)
class World:
    """All that is drawn before the first row."""

    metric: Metric
    noise: str
    level: int
    rows: int
    length: int
    history: int
    dimensions: tuple[Dimension, ...]
    values: tuple[tuple[str, Numbers], ...]
    base: float

    @property
    def days(self) -> int:
        """Days of the history and both periods."""
        return self.history + 2 * self.length

    @property
    def determines(self) -> dict[str, str]:
        """For a dimension, the one that follows from it."""
        return {one.parent_of: one.name for one in self.dimensions if one.parent_of is not None}


def world_of(random: np.random.Generator, metric: Metric, rows: int | None = None) -> World:
    """A business of some size; `rows` over all days, about."""
    size = int(rows or random.choice(SIZES))
    dimensions = _dimensions(random)
    value = tuple(
        (one.name, np.exp(random.normal(0, 0.4, len(one.weights)))) for one in dimensions[:2]
    )
    length = int(random.choice([14, 28]))
    return World(
        metric=metric,
        noise=str(random.choice(NOISES)),
        level=int(random.integers(3)),
        rows=size,
        length=length,
        history=int(random.choice([0, 1, 2, 4])) * length,
        dimensions=dimensions,
        values=value,
        base=float(random.uniform(0.05, 0.3))
        if metric == "ratio"
        else float(random.uniform(5, 200)),
    )


def _dimensions(random: np.random.Generator) -> tuple[Dimension, ...]:
    """Three to eight dimensions: one of three follows from another, some are near another."""
    count = int(random.integers(3, 9))
    out = [Dimension(name, _zipf(random, _cardinality(random))) for name in NAMES[: min(count, 3)]]
    for name in NAMES[3:count]:
        weights = _zipf(random, _cardinality(random))
        dimension = out[int(random.integers(len(out)))]
        how = random.random()
        if how < 0.3 and len(dimension.weights) >= 6 and dimension.parent_of is None:
            groups = int(random.integers(2, 1 + len(dimension.weights) // 3))
            follows = random.integers(0, groups, len(dimension.weights))
            follows[:groups] = np.arange(groups)
            taken = any(one.parent_of == dimension.name for one in out)
            if not taken:
                sizes = np.bincount(follows, dimension.weights, groups).astype(float)
                out.append(
                    Dimension(f"{dimension.name}_group", sizes, None, 0.0, dimension.name, follows)
                )
                continue
        bond = float(random.uniform(0.2, 0.6)) if how < 0.6 else 0.0
        out.append(Dimension(name, weights, dimension.name if bond else None, bond))
    return tuple(out)


def _cardinality(random: np.random.Generator) -> int:
    return int(random.choice(CARDINALITIES))


def _zipf(random: np.random.Generator, count: int) -> Numbers:
    weights = np.arange(1, count + 1, dtype=float) ** -random.uniform(0.5, 1.2)
    return random.permutation(weights / weights.sum())


def draw_days(world: World, random: np.random.Generator) -> Whole:
    """The day of each row, counted from the first: weekly season, trend, and days that differ."""
    week = np.exp(random.normal(0, 0.25, 7))
    days = np.arange(world.days)
    spread = _DAY_SPREADS[world.level]
    memory = float(random.choice([0.0, 0.4]))
    chance = random.normal(0, spread, world.days)
    for day in days[1:]:
        chance[day] = memory * chance[day - 1] + np.sqrt(1 - memory**2) * chance[day]
    size = week[days % 7] * np.exp(random.normal(0, 0.001) * days + chance)
    counts = random.poisson(world.rows * size / size.sum())
    return np.repeat(days, counts)


def draw_codes(world: World, day: Whole, random: np.random.Generator) -> tuple[Whole, Codes]:
    """The values of each row, and the rows' days: where values differ by day, rows are left out."""
    codes: dict[str, Whole] = {}
    for one in world.dimensions:
        if one.follows is not None and one.parent_of is not None:
            codes[one.name] = one.follows[codes[one.parent_of]]
            continue
        drawn = random.choice(len(one.weights), len(day), p=one.weights)
        if one.child_of is not None:
            near = codes[one.child_of] * 7919 % len(one.weights)
            drawn = np.where(random.random(len(day)) < one.bond, near, drawn)
        codes[one.name] = drawn.astype(np.int64)
    if world.noise != "overdispersed":
        return day, codes
    keep = np.ones(len(day), dtype=bool)
    for one in world.dimensions[:2]:
        spread = _VALUE_SPREADS[world.level]
        factor = np.exp(random.normal(0, spread, (len(one.weights), world.days)))
        factor = np.minimum(factor / np.exp(2 * spread), 1.0)
        keep &= random.random(len(day)) < factor[codes[one.name], day]
    return day[keep], {name: each[keep] for name, each in codes.items()}


def draw_amounts(
    world: World, codes: Codes, random: np.random.Generator
) -> tuple[Numbers, Numbers | None]:
    """Numerator and denominator of each row."""
    count = len(next(iter(codes.values())))
    if world.metric == "count":
        return np.ones(count), None
    level = np.full(count, world.base)
    for name, factors in world.values:
        level = level * factors[codes[name]]
    if world.metric == "ratio":
        chance = np.clip(level, 0.01, 0.9)
        return (random.random(count) < chance).astype(float), np.ones(count)
    numerator = level * _scatter(world, count, random)
    return np.round(numerator, 2), np.ones(count) if world.metric == "average" else None


def _scatter(world: World, count: int, random: np.random.Generator) -> Numbers:
    """Factors around one: how an amount differs from what is usual where it was made."""
    if world.noise == "poisson":
        return random.poisson(4, count) / 4
    if world.noise == "heavy":
        tail = _TAILS[world.level]
        return (1 + random.pareto(tail, count)) * (tail - 1) / tail
    spread = _SPREADS[world.level]
    return np.exp(random.normal(-(spread**2) / 2, spread, count))


def variation(world: World) -> float:
    """The squared coefficient of variation of one row's numerator around what is usual."""
    if world.metric == "count":
        return 0.0
    if world.metric == "ratio":
        return max(1 / world.base - 1, 0.0)
    if world.noise == "poisson":
        return 0.25
    if world.noise == "heavy":
        tail = _TAILS[world.level]
        return (tail - 1) ** 2 / (tail * (tail - 2)) - 1
    return float(np.exp(_SPREADS[world.level] ** 2) - 1)


def daily_variance(world: World) -> float:
    """The squared coefficient of variation of a segment's day, beyond that of its rows."""
    spread = _DAY_SPREADS[world.level] ** 2
    if world.noise == "overdispersed":
        spread += 2 * _VALUE_SPREADS[world.level] ** 2
    return spread
