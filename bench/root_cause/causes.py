"""The kinds of causes, and what each plants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.root_cause.cases import Metric
from bench.root_cause.changing import Plan, Rows
from bench.root_cause.planting import (
    LEAST_STRENGTH,
    Mask,
    NoPlaceError,
    Place,
    Planted,
    drawn_factor,
    inside,
    plant,
)
from bench.root_cause.world import World, variation

_MORE = 0.3  # of several causes, the part that go in different directions
_MOST_TOGETHER = 0.6  # of a parent's rows, what its moving children have: else the parent moved
_MOST_SHARED = 0.2  # of a segment's rows, those in which another cause is at work too
_LEAST_MIX = 0.05  # the least relative change of a ratio that a planted shift makes
_UNITS = (100.0, 1000.0, 0.01, 0.001)

Planner = Callable[[World, Rows, np.random.Generator], Plan]


def combination(depth: int) -> Planner:
    """One segment of so many dimensions moves, by its rows or (of a sum) by their amounts."""

    def plan(world: World, rows: Rows, random: np.random.Generator) -> Plan:
        return Plan((_one(world, rows, random, depth),))

    return plan


def _one(
    world: World,
    rows: Rows,
    random: np.random.Generator,
    depth: int,
    fits: Callable[[Place], bool] = lambda place: True,
    factor: Callable[[np.random.Generator], float] = drawn_factor,
) -> Planted:
    of_rows = world.metric == "count" or (world.metric == "sum" and random.random() < 0.6)
    return plant(
        world, rows.codes, rows.day, random, depth, fits=fits, factor=factor, of_rows=of_rows
    )


def several(same: bool) -> Planner:
    """Two or three segments that share no row (of the same dimensions), or each of other ones."""

    def plan(world: World, rows: Rows, random: np.random.Generator) -> Plan:
        depth, count = int(random.integers(1, 3)), int(random.integers(2, 4))
        planted = [_one(world, rows, random, depth)]
        one_way = random.random() > _MORE

        def factor(random: np.random.Generator) -> float:
            return planted[0].factor if one_way else drawn_factor(random)

        def fits(place: Place) -> bool:
            there = [one.place for one in planted]
            return _beside(rows, place, there) if same else _elsewhere(world, rows, place, there)

        for _ in range(count - 1):
            more = depth if same else int(random.integers(1, 3))
            try:
                planted.append(_one(world, rows, random, more, fits, factor))
            except NoPlaceError:
                break
        if len(planted) < 2:
            raise NoPlaceError("no second segment is apart from the first")
        return Plan(tuple(planted))

    return plan


def _beside(rows: Rows, place: Place, there: list[Place]) -> bool:
    """Whether a segment of the same dimensions is another one, and all together fill no parent."""
    names = {name for name, _ in place}
    if place in there or any({name for name, _ in other} != names for other in there):
        return False
    together = np.any([inside(rows.codes, one) for one in (place, *there)], axis=0)
    for left in range(len(place)):
        wider = inside(rows.codes, place[:left] + place[left + 1 :])
        if together[wider].mean() > _MOST_TOGETHER:
            return False
    return True


def _elsewhere(world: World, rows: Rows, place: Place, there: list[Place]) -> bool:
    """Whether a segment has dimensions that no other has, and few of their rows."""
    texts = set(world.determines.items()) | {(b, a) for a, b in world.determines.items()}
    names, own = {name for name, _ in place}, inside(rows.codes, place)
    for other in there:
        others = {name for name, _ in other}
        if names & others or texts & {(a, b) for a in names for b in others}:
            return False
        if inside(rows.codes, other)[own].mean() > _MOST_SHARED:
            return False
    return True


def shift(reversal: bool) -> Planner:
    """A value whose rate is unlike the rest grows or shrinks, and with it the ratio changes; with
    a reversal, all rates move the other way by half as much, yet the whole goes with the mix."""

    def plan(world: World, rows: Rows, random: np.random.Generator) -> Plan:
        names = {name for name, _ in world.values}
        here = rows.day >= world.days - world.length
        effect = 0.0
        drawn = 1.0

        def factor(random: np.random.Generator) -> float:
            nonlocal drawn
            drawn = float(
                random.uniform(0.1, 0.5) if random.random() < 0.5 else random.uniform(2, 4)
            )
            return drawn

        def fits(place: Place) -> bool:
            nonlocal effect
            if place[0][0] not in names:
                return False
            own = inside(rows.codes, place)[here]
            share, moved = own.mean(), drawn * own.sum() / (drawn * own.sum() + (~own).sum())
            rate = rows.numerator[here][own].mean()
            rest, whole = rows.numerator[here][~own].mean(), rows.numerator[here].mean()
            effect = float((moved - share) * (rate - rest) / whole)
            error = np.sqrt(2 * (1 + variation(world)) / here.sum())
            return abs(effect) > max(_LEAST_MIX, LEAST_STRENGTH / 2 * float(error))

        one = plant(world, rows.codes, rows.day, random, 1, fits=fits, factor=factor, largest=0.6)
        return Plan((one,), 1 - effect / 2 if reversal else 1.0)

    return plan


def appearing(new: bool) -> Planner:
    """A segment that was not there before, or is not there any more."""

    def plan(world: World, rows: Rows, random: np.random.Generator) -> Plan:
        first = world.days - world.length

        def fault(rows: Rows, own: Mask, _: np.random.Generator) -> Rows:
            return rows.taken(~own | ((rows.day >= first) if new else (rows.day < first)))

        depth = 1 if random.random() < 0.7 else 2
        one = plant(world, rows.codes, rows.day, random, depth, factor=lambda _: 0.0)
        return Plan((one,), fault=fault, foreseen=not new)

    return plan


def missing_days(world: World, rows: Rows, random: np.random.Generator) -> Plan:
    """No row of any segment came on some days of the comparison period."""
    late = np.arange(world.days - world.length, world.days)
    gone = random.choice(late, int(random.integers(2, 6)), replace=False)
    return Plan(fault=lambda rows, own, _: rows.taken(~np.isin(rows.day, gone)))


def double_load(world: World, rows: Rows, random: np.random.Generator) -> Plan:
    """A segment's rows of the last days came twice, the same to the letter."""
    count = int(random.integers(world.length // 2, world.length))

    def fault(rows: Rows, own: Mask, _: np.random.Generator) -> Rows:
        twice = np.flatnonzero(own & (rows.day >= world.days - count))
        return rows.taken(np.concatenate([np.arange(len(rows.day)), twice]))

    share = 1 + count / world.length
    return Plan((_faulty(world, rows, random, share),), fault=fault)


def null_flood(world: World, rows: Rows, random: np.random.Generator) -> Plan:
    """Most amounts of a segment are missing in the comparison period."""
    share = float(random.uniform(0.6, 1.0))

    def fault(rows: Rows, own: Mask, random: np.random.Generator) -> Rows:
        lost = own & (rows.day >= world.days - world.length) & (random.random(len(own)) < share)
        return rows.scaled(lost, float("nan"))

    return Plan((_faulty(world, rows, random, 1 - share),), fault=fault)


def unit_change(world: World, rows: Rows, random: np.random.Generator) -> Plan:
    """A segment's amounts came in another unit: times or over a hundred or a thousand."""
    factor = float(random.choice(_UNITS))

    def fault(rows: Rows, own: Mask, _: np.random.Generator) -> Rows:
        return rows.scaled(own & (rows.day >= world.days - world.length), factor)

    return Plan((_faulty(world, rows, random, min(factor, 4.0)),), fault=fault)


def _faulty(world: World, rows: Rows, random: np.random.Generator, factor: float) -> Planted:
    return plant(world, rows.codes, rows.day, random, 1, factor=lambda _: factor)


def external(world: World, rows: Rows, random: np.random.Generator) -> Plan:
    """Everything moves alike."""
    return Plan(
        everywhere=float(
            random.uniform(0.5, 0.8) if random.random() < 0.5 else random.uniform(1.2, 1.6)
        )
    )


def nothing(world: World, rows: Rows, random: np.random.Generator) -> Plan:
    """Nothing but chance."""
    return Plan()


KINDS: dict[str, tuple[Planner, tuple[Metric, ...]]] = {
    "single": (combination(1), ("count", "sum")),
    "pair": (combination(2), ("count", "sum")),
    "triple": (combination(3), ("count", "sum")),
    "several, same dimensions": (several(same=True), ("count", "sum")),
    "several, other dimensions": (several(same=False), ("count", "sum")),
    "rate": (combination(1), ("ratio", "average")),
    "rate of a pair": (combination(2), ("ratio", "average")),
    "mix": (shift(reversal=False), ("ratio", "average")),
    "simpson": (shift(reversal=True), ("ratio", "average")),
    "new": (appearing(new=True), ("count", "sum")),
    "vanished": (appearing(new=False), ("count", "sum")),
    "double load": (double_load, ("count", "sum")),
    "null flood": (null_flood, ("sum",)),
    "unit change": (unit_change, ("sum",)),
    "missing days": (missing_days, ("count", "sum")),
    "external": (external, ("count", "sum", "ratio", "average")),
    "none": (nothing, ("count", "sum", "ratio", "average")),
}
"""For each kind, what plants it, and the metrics it happens to. The last three blame no segment."""

WITHOUT_SEGMENT = ("missing days", "external", "none")
