"""Whether cells bear out a course in time: what rose or fell, and what came first or last. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mesh.proof.assertions import COLUMN, Known, Span, Stated
from mesh.proof.named_cells import cells_only, claimed_cells, close, finite, named_rows
from mesh.proof.wording import tokens


def _direction(way: int) -> Callable[[Stated, Span, Known], str | None]:
    def check(stated: Stated, span: Span, known: Known) -> str | None:
        cells = stated.cells
        if len(cells) not in (2, 4):
            return "it names no two cells"
        values = [known.cell(stated.frame_digest, row, column) for row, column in cells]
        if (
            not all(map(finite, values[:2]))
            or (values[1] > values[0]) - (values[1] < values[0]) != way
        ):
            return f"the frame says {values[0]} and then {values[1]}"
        wanted = [(stated.frame_digest, *cell) for cell in cells]
        claimed = claimed_cells(span, known)
        if claimed != wanted[: len(claimed)] or len(claimed) < 2:
            return "its numbers are not those two, the earlier first"
        names = named_rows(span, stated.frame_digest)
        if len(cells) == 2 and names and names != [row for row, _ in cells]:
            return "its times are not those of its numbers"
        return _gap_fault(values) or _periods_fault(stated, span) or _ends_fault(stated, known)

    return check


def _gap_fault(values: Sequence[Any]) -> str | None:
    """Whether the difference and the growth that are told beside two numbers are theirs."""
    if len(values) < 4:
        return None
    (before, after), (change, growth) = map(float, values[:2]), values[2:]
    if not close(after - before, change):
        return "its difference is another"
    fits = growth is None or (before and close((after - before) / before, growth))
    return None if fits else "its growth is another"


def _periods_fault(stated: Stated, span: Span) -> str | None:
    """Columns that are named apart, such as periods, stand in the order of their numbers."""
    columns = [tokens(column) for column in stated.columns]
    if len(columns) < 2:
        return None
    only = [columns[0] - columns[1], columns[1] - columns[0]]
    order = [place for _, text in span.of(COLUMN) for place in (0, 1) if tokens(text) & only[place]]
    return None if order == sorted(order) else "its times are not those of its numbers"


def _ends_fault(stated: Stated, known: Known) -> str | None:
    if not stated.by:
        return None
    order = _in_time(stated, known)
    if [order[0], order[-1]] != list(stated.rows[:2]) and not stated.of_column:
        return "they are not the first and the last"
    return None


def _in_time(stated: Stated, known: Known) -> list[int]:
    """The rows that have a time and a number, the earliest first."""
    times = known.column(stated.frame_digest, stated.by)
    values = known.column(stated.frame_digest, stated.columns[0])
    rows = [row for row, value in enumerate(values) if finite(value) and times[row] is not None]
    return sorted(rows, key=lambda row: times[row])


def _end(last: bool) -> Callable[[Stated, Span, Known], str | None]:
    def check(stated: Stated, span: Span, known: Known) -> str | None:
        order = _in_time(stated, known)
        if list(stated.rows) != [order[-1 if last else 0]]:
            return f"it is not the {'last' if last else 'first'}"
        return cells_only(stated, span, known, named=True)

    return check


CHECKS: dict[str, Callable[[Stated, Span, Known], str | None]] = {
    "rose": _direction(1),
    "fell": _direction(-1),
    "unchanged": _direction(0),
    "first": _end(False),
    "last": _end(True),
}
