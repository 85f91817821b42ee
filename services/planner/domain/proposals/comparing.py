"""Whether two results are one answer: canonically, by what they hold and never by a query's text.

Names and order of columns do not matter, nor the order of rows unless both ask for one; whole
numbers equal floating ones, midnight is its day, an empty text is nothing. Numbers that were
rounded equal those that were not, to the fewest decimals given, where enough digits are left to
tell. Of results too large to be looked at, digests are compared.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from typing import Literal

from services.planner.domain.evidence import Outcome, Value

Cell = float | str | date | None
Kind = Literal["same", "subset", "scaled", "differs"]

MOST_ROWS = 500
"""Rows of a result that are looked at one by one."""
_ALIKE = 1e-6
"""Numbers that are not whole differ in their last digits by the order in which they are added."""
_ENOUGH_DIGITS = 2.0
_PER_CENT = 100.0
_MOST_TRIED = 200
_MOST_DECIMALS = 15


@dataclass(frozen=True)
class Column:
    """A column of a result."""

    name: str
    cells: tuple[Cell, ...]

    @cached_property
    def numbers(self) -> bool:
        """Whether it holds numbers and nothing else, apart from gaps."""
        held = [cell for cell in self.cells if cell is not None]
        return bool(held) and all(isinstance(cell, float) for cell in held)

    @cached_property
    def decimals(self) -> int:
        """Most decimals of a number in it."""
        return max((_decimals(cell) for cell in self.cells if isinstance(cell, float)), default=0)

    @cached_property
    def sorted(self) -> tuple[Cell, ...]:
        """Its cells in one order."""
        return tuple(sorted(self.cells, key=_place))


@dataclass(frozen=True)
class Rows:
    """What a statement gives: `columns` of the rows that are in sight, of `count` in all.

    `ordered_by` is the place of the column that an order is asked by first, None where none is.
    """

    columns: tuple[Column, ...]
    count: int
    complete: bool = True
    ordered_by: int | None = None
    digest: str = ""
    digests: tuple[str, ...] = ()

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """Row by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))


@dataclass(frozen=True)
class Pair:
    """Columns of two results that hold the same; the right one `times` the left."""

    left: int
    right: int
    times: float = 1.0


@dataclass(frozen=True)
class Agreement:
    """How two results compare; `pairs` are the columns that hold the same in both. Where
    `reordered`, they differ in nothing but the order that both ask for."""

    kind: Kind
    pairs: tuple[Pair, ...] = ()
    reordered: bool = False

    @property
    def agrees(self) -> bool:
        """Whether they are one answer."""
        return self.kind != "differs"


def rows_of(outcome: Outcome, ordered_by: int | None = None) -> Rows:
    """The rows of a statement that ran, as they are compared."""
    cells = list(zip(*outcome.glimpse, strict=True)) or [() for _ in outcome.columns]
    names = [column.name for column in outcome.columns]
    columns = tuple(
        Column(name, tuple(map(_canonical, held))) for name, held in zip(names, cells, strict=False)
    )
    complete = not outcome.more and len(outcome.glimpse) == outcome.rows
    digests = tuple(column.digest for column in outcome.columns)
    return Rows(columns, outcome.rows, complete, ordered_by, outcome.content_digest, digests)


def compare(left: Rows, right: Rows) -> Agreement:
    """How two results compare. It does not matter which is which."""
    if left.count != right.count:
        return Agreement("differs")
    if not left.count:
        return Agreement("same")
    if not (left.complete and right.complete):
        return Agreement(_by_digests(left, right))
    fewer, more = sorted((left, right), key=lambda one: len(one.columns))
    pairs = _matched(fewer, more)
    if pairs is None:
        return Agreement("differs")
    if fewer is right and len(left.columns) != len(right.columns):
        pairs = tuple(Pair(one.right, one.left, 1 / one.times) for one in pairs)
    if _reordered(left, right, pairs):
        return Agreement("differs", pairs, reordered=True)
    if any(one.times != 1.0 for one in pairs):
        return Agreement("scaled", pairs)
    return Agreement("same" if len(fewer.columns) == len(more.columns) else "subset", pairs)


def alike(left: Column, right: Column, times: float = 1.0) -> bool:
    """Whether two columns hold the same values, each as often, the right one `times` the left."""
    if left.numbers != right.numbers or len(left.cells) != len(right.cells):
        return False
    near = _nearness(left, right, times)
    pairs = zip(left.sorted, right.sorted, strict=True)
    return all(_equal(a, b, near, times) for a, b in pairs)


def _by_digests(left: Rows, right: Rows) -> Kind:
    """Of more rows than are in sight: by the digests of rows, or of the columns of one."""
    if left.digest and left.digest == right.digest:
        return "same"
    a, b = sorted((set(left.digests) - {""}, set(right.digests) - {""}), key=len)
    return "subset" if a and a < b else "differs"


def _matched(fewer: Rows, more: Rows) -> tuple[Pair, ...] | None:
    """A column of the other result for each of one, so that the rows are the same too."""
    choices = [list(_choices(place, column, more)) for place, column in enumerate(fewer.columns)]
    if not all(choices):
        return None
    tried = 0
    waiting: list[tuple[Pair, ...]] = [()]
    while waiting and tried < _MOST_TRIED:
        tried += 1
        pairs = waiting.pop()
        if len(pairs) == len(choices):
            if _same_rows(fewer, more, pairs):
                return pairs
            continue
        used = {one.right for one in pairs}
        fitting = [one for one in choices[len(pairs)] if one.right not in used]
        waiting += [(*pairs, one) for one in reversed(fitting)]
    return None


