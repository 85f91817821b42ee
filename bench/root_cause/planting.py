"""Which segments a cause may be planted in: large enough to be seen, unlike others in rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.root_cause.cases import Segment, Whole
from bench.root_cause.world import Codes, World, daily_variance, variation

Mask = npt.NDArray[np.bool_]
Place = tuple[tuple[str, int], ...]
"""A segment by the codes of its values."""

LEAST_STRENGTH = 6.0
"""Standard errors that a cause's effect on its segment has at least: what is weaker cannot be told
from chance by anybody who looks at thousands of segments."""

_LEAST_SHARE, _MOST_SHARE = 0.005, 0.4
_NEARLY = 0.8
_TRIES = 3_000


@dataclass(frozen=True)
class Planted:
    """A cause: rows of a segment times `factor`, or their numerators (`of_rows` False)."""

    place: Place
    factor: float
    of_rows: bool
    strength: float


class NoPlaceError(ValueError):
    """No segment of this business can carry such a cause."""


def inside(codes: Codes, place: Place) -> Mask:
    """Which rows are in a segment."""
    out = np.ones(len(next(iter(codes.values()))), dtype=bool)
    for name, code in place:
        out &= codes[name] == code
    return out


def segment_of(place: Place) -> Segment:
    """A segment by the texts of its values."""
    return frozenset((name, text_of(name, code)) for name, code in place)


def text_of(name: str, code: int) -> str:
    """How a value is written in the data."""
    return f"{name} {code:03}"


def drawn_factor(random: np.random.Generator) -> float:
    """A fall by 30 to 90 % or a rise by 40 to 150 %."""
    return float(random.uniform(0.1, 0.7) if random.random() < 0.5 else random.uniform(1.4, 2.5))


def strength_of(world: World, rows: float, factor: float) -> float:
    """An effect in standard errors of the difference of the segment's two periods."""
    chance = rows * (1 + factor) * (1 + variation(world))
    chance += rows**2 * (1 + factor**2) * daily_variance(world) / world.length
    return float(rows * abs(factor - 1) / np.sqrt(max(chance, 1e-9)))


def plant(
    world: World,
    codes: Codes,
    day: Whole,
    random: np.random.Generator,
    depth: int,
    *,
    fits: Callable[[Place], bool] = lambda place: True,
    factor: Callable[[np.random.Generator], float] = drawn_factor,
    of_rows: bool = True,
    largest: float = _MOST_SHARE,
) -> Planted:
    """A segment of `depth` dimensions and what happens to it. Raises NoPlaceError.

    It is taken from a row drawn at random, so that large segments are likelier. One is passed over
    if its effect is weak, or its rows are nearly those of its parent, of a child, or of any value.
    """
    here = day >= world.days - world.length
    now = {name: each[here] for name, each in codes.items()}
    count = int(here.sum())
    names = [one.name for one in world.dimensions]
    if count == 0 or depth > len(names):
        raise NoPlaceError("too few rows or dimensions")
    for _ in range(_TRIES):
        chosen = sorted(str(name) for name in random.choice(names, depth, replace=False))
        if any(world.determines.get(name) in chosen for name in chosen):
            continue
        row = int(random.integers(count))
        place: Place = tuple((name, int(now[name][row])) for name in chosen)
        times = factor(random)
        size = int(inside(now, place).sum())
        strength = strength_of(world, size, times)
        if not _LEAST_SHARE * count <= size <= largest * count or strength < LEAST_STRENGTH:
            continue
        if fits(place) and _by_itself(world, now, place):
            return Planted(place, times, of_rows, strength)
    raise NoPlaceError(f"no segment of depth {depth} is large and distinct enough")


def _by_itself(world: World, codes: Codes, place: Place) -> bool:
    """Whether no other segment, a little shallower, deeper or of one value, has nearly its rows."""
    own = inside(codes, place)
    size = own.sum()
    if len(place) > 1:
        for left in range(len(place)):
            wider = inside(codes, place[:left] + place[left + 1 :])
            if size > _NEARLY * wider.sum():
                return False
    named = {name for name, _ in place}
    implied = {world.determines[name] for name in named if name in world.determines}
    for name, each in codes.items():
        if name in named:
            continue
        counts = np.bincount(each[own])
        code = int(counts.argmax())
        if name not in implied and counts[code] > _NEARLY * size:
            return False
        alone = (each == code).sum()
        if counts[code] > _NEARLY * (size + alone - counts[code]):
            return False
    return True
