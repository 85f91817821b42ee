"""A second business, drawn otherwise than `world`: customers who come, and bring several rows.

Nothing is shared with `world` but the form of a case. Rows of one visit are alike, a few customers
bring most rows, values have days, memories or walks of their own: what makes days and rows depend
on one another, which a search must not take for causes.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from bench.root_cause.cases import Case, Leaves, Metric, Numbers, Segment, Span, Whole

HABITS = (
    "calm",
    "visits",
    "shocks",
    "memory",
    "walk",
    "churn",
    "tails",
    "weeks",
    "gaps",
    "short",
    "days",
)
"""How a business goes: rows by themselves; visits of many rows by few customers; values with good
and bad days; with days like those before; with levels that wander; customers who stay for weeks;
amounts without a variance; own weeks and a trend; closed days and periods of other lengths; a week
against a week with few rows; three days against three."""
METRICS: tuple[Metric, ...] = ("count", "sum", "ratio", "average")
ALIKE = ("none", "times", "points")
"""What happens to all alike: nothing; everything times one factor; of a ratio of yes and no, as
many points more or less everywhere."""
FIRST_DAY = date(2022, 5, 4)
_NOTHING = Leaves((), (), np.zeros((0, 0), np.int64), np.zeros(0), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Draw:
    """What was drawn: for each visit its day and customer, and the values of all dimensions."""

    day: Whole
    codes: dict[str, Whole]
    customer: Whole


@dataclass(frozen=True)
class Planted:
    """A segment by codes, the factor of its rows (amounts, rates), and the true effect."""

    place: tuple[tuple[str, int], ...]
    factor: float
    effect: float


def business(
    habit: str, metric: Metric, alike: str, seed: int, planted: bool = False
) -> tuple[Case, Planted | None]:
    """A case of a habit, without a cause, or with one whose true effect is told beside it."""
    key = zlib.crc32(f"{habit} {metric} {alike} {planted}".encode())
    random = np.random.default_rng([key, seed])
    lengths = _lengths(habit, random)
    history = int(random.choice([0, 0, 28, 84]))
    days = history + sum(lengths)
    rows = int(
        random.choice([300, 600])
        if habit in ("short", "days")
        else random.choice([1_000, 4_000, 12_000])
    )
    sizes = {name: int(random.integers(2, 13)) for name in ("country", "plan", "age")}
    visits = {name: int(random.integers(2, 21)) for name in ("device", "page")}
    customers = max(rows // 6, 30)
    own = {name: _drawn(random, size, customers) for name, size in sizes.items()}
    weight = random.gamma(0.3 if habit == "visits" else 1.5, 1.0, customers) + 1e-3
    draw = _visits(habit, random, days, rows, own, weight, visits)
    amount, base = _amounts(habit, metric, random, draw, sizes, days)
    late = draw.day >= days - lengths[1]
    if metric == "ratio":
        amount, cause = _yes(random, draw, amount, late, alike, planted)
    else:
        draw, amount, base, late, cause = _moved(
            random, draw, amount, base, late, alike, planted, metric
        )
    start = FIRST_DAY + timedelta(history)
    middle = start + timedelta(lengths[0])
    case = Case(
        name=f"{habit} {metric} {alike} {seed}",
        kind=alike,
        metric=metric,
        noise=habit,
        level=history,
        seed=seed,
        dimensions=(*sizes, *visits),
        determines={},
        history_start=FIRST_DAY,
        baseline=Span(start, middle - timedelta(1)),
        comparison=Span(middle, middle + timedelta(lengths[1] - 1)),
        rows=_table(draw, amount, base, random),
        leaves=_NOTHING,
        truth=() if cause is None else (_segment(cause),),
        strength=0.0,
    )
    return case, cause


def _lengths(habit: str, random: np.random.Generator) -> tuple[int, int]:
    if habit == "days":
        return 3, 3
    if habit == "short":
        return 7, 7
    if habit == "gaps":
        return int(random.integers(20, 32)), int(random.integers(10, 18))
    length = int(random.choice([10, 14, 21, 30]))
    return length, length


def _drawn(random: np.random.Generator, size: int, count: int) -> Whole:
    return random.choice(size, count, p=random.dirichlet(np.full(size, 2.0))).astype(np.int64)


def _visits(
    habit: str,
    random: np.random.Generator,
    days: int,
    rows: int,
    own: dict[str, Whole],
    weight: Numbers,
    visits: dict[str, int],
) -> Draw:
    """Who comes when, by rates of customers and days; then the rows that each visit brings."""
    level = random.normal(0, 0.15, 7)[np.arange(days) % 7] + random.normal(0, 0.05, days)
    if habit == "weeks":
        level = level + 0.004 * np.arange(days)
    rate = np.log(weight)[:, None] + level[None, :]
    country, plan = own["country"], own["plan"]
    rate += _wander(habit, random, int(country.max()) + 1, days)[country]
    rate += _wander(habit, random, int(plan.max()) + 1, days)[plan]
    if habit == "churn":
        came = random.integers(-40, days, len(weight))
        stays = random.integers(10, 60, len(weight))
        here = (np.arange(days) >= came[:, None]) & (np.arange(days) < (came + stays)[:, None])
        rate = np.where(here, rate, -30.0)
    if habit == "gaps":
        closed = (np.arange(days) % 7 == 3) | (random.random(days) < 0.1)
        rate[:, closed] = -30.0
    chance = np.exp(rate)
    burst = 6.0 if habit == "visits" else 1.0
    counts = random.poisson(chance / chance.sum() * rows / burst)
    customer, day = np.nonzero(counts)
    repeats = counts[customer, day]
    customer, day = np.repeat(customer, repeats), np.repeat(day, repeats)
    codes = {name: each[customer] for name, each in own.items()}
    codes |= {name: _drawn(random, size, len(day)) for name, size in visits.items()}
    many = random.geometric(1 / burst, len(day)) if burst > 1 else np.ones(len(day), np.int64)
    at = np.repeat(np.arange(len(day)), many)
    codes = {name: each[at] for name, each in codes.items()}
    return Draw(day[at], codes, customer[at])


def _wander(habit: str, random: np.random.Generator, size: int, days: int) -> Numbers:
    """The logarithm of each value's size by day."""
    noise = random.normal(0, 1, (size, days))
    if habit == "shocks":
        return 0.3 * noise
    if habit == "walk":
        return 0.04 * np.cumsum(noise, axis=1)
    if habit == "weeks":
        return 0.3 * random.normal(0, 1, (size, 7))[:, np.arange(days) % 7]
    if habit == "memory":
        out = noise.copy()
        for day in range(1, days):
            out[:, day] = 0.7 * out[:, day - 1] + np.sqrt(1 - 0.7**2) * noise[:, day]
        return 0.25 * out
    return np.zeros((size, days))