def _choices(place: int, column: Column, others: Rows) -> Iterator[Pair]:
    """Columns that hold the same: first that of the same name, as they are before scaled."""
    places = sorted(
        range(len(others.columns)), key=lambda at: others.columns[at].name != column.name
    )
    for times in (1.0, _PER_CENT, 1 / _PER_CENT):
        if times != 1.0 and not (column.numbers and any(column.cells)):
            return
        for at in places:
            if alike(column, others.columns[at], times):
                yield Pair(place, at, times)


def _same_rows(left: Rows, right: Rows, pairs: Sequence[Pair]) -> bool:
    """Whether each row of one has one of its own in the other."""
    ours, theirs = left.columns, right.columns
    near = [_nearness(ours[one.left], theirs[one.right], one.times) for one in pairs]
    exact = [n for n, one in enumerate(pairs) if not ours[one.left].numbers]
    loose = [n for n in range(len(pairs)) if n not in exact]
    first = _grouped([[row[p.left] for p in pairs] for row in left.rows], exact, loose)
    second = _grouped([[row[p.right] for p in pairs] for row in right.rows], exact, loose)
    if first.keys() != second.keys():
        return False

    def fit(a: list[Cell], b: list[Cell]) -> bool:
        return all(
            _equal(x, y, near[n], pairs[n].times) for n, x, y in zip(loose, a, b, strict=True)
        )

    return all(_paired(rows, second[key], fit) for key, rows in first.items())


def _grouped(
    rows: Sequence[Sequence[Cell]], exact: Sequence[int], loose: Sequence[int]
) -> dict[tuple[Cell, ...], list[list[Cell]]]:
    """The numbers of rows by what else they hold, in one order."""
    found: dict[tuple[Cell, ...], list[list[Cell]]] = defaultdict(list)
    for row in rows:
        found[tuple(row[n] for n in exact)].append([row[n] for n in loose])
    for each in found.values():
        each.sort(key=lambda cells: [_place(cell) for cell in cells])
    return found


def _paired(
    left: list[list[Cell]],
    right: list[list[Cell]],
    fit: Callable[[list[Cell], list[Cell]], bool],
) -> bool:
    if len(left) != len(right):
        return False
    if all(map(fit, left, right)):
        return True
    free = list(right)  # rounding may have changed the order
    for one in left:
        found = next((at for at, other in enumerate(free) if fit(one, other)), None)
        if found is None:
            return False
        del free[found]
    return True


def _reordered(left: Rows, right: Rows, pairs: Sequence[Pair]) -> bool:
    """Whether both ask for an order by the same column, and not for the same order."""
    by = next((p for p in pairs if (p.left, p.right) == (left.ordered_by, right.ordered_by)), None)
    if by is None:
        return False
    ours, theirs = left.columns[by.left], right.columns[by.right]
    near = _nearness(ours, theirs, by.times)
    return not all(
        _equal(a, b, near, by.times) for a, b in zip(ours.cells, theirs.cells, strict=True)
    )


def _nearness(left: Column, right: Column, times: float) -> float:
    """How far numbers may lie apart because one column was rounded; 0 where neither was, or where
    so few digits are left that they might be other numbers."""
    if not (left.numbers and right.numbers):
        return 0.0
    shift = round(math.log10(times))
    ours, theirs = max(left.decimals - shift, 0), right.decimals
    if ours == theirs:
        return 0.0
    coarse, decimals = (left, ours) if ours < theirs else (right, theirs)
    scale = 10.0**decimals * (times if coarse is left else 1.0)
    held = [abs(cell) * scale for cell in coarse.cells if isinstance(cell, float)]
    digits = sum(math.log10(one) for one in held if one > 1)
    return 0.5000001 * 10.0**-decimals if digits >= _ENOUGH_DIGITS else 0.0


def _equal(left: Cell, right: Cell, near: float, times: float) -> bool:
    if not (isinstance(left, float) and isinstance(right, float)):
        return left == right
    ours = left * times
    if near == 0.0 and ours.is_integer() and right.is_integer():
        return ours == right
    return abs(ours - right) <= max(near, _ALIKE * max(abs(ours), abs(right)))


def _canonical(value: Value) -> Cell:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | int | float):
        return float(value)
    if isinstance(value, datetime):
        return value.date() if value.time() == time() else value
    return value


def _place(cell: Cell) -> tuple[int, float, str]:
    """Where a cell stands among others of any kind."""
    if cell is None:
        return (0, 0.0, "")
    if isinstance(cell, float):
        return (1, cell, "")
    return (2, 0.0, cell if isinstance(cell, str) else cell.isoformat())


def _decimals(number: float) -> int:
    if not math.isfinite(number) or number.is_integer():
        return 0
    exponent = Decimal(repr(number)).as_tuple().exponent
    return min(max(-exponent, 0), _MOST_DECIMALS) if isinstance(exponent, int) else 0
