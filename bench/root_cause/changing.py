"""How a plan changes the rows of the comparison period."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bench.root_cause.cases import Numbers, Whole
from bench.root_cause.planting import Mask, Planted, inside
from bench.root_cause.world import Codes, World, draw_amounts


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a business: their days, values and amounts."""

    day: Whole
    codes: Codes
    numerator: Numbers
    denominator: Numbers | None

    def taken(self, which: Mask | Whole) -> Rows:
        """Some of the rows, by mask or by number (one may come twice)."""
        return Rows(
            self.day[which],
            {name: each[which] for name, each in self.codes.items()},
            self.numerator[which],
            None if self.denominator is None else self.denominator[which],
        )

    def scaled(self, which: Mask, factor: float) -> Rows:
        """The numerators of some rows times a factor."""
        return replace(self, numerator=np.where(which, self.numerator * factor, self.numerator))


@dataclass(frozen=True)
class Plan:
    """What is done to the data, and which segments are to blame for it.

    `everywhere` multiplies the rows of the whole comparison period (of a ratio the numerators); a
    `fault` is done in place of the planted changes; not `foreseen` are rows that no forecast has.
    """

    planted: tuple[Planted, ...] = ()
    everywhere: float = 1.0
    fault: Callable[[Rows, Mask, np.random.Generator], Rows] | None = None
    foreseen: bool = True


def applied(world: World, rows: Rows, plan: Plan, random: np.random.Generator) -> Rows:
    """The rows after what was planned has happened in the comparison period."""
    late = rows.day >= world.days - world.length
    if plan.everywhere != 1 and world.metric in ("ratio", "average"):
        rows = _rates(world, rows, late, plan.everywhere, random)
    elif plan.everywhere != 1:
        rows = _rows_times(world, rows, late, plan.everywhere, random)
    for one in plan.planted if plan.fault is None else ():
        own = inside(rows.codes, one.place) & (rows.day >= world.days - world.length)
        change = _rows_times if one.of_rows else _rates
        rows = change(world, rows, own, one.factor, random)
    if plan.fault is not None:
        rows = plan.fault(rows, of_causes(rows, plan), random)
    return rows


def of_causes(rows: Rows, plan: Plan) -> Mask:
    """Which rows are in a planted segment."""
    own = np.zeros(len(rows.day), dtype=bool)
    for one in plan.planted:
        own |= inside(rows.codes, one.place)
    return own


def came_otherwise(world: World, rows: Rows, random: np.random.Generator) -> Rows:
    """The same business as chance might have had it: each row comes a Poisson number of times, one
    on average, with an amount of its own. What a forecast by `rows` is then compared with."""
    drawn = rows.taken(np.repeat(np.arange(len(rows.day)), random.poisson(1, len(rows.day))))
    numerator, denominator = draw_amounts(world, drawn.codes, random)
    return replace(drawn, numerator=numerator, denominator=denominator)


def _rows_times(
    world: World, rows: Rows, own: Mask, factor: float, random: np.random.Generator
) -> Rows:
    """Fewer rows, chosen at random, or more, with amounts of their own."""
    if factor <= 1:
        return rows.taken(~own | (random.random(len(own)) < factor))
    copies = np.where(own, random.poisson(factor - 1, len(own)), 0)
    more = rows.taken(np.repeat(np.arange(len(own)), copies))
    numerator, denominator = draw_amounts(world, more.codes, random)
    return Rows(
        np.concatenate([rows.day, more.day]),
        {name: np.concatenate([each, more.codes[name]]) for name, each in rows.codes.items()},
        np.concatenate([rows.numerator, numerator]),
        None
        if denominator is None or rows.denominator is None
        else np.concatenate([rows.denominator, denominator]),
    )


def _rates(world: World, rows: Rows, own: Mask, factor: float, random: np.random.Generator) -> Rows:
    """Amounts times a factor; of a yes or no, as many more or fewer yes."""
    if world.metric != "ratio":
        return rows.scaled(own, factor)
    if factor <= 1:
        lost = own & (random.random(len(own)) >= factor)
        return rows.scaled(lost, 0.0)
    rate = float(rows.numerator[own].mean()) if own.any() else 0.0
    chance = min(rate * (factor - 1) / max(1 - rate, 1e-9), 1.0)
    won = own & (random.random(len(own)) < chance)
    return replace(rows, numerator=np.where(won, 1.0, rows.numerator))