def _amounts(
    habit: str,
    metric: Metric,
    random: np.random.Generator,
    draw: Draw,
    sizes: dict[str, int],
    days: int,
) -> tuple[Numbers, Numbers | None]:
    """Amounts by customer, value and chance; of a ratio of yes and no, the chance of a yes."""
    count = len(draw.day)
    value = random.normal(0, 0.4, int(draw.customer.max(initial=0)) + 1)[draw.customer]
    value += random.normal(0, 0.4, sizes["plan"])[draw.codes["plan"]]
    value += _wander(habit, random, sizes["age"], days)[draw.codes["age"], draw.day]
    if metric == "count":
        return np.ones(count), None
    if metric == "ratio":
        middle = float(random.uniform(-2.5, 0.0))
        return 1 / (1 + np.exp(-middle - value)), np.ones(count)
    scatter = random.pareto(1.5, count) + 0.2 if habit == "tails" else random.gamma(2, 0.5, count)
    amount = np.round(20 * np.exp(value) * scatter, 2)
    return amount, np.ones(count) if metric == "average" else None


def _place(
    random: np.random.Generator, draw: Draw, late: np.ndarray
) -> tuple[tuple[str, int], ...]:
    """A segment of one or two dimensions with 4 to 35 % of the rows."""
    for _ in range(2_000):
        names = random.choice(sorted(draw.codes), int(random.integers(1, 3)), replace=False)
        row = int(random.integers(len(draw.day)))
        place = tuple(sorted((str(name), int(draw.codes[name][row])) for name in names))
        if 0.04 <= _inside(draw, place)[late].mean() <= 0.35:
            return place
    raise ValueError("no segment is of a size to plant in")


