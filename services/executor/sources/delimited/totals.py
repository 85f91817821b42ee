"""Rows that add up others: told by what they are called and by their numbers being the sums."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate

from mesh.text.total_labels import is_called_total, may_hold_totals
from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.measures_below import measures_below
from services.executor.sources.delimited.numbers import COMMA, POINT, Style, number_in, rounded

_MOST_LABELLED = 2_000  # beyond, the word is a name that many rows have
_FEWEST_RIGHT = 0.5  # of the numbers of a row that adds up others; the rest are means and prices


def totals_among(rows: Sequence[Row]) -> list[Row]:
    """The rows of a table that are called totals and whose numbers are sums of rows beside them,
    where that holds of all that are called the same; those that say the word and nothing else, if
    nothing comes after them; and at the end means and the like of the rows above."""
    added = [*_summed(rows), *_closing(rows)]
    gone = {row.line for row in added}
    return [*added, *measures_below([row for row in rows if row.line not in gone])]


def _closing(rows: Sequence[Row]) -> list[Row]:
    """A last row of several cells that is called a total and has nothing in its other cells."""
    last = rows[-1] if len(rows) > 1 else None
    texts = [cell.strip() for cell in last.cells if cell.strip()] if last is not None else []
    bare = last is not None and len(last.cells) > 1 and len(texts) == 1
    return [last] if bare and last is not None and is_called_total(texts[0]) else []


def _summed(rows: Sequence[Row]) -> list[Row]:
    called = {place: label for place, row in enumerate(rows) if (label := _label(row))}
    if not called or len(called) > _MOST_LABELLED or len(called) == len(rows):
        return []
    sound: dict[str, list[bool]] = defaultdict(list)
    point = _Sums(rows, called, POINT)
    comma = _Sums(rows, called, COMMA)
    for place, label in called.items():
        sound[label].append(point.adds_up(place) or comma.adds_up(place))
    return [rows[place] for place, label in called.items() if all(sound[label])]


def _label(row: Row) -> str:
    """What a row is called, where that says that it adds up others."""
    if not may_hold_totals(" ".join(row.cells)):
        return ""
    texts = [cell.strip() for cell in row.cells]
    found = next((text for text in texts if text and is_called_total(text)), "")
    return found if len([text for text in texts if text]) > 1 else ""


class _Sums:
    """The numbers of a table, read in one style, and their sums from any row to any."""

    def __init__(self, rows: Sequence[Row], called: dict[int, str], style: Style) -> None:
        self._rows, self._style = rows, style
        self._called, self._edges = called, sorted(called)
        self._known: dict[int, list[float]] = {}

    def _sums(self, column: int) -> list[float]:
        """The sums of a column from the first row on, without those that add up others."""
        if column not in self._known:
            values = (
                0.0 if place in self._called else self._at(row.cells, column)
                for place, row in enumerate(self._rows)
            )
            self._known[column] = list(accumulate(values, initial=0.0))
        return self._known[column]

    def _at(self, cells: Sequence[str], column: int) -> float:
        return (number_in(cells[column], self._style) or 0.0) if column < len(cells) else 0.0

    def adds_up(self, place: int) -> bool:
        """Whether at least half of a row's numbers are the sums of one run of rows that ends above
        it, or begins below."""
        written = {
            column: (cell, value)
            for column, cell in enumerate(self._rows[place].cells)
            if (value := number_in(cell, self._style)) is not None
        }
        if not written:
            return False
        for first, last in self._runs(place):
            right = [
                math.isclose(
                    self._sums(column)[last] - self._sums(column)[first],
                    value,
                    rel_tol=1e-6,
                    abs_tol=rounded(cell, self._style),
                )
                for column, (cell, value) in written.items()
            ]
            some = any(
                one and value for one, (_, value) in zip(right, written.values(), strict=True)
            )
            if some and sum(right) >= _FEWEST_RIGHT * len(right):
                return True
        return False

    def _runs(self, place: int) -> Iterator[tuple[int, int]]:
        for edge in reversed([-1, *(edge for edge in self._edges if edge < place)]):
            yield edge + 1, place
        for edge in [*(edge for edge in self._edges if edge > place), len(self._rows)]:
            yield place + 1, edge
