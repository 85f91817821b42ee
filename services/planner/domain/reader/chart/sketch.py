"""A reading before it is tied to tables: what is shown, of what, in which order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal, NamedTuple

from services.planner.domain.query.kinds import Aggregate, Calculation, Grain
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind


class Sets(StrEnum):
    """How conditions speak of sets of things."""

    BOTH = "both"  # things that fit the first in one row and the second in another
    EXCEPT = "except"  # things of which no row fits the last condition
    WITHOUT = "without"  # things that nothing in another table refers to


class Number(NamedTuple):
    """A number of each group.

    Without a `place` it counts rows; without an `aggregate` it is each row's value as it stands.
    A percentile has a `quantile` from 0 to 1, a correlation the `other` column. With an `against`
    it is set against that other number in the way of `how`, and is `called` so.
    With `per` it is made of what the rows of each such key sum up to, or of how many they are.
    """

    aggregate: Aggregate | None
    place: Place | None = None
    quantile: float | None = None
    other: Place | None = None
    against: Number | None = None
    how: Calculation | None = None
    called: str = ""
    per: Place | None = None

    @property
    def places(self) -> list[Place]:
        """The columns that it is made of."""
        own = [place for place in (self.place, self.other, self.per) if place is not None]
        return own if self.against is None else list(dict.fromkeys((*own, *self.against.places)))

    @property
    def unusual(self) -> bool:
        """Whether few questions ask for such, and those in so many words."""
        special = (self.quantile, self.other, self.against, self.per)
        return any(one is not None for one in special)


COUNT = Number(Aggregate.COUNT)


def natural(place: Place) -> Number:
    """What is made of a column's values where nobody says it: what adds up is added."""
    if place.running:
        return Number(Aggregate.MAXIMUM, place)
    adds = place.kind in (Kind.AMOUNT, Kind.FLAG, Kind.LEVEL)
    return Number(Aggregate.SUM if adds else Aggregate.AVERAGE, place)


class Sorting(NamedTuple):
    """By a number or by a column; `descending` puts the highest first."""

    by: Number | Place
    descending: bool


@dataclass(frozen=True, slots=True)
class Change:
    """From the rows of one condition to those of another, told as a difference, or as growth.

    With `only` groups are kept of which the number rose (above), or fell (below).
    """

    before: Proposal
    after: Proposal
    how: Calculation
    only: Literal["above", "below"] | None = None


class Worked(NamedTuple):
    """How the one number is worked out over the groups; `window` counts the units of time of a
    moving average, `unit` is the one that is compared with: the year before."""

    how: Calculation
    window: int = 3
    unit: Grain | None = None


class _Sketch(NamedTuple):
    """`shown` and `numbers` are the answer's columns, in their order.

    `grouped` says that the shown columns tell groups apart, with `split` as further ones that are
    not shown. `either` are alternatives among the conditions. `extra` tables are joined though no
    column of theirs is used; `missing_table` is the table that WITHOUT speaks of. With `series` the
    last of `shown` makes the series of a chart. With `share` it tells which part of the rows fits
    those conditions, with `ratio` the total of one column over that of another. With a `change` the
    one number is set against itself between two conditions; with an `entity` those of that key are
    counted that fit the conditions on groups. With `within`, which are among the shown columns,
    sorting and limit are of the rows or groups that share those: the first of each. With `worked`
    the one number is told with what is worked out of it over the groups, with `bins` a column in
    ranges of a width. `before` rows come before those that the limit keeps.
    """

    shown: tuple[Place, ...] = ()
    numbers: tuple[Number, ...] = ()
    split: tuple[Place, ...] = ()
    grouped: bool = False
    conditions: tuple[Proposal, ...] = ()
    either: tuple[Proposal, ...] = ()
    sorting: Sorting | None = None
    limit: int | None = None
    distinct: bool = False
    sets: Sets | None = None
    missing_table: str = ""
    extra: tuple[str, ...] = ()
    grain: Grain | None = None
    series: bool = False
    share: tuple[Proposal, ...] = ()
    ratio: tuple[Place, ...] = ()
    change: Change | None = None
    entity: Place | None = None
    within: tuple[Place, ...] = ()
    worked: Worked | None = None
    bins: tuple[Place, float] | None = None
    before: int = 0


class Sketch(_Sketch):
    """A reading before it is tied to tables: the parts that `_Sketch` tells, and what follows.

    A tuple, for thousands are made of a question, compared and thrown away.
    """

    def but(self, **changes: object) -> Sketch:
        """A copy with other parts."""
        return self._replace(**changes)  # type: ignore[arg-type]

    @property
    def rows(self) -> tuple[Proposal, ...]:
        """The conditions on rows."""
        taken = self.conditions
        return tuple(c for c in taken if not c.of_groups) if taken else ()

    @property
    def groups(self) -> tuple[Proposal, ...]:
        """The conditions on groups."""
        taken = self.conditions
        return tuple(c for c in taken if c.of_groups) if taken else ()

    @property
    def holds(self) -> bool:
        """Whether there are groups where conditions are asked of groups."""
        return self.grouped or self.entity is not None or not self.groups

    @property
    def rare(self) -> bool:
        """Whether it is of a form that few questions ask for, and those in so many words."""
        unusual = any(number.unusual for number in self.made)
        whole = self.change is not None or self.entity is not None
        whole = whole or self.worked is not None or self.bins is not None
        return whole or bool(self.within) or unusual

    @property
    def made(self) -> list[Number]:
        """The numbers that it shows or sorts by."""
        by = self.sorting.by if self.sorting is not None else None
        return [*self.numbers, *((by,) if isinstance(by, Number) else ())]

    @cached_property
    def shown_places(self) -> tuple[Place, ...]:
        """The columns that the answer shows or makes its numbers of."""
        numbers = (place for n in self.numbers for place in n.places)
        return (*self.shown, *numbers, *self.ratio)

    @cached_property
    def used(self) -> frozenset[int]:
        """The indices of all columns that it needs."""
        found = {p.index for p in (*self.shown_places, *self.split)}
        found |= {c.place.index for c in self.conditions if c.place is not None}
        found |= {c.against.index for c in self.conditions if c.against is not None}
        if self.sorted_by is not None:
            found.add(self.sorted_by.index)
        if self.entity is not None:
            found.add(self.entity.index)
        return frozenset(found)

    @property
    def sorted_by(self) -> Place | None:
        """The column that it is sorted by, or by a number of; None where it is by no column."""
        if self.sorting is None:
            return None
        by = self.sorting.by
        return by.place if isinstance(by, Number) else by

    def places(self) -> list[Place]:
        """The columns it needs, in order of first use."""
        places = [*self.shown, *self.split, *self.ratio]
        places += [place for n in self.made for place in n.places]
        places += [c.place for c in self.conditions if c.place is not None]
        places += [c.against for c in self.conditions if c.against is not None]
        places += [self.sorted_by] if self.sorted_by is not None else []
        places += [self.entity] if self.entity is not None else []
        return places

    def tables(self) -> list[str]:
        """The tables it needs, in order of first use."""
        counted = [c.rows for c in self.conditions if c.rows]
        return list(dict.fromkeys([*(p.table.name for p in self.places()), *counted, *self.extra]))
