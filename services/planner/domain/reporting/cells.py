"""Finding cells to cite: the largest, the smallest, totals and shares that steps computed.

Nothing is computed here; cells are compared and picked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from mesh.proof.assertions import same_number
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.shape import (
    Category,
    Number,
    first_named,
    is_amount,
)
from services.planner.domain.reporting.story import Story

_FACTS = "facts"
# What is there at a time, rather than what happened in it, adds up to nothing over time.
_LEVELS = frozenset(
    """pop population populations inhabitants residents balance balances inventory headcount
    enrolment enrollment stock stocks kontostand bestand lagerbestand guthaben einwohner saldo solde
    encours existencias inventario giacenza""".split()
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A place in a frame."""

    table: EvidenceTable
    row: int
    column: str

    @property
    def value(self) -> Any:
        """What stands there."""
        return self.table.value(self.row, self.column)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows of a column by value, largest first; rows without a finite number are left out."""

    rows: tuple[int, ...]
    values: tuple[Any, ...]

    @property
    def highest(self) -> tuple[int, ...]:
        """Rows that share the largest value."""
        return self._sharing(self.values[0]) if self.rows else ()

    @property
    def lowest(self) -> tuple[int, ...]:
        """Rows that share the smallest value."""
        return self._sharing(self.values[-1]) if self.rows else ()

    @property
    def level(self) -> bool:
        """Whether all values are the same."""
        return not self.rows or same_number(self.values[0], self.values[-1])

    def _sharing(self, value: Any) -> tuple[int, ...]:
        pairs = zip(self.rows, self.values, strict=True)
        return tuple(row for row, other in pairs if same_number(other, value))


def ranked(table: EvidenceTable, column: str, *, named_by: str = "") -> Ranked:
    """The rows of a numeric column in descending order; equal values keep their order.

    Rows without a name in column `named_by` are left out, unless none has one.
    """
    values = table.rows.column(column).to_pylist()
    usable = [(row, value) for row, value in enumerate(values) if finite(value)]
    if named_by:
        names = table.rows.column(named_by).to_pylist()
        usable = [item for item in usable if names[item[0]] not in (None, "")] or usable
    usable.sort(key=lambda pair: pair[1], reverse=True)
    return Ranked(tuple(row for row, _ in usable), tuple(value for _, value in usable))


def ends(table: EvidenceTable, column: str, number: str) -> tuple[int, int] | None:
    """Rows of the earliest and latest time that have a number; None with fewer than two."""
    times = table.rows.column(column).to_pylist()
    values = table.rows.column(number).to_pylist()
    usable = [
        (moment, row)
        for row, (moment, value) in enumerate(zip(times, values, strict=True))
        if moment is not None and finite(value)
    ]
    if len(usable) < 2:
        return None
    return min(usable)[1], max(usable)[1]


def total_of(story: Story, number: Number) -> Cell | None:
    """The sum of the answer's numbers, if a step made it and sums make sense."""
    intent = story.reading
    if intent is not None and (
        intent.limit or intent.limit_per_series or intent.having or intent.top_of_each
    ):
        return None  # the sum of what was picked would pass for the sum of all
    timed = intent.dimensions if intent is not None else ()
    timed = tuple(d for d in timed if d.grain is not None or "year" in d.label.split())
    if timed and _LEVELS & set(number.name.casefold().split()):
        return None  # the same people are there every year
    name = number.column
    names = (f"total {name}", f"sum {name}", "total", "sum", name)
    return fact(story, *names) if number.additive else None


def row_count(story: Story) -> Cell | None:
    """How many rows the answer has, if a step counted them."""
    return fact(story, "rows", "count", "number of rows")


def fact(story: Story, *names: str) -> Cell | None:
    """A number of the one-row frame of facts, under the first of the names it has."""
    facts = story.tables.get(_FACTS)
    if facts is None or facts.rows.num_rows != 1:
        return None
    return _usable(facts, 0, first_named(facts, names))


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A frame that has one row for each value of one category of the answer."""

    table: EvidenceTable
    category: str
    number: str
    share: str | None


def breakdown(
    story: Story, category: Category, number: Number, rest: Sequence[Category]
) -> Breakdown | None:
    """The frame a step made by summing the answer over all categories but one, if there is one.

    `rest` are the categories that must not be in it.
    """
    for task_id, table in story.tables.items():
        if task_id == _FACTS or not table.has(category.column) or not table.rows.num_rows:
            continue
        if task_id == story.answer_task or any(table.has(other.column) for other in rest):
            continue
        name = number.column
        column = first_named(table, (name, f"total {name}", f"sum {name}", "total", "sum"))
        if column is None or not is_amount(table.rows.schema.field(column).type):
            continue
        share = first_named(
            table, ("share", f"share {name}", f"share of {name}", f"share {column}")
        )
        numbers = table.rows.column(column).to_pylist()
        if any(finite(value) and value < 0 for value in numbers):
            share = None  # there is no whole of which they would be parts
        return Breakdown(table, category.column, column, share)
    return None


def share_of(story: Story, category: Category, number: Number, row: int) -> Cell | None:
    """The share of the whole that a row of the answer has, if a step computed shares."""
    answer = story.answer
    if answer is None:
        return None
    name = number.column
    own = first_named(answer, ("share", f"share {name}", f"share of {name}"))
    if own is not None and own != name:
        return _usable(answer, row, own)
    found = breakdown(story, category, number, ())
    if found is None or found.share is None:
        return None
    wanted = answer.value(row, category.column)
    labels = found.table.rows.column(category.column).to_pylist()
    if labels.count(wanted) != 1:
        return None
    there = labels.index(wanted)
    if found.table.value(there, found.number) != answer.value(row, name):
        return None  # several rows of the answer bear this name: the share is of them all
    return _usable(found.table, there, found.share)


def _usable(table: EvidenceTable, row: int, column: str | None) -> Cell | None:
    if column is None or not finite(table.value(row, column)):
        return None
    return Cell(table, row, column)


def finite(value: Any) -> bool:
    """Whether a value is a number that others can be compared with."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return math.isfinite(value)
