"""A reading before it is tied to tables: what is shown, of what, in which order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from services.planner.domain.language.kinds import Aggregate, Calculation, Grain
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.semantics import Kind


class Sets(StrEnum):
    """How conditions speak of sets of things."""

    BOTH = "both"  # things that fit the first in one row and the second in another
    EXCEPT = "except"  # things of which no row fits the last condition
    WITHOUT = "without"  # things that nothing in another table refers to


@dataclass(frozen=True, slots=True)
class Number:
    """A number of each group.

    Without a `place` it counts rows; without an `aggregate` it is each row's value as it stands.
    """

    aggregate: Aggregate | None
    place: Place | None = None


COUNT = Number(Aggregate.COUNT)


def natural(place: Place) -> Number:
    """What is made of a column's values where nobody says it: what adds up is added."""
    adds = place.kind in (Kind.AMOUNT, Kind.FLAG, Kind.LEVEL)
    return Number(Aggregate.SUM if adds else Aggregate.AVERAGE, place)


@dataclass(frozen=True, slots=True)
class Sorting:
    """By a number or by a column; `descending` puts the highest first."""

    by: Number | Place
    descending: bool


@dataclass(frozen=True, slots=True)
class Change:
    """From the rows of one condition to those of another, told as a difference, or as growth."""

    before: Proposal
    after: Proposal
    how: Calculation


@dataclass(frozen=True, slots=True)
class Sketch:
    """`shown` and `numbers` are the answer's columns, in their order.

    `grouped` says that the shown columns tell groups apart, with `split` as further ones that are
    not shown. `either` are alternatives among the conditions. `extra` tables are joined though no
    column of theirs is used; `lacking` is the table that WITHOUT speaks of. With `series` the last
    of `shown` makes the series of a chart. With `share` it tells which part of the rows fits those
    conditions, with `ratio` the total of one column over that of another. With a `change` the one
    number is set against itself between two conditions; with `things` those of that key are counted
    that fit the conditions on groups.
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
    lacking: str = ""
    extra: tuple[str, ...] = ()
    grain: Grain | None = None
    series: bool = False
    share: tuple[Proposal, ...] = ()
    ratio: tuple[Place, ...] = ()
    change: Change | None = None
    things: Place | None = None

    def but(self, **changes: object) -> Sketch:
        """A copy with other parts."""
        return replace(self, **changes)  # type: ignore[arg-type]

    @property
    def rows(self) -> tuple[Proposal, ...]:
        """The conditions on rows."""
        return tuple(c for c in self.conditions if not c.of_groups)

    @property
    def groups(self) -> tuple[Proposal, ...]:
        """The conditions on groups."""
        return tuple(c for c in self.conditions if c.of_groups)

    @property
    def holds(self) -> bool:
        """Whether there are groups where conditions are asked of groups."""
        return self.grouped or self.things is not None or not self.groups

    @property
    def rare(self) -> bool:
        """Whether it is of a form that few questions ask for, and those in so many words."""
        return self.change is not None or self.things is not None

    @property
    def told(self) -> list[Place]:
        """The columns that the answer shows or makes its numbers of."""
        numbers = (n.place for n in self.numbers if n.place is not None)
        return [*self.shown, *numbers, *self.ratio]

    @property
    def used(self) -> set[int]:
        """The indices of all columns that it needs."""
        found = {p.index for p in (*self.told, *self.split)}
        found |= {c.place.index for c in self.conditions if c.place is not None}
        if self.sorted_by is not None:
            found.add(self.sorted_by.index)
        return found

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
        places += [n.place for n in self.numbers if n.place is not None]
        places += [c.place for c in self.conditions if c.place is not None]
        places += [self.sorted_by] if self.sorted_by is not None else []
        places += [self.things] if self.things is not None else []
        return places

    def tables(self) -> list[str]:
        """The tables it needs, in order of first use."""
        return list(dict.fromkeys([*(p.table.name for p in self.places()), *self.extra]))