def _inside(draw: Draw, place: tuple[tuple[str, int], ...]) -> np.ndarray:
    out = np.ones(len(draw.day), dtype=bool)
    for name, code in place:
        out &= draw.codes[name] == code
    return out


def _factor(random: np.random.Generator) -> float:
    return float(random.uniform(0.2, 0.6) if random.random() < 0.5 else random.uniform(1.6, 2.5))


def _yes(
    random: np.random.Generator,
    draw: Draw,
    chance: Numbers,
    late: np.ndarray,
    alike: str,
    planted: bool,
) -> tuple[Numbers, Planted | None]:
    """Yes or no of each row, after what happened to all and to the planted segment."""
    moved = chance.copy()
    if alike == "times":
        moved[late] *= float(
            random.uniform(0.5, 0.8) if random.random() < 0.5 else random.uniform(1.2, 1.6)
        )
    if alike == "points":
        moved[late] += float(random.choice([-1, 1]) * 0.4 * chance.mean())
    cause = None
    if planted:
        place, factor = _place(random, draw, late), min(_factor(random), 1.9)
        own = _inside(draw, place) & late
        moved[own] *= factor
        moved = np.clip(moved, 0.0, 0.97)
        before = np.clip(chance[own], 0.0, 0.97).sum()
        cause = Planted(place, factor, float((moved[own].sum() - before) / late.sum()))
    return (random.random(len(moved)) < np.clip(moved, 0.002, 0.97)).astype(float), cause


def _moved(
    random: np.random.Generator,
    draw: Draw,
    amount: Numbers,
    base: Numbers | None,
    late: np.ndarray,
    alike: str,
    planted: bool,
    metric: Metric,
) -> tuple[Draw, Numbers, Numbers | None, np.ndarray, Planted | None]:
    """The rows after what happened: amounts times a factor, or rows fewer or more."""
    everywhere = 1.0
    if alike != "none":
        everywhere = float(
            random.uniform(0.5, 0.8) if random.random() < 0.5 else random.uniform(1.2, 1.6)
        )
    times = np.where(late, everywhere, 1.0)
    cause = None
    if planted:
        place, factor = _place(random, draw, late), _factor(random)
        own = _inside(draw, place) & late
        whole = float(late.sum()) if metric == "average" else 1.0
        times = np.where(own, times * factor, times)
        # What the segment would have been but for the cause, by its own rows of both periods.
        cause = Planted(place, factor, float("nan"))
        usual = amount[own].sum() * everywhere
        cause = Planted(place, factor, float(usual * (factor - 1) / whole))
    if metric == "average":
        return draw, amount * times, base, late, cause
    copies = np.where(times == 1.0, 1, random.poisson(times))
    at = np.repeat(np.arange(len(copies)), copies)
    codes = {name: each[at] for name, each in draw.codes.items()}
    return Draw(draw.day[at], codes, draw.customer[at]), amount[at], base, late[at], cause


def _segment(cause: Planted) -> Segment:
    return frozenset((name, f"{name} {code:02}") for name, code in cause.place)


def _table(
    draw: Draw, amount: Numbers, base: Numbers | None, random: np.random.Generator
) -> pa.Table:
    order = random.permutation(len(draw.day))
    first = (FIRST_DAY - date(1970, 1, 1)).days
    columns = {"day": pa.array((draw.day[order] + first).astype(np.int32)).cast(pa.date32())}
    for name, each in draw.codes.items():
        columns[name] = pa.array([f"{name} {code:02}" for code in each[order]])
    columns["numerator"] = pa.array(amount[order])
    if base is not None:
        columns["denominator"] = pa.array(base[order])
    return pa.table(columns)
