"""Whether the answers of several domains can be one table, and by which keys."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from services.planner.domain.catalogue import Frozen

_OVERLAP = 0.5
"""The share of the values of the side with fewer that the other side must have."""
_IDENTIFYING = re.compile(
    r"(^|_)(id|key|code|no|number|year|quarter|month|week|day|date|isbn|sku|ean)$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Answer(Frozen):
    """What a domain gave as a table: cells by column, all of one length."""

    domain: str
    columns: dict[str, tuple[Any, ...]]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.columns.values()), ()))


class JoinPlan(Frozen):
    """Two answers become one: by columns that both have, `left` and `right` by domain.

    The keys are unique on the right, so that no row of the left comes twice. All rows of both stay.
    `notes` say what a person should know of the joined table.
    """

    left: str
    right: str
    on: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


def join_of(first: Answer, second: Answer) -> JoinPlan | None:
    """How two answers are joined; None where no key allows it, and they stand side by side.

    A key's names are of the same words, or one has words more. It holds text, dates or identifying
    numbers and no measures, and half of its values or more are on both sides. All keys count
    together.
    """
    keys = _keys(first, second)
    if not keys:
        return None
    left, right, on = first, second, keys
    if not _unique(right, [b for _, b in on]):
        left, right, on = second, first, [(b, a) for a, b in on]
        if not _unique(right, [b for _, b in on]):
            return None
    return JoinPlan(
        left=left.domain, right=right.domain, on=tuple(on), notes=_notes(left, right, on)
    )


def _keys(first: Answer, second: Answer) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, cells in first.columns.items():
        taken = {theirs for _, theirs in found}
        for other in sorted(second.columns, key=lambda theirs: _words(theirs) != _words(name)):
            if (
                other not in taken
                and _named_alike(name, other)
                and _shares((name, cells), (other, second.columns[other]))
            ):
                found.append((name, other))
                break
    return found


def _words(name: str) -> tuple[str, ...]:
    """The words of a column's name: "ProductName" and "product name" are the same two."""
    return tuple(_WORD.findall(_HUMP.sub(" ", name).replace("_", " ").casefold()))


def _named_alike(first: str, second: str) -> bool:
    """Whether both names are of the same words, or one is the other with words more, such as
    "product" and "product name"."""
    one, other = set(_words(first)), set(_words(second))
    return bool(one and other) and (one <= other or other <= one)


def _shares(first: tuple[str, Sequence[Any]], second: tuple[str, Sequence[Any]]) -> bool:
    """Whether both columns can be keys, and half the values of the one with fewer are in both."""
    if not (_key(*first) and _key(*second)):
        return False
    mine, theirs = _values(first[1]), _values(second[1])
    alike = {type(value) for value in mine} == {type(value) for value in theirs}
    return alike and len(mine & theirs) >= _OVERLAP * min(len(mine), len(theirs))


def _key(name: str, cells: Sequence[Any]) -> bool:
    """Whether cells can say which thing a row is of. Amounts cannot, though they may be equal."""
    values = _values(cells)
    if not values or any(isinstance(value, bool) for value in values):
        return False
    if all(isinstance(value, (str, date)) for value in values):
        return True
    numbers = all(isinstance(value, int) for value in values)
    return numbers and _IDENTIFYING.search(_HUMP.sub("_", name)) is not None


def _values(cells: Sequence[Any]) -> set[Any]:
    return {cell for cell in cells if cell is not None}


def _rows(answer: Answer, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The keys of each row that has them all: null is equal to nothing."""
    whole = zip(*(answer.columns[name] for name in names), strict=True)
    return [row for row in whole if None not in row]


def _unique(answer: Answer, names: Sequence[str]) -> bool:
    rows = _rows(answer, names)
    return len(set(rows)) == len(rows)


def _notes(left: Answer, right: Answer, on: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    mine, theirs = _rows(left, [a for a, _ in on]), _rows(right, [b for _, b in on])
    names = " and ".join(a for a, _ in on)
    notes = [f"{left.domain} and {right.domain} are joined by {names}."]
    for side, keys, other, partners in (
        (left, mine, right, set(theirs)),
        (right, theirs, left, set(mine)),
    ):
        if alone := side.rows - sum(key in partners for key in keys):
            rows = "row of {} has" if alone == 1 else "rows of {} have"
            notes.append(f"{alone:,} {rows.format(side.domain)} no partner in {other.domain}.")
    if len(set(mine)) < len(mine):
        notes.append(
            f"Rows of {right.domain} stand beside several of {left.domain}: "
            "its amounts must not be added up."
        )
    return tuple(notes)


def describe_failures(failed: Mapping[str, str]) -> tuple[str, ...]:
    """What a person is told of domains that gave nothing, by the reason of each."""
    return tuple(f"{domain} gave no answer: {why}" for domain, why in failed.items())
