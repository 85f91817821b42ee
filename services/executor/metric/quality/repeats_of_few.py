"""Loads that came several times in a segment of few rows: its days taken together.

A day of a small segment has too few rows to tell evenness from chance. A stretch of days on which
every kind of row is there an even number of times (or a multiple of three, and so on) has enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

Segment = tuple[str, str | None]

CHANCE = 1e-3
"""Chance of such a stretch by itself, over all segments and all days on which one may begin."""

LEAST_EXTRA, LEAST_PART = 6.0, 0.0025
"""Rows that repeat another, and their part of all rows, from which on a stretch is told: a basket
that was entered twice is no load, and what is less does not explain a change."""

ENOUGH_KINDS = 20.0
"""Kinds of rows from which a stretch is judged by its kinds. Those of fewer may be of one basket or
visit, whose rows repeat together: there whole days are what may be even by chance."""

_FEWEST_KINDS = 20.0
"""Kinds of rows outside a stretch, from which a segment tells by itself how often they are even."""


class OfDay(Protocol):
    """How the rows of one day, or of one segment of it, repeat."""

    @property
    def day(self) -> date:
        """The day."""

    @property
    def n(self) -> float:
        """Rows."""

    @property
    def kinds(self) -> float:
        """Kinds of rows."""

    @property
    def even(self) -> float:
        """Kinds that are there a multiple of so many times as a load may have come."""


@dataclass(frozen=True)
class Stretch:
    """Days on which all kinds are there an even number of times; `usual` is the share of kinds
    that is, on the other days."""

    days: tuple[date, ...]
    n: float
    kinds: float
    usual: float


def even_stretches(own: Sequence[OfDay], whole: Sequence[OfDay], among: int) -> list[Stretch]:
    """The stretches of a segment's days (in any order) on which all of it came twice.

    `whole` says how often kinds are even where the segment itself has few; `among` is how many
    segments are looked at. Kinds differ in how often they are even by themselves: with the mean of
    them the chance of all being even is too large, which is safe.
    """
    ordered = sorted(own, key=lambda day: day.day)
    least = max(LEAST_EXTRA, LEAST_PART * sum(day.n for day in whole))
    out: list[Stretch] = []
    for begun, ended in _runs(ordered):
        inside, outside = ordered[begun:ended], [*ordered[:begun], *ordered[ended:]]
        n, kinds = sum(day.n for day in inside), sum(day.kinds for day in inside)
        if n - kinds < least:
            continue
        within = {day.day for day in inside}
        if sum(day.kinds for day in outside) < _FEWEST_KINDS:
            outside = [*outside, *(day for day in whole if day.day not in within)]
        usual = _usual(outside)
        chance = kinds * math.log(usual)
        if kinds < ENOUGH_KINDS:
            chance = max(chance, len(inside) * math.log(_usual_days(outside)))
        if chance + math.log(max(among, 1) * len(ordered)) <= math.log(CHANCE):
            out.append(Stretch(tuple(day.day for day in inside), n, kinds, usual))
    return out


def _runs(ordered: Sequence[OfDay]) -> list[tuple[int, int]]:
    """Places of days in a row on which every kind is even: first, and the one after the last."""
    out: list[tuple[int, int]] = []
    begun = None
    for at, day in enumerate([*ordered, None]):
        even = day is not None and day.even >= day.kinds
        if even and begun is None:
            begun = at
        elif not even and begun is not None:
            out.append((begun, at))
            begun = None
    return out


def _usual(days: Sequence[OfDay]) -> float:
    """The share of kinds that are even, one of each added so that it is never nought or all."""
    return (sum(day.even for day in days) + 1) / (sum(day.kinds for day in days) + 2)


def _usual_days(days: Sequence[OfDay]) -> float:
    """The share of days on which all kinds are even, one of each added."""
    return (sum(day.even >= day.kinds for day in days) + 1) / (len(days) + 2)
