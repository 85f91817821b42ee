"""Whether cells bear out what is stated of them: one function a kind of assertion. Pure.

Of two that compare, one is told from the other by the frame's own values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mesh.proof import effects as effect
from mesh.proof import movements as movement
from mesh.proof import statistics as tidy
from mesh.proof import trends as course
from mesh.proof.assertions import COLUMN, NAME, NUMBER, Known, Span, Stated, same_number
from mesh.proof.named_cells import cells_only, claimed_cells, close, compared, finite, named_rows
from mesh.proof.wording import tokens


def statement_fault(stated: Stated, span: Span, known: Known) -> str | None:
    """Why the cells do not bear out what is stated in these words, or None.

    Raises KeyError for a frame, row or column that is not there.
    """
    if stated.kind not in _CHECKS:
        return f"there is no kind of assertion {stated.kind!r}"
    if not stated.frame_digest or not (stated.rows or stated.kind in _WITHOUT_ROWS):
        return "it names no cells"
    fault = _CHECKS[stated.kind](stated, span, known)
    return fault or (None if stated.kind in _TELL_THEIR_COLUMNS else _unrelated(stated, span))


def _unrelated(stated: Stated, span: Span) -> str | None:
    """A column that is named in the words, and is not one that the assertion is about."""
    if not stated.columns:
        return None
    about = [*stated.columns, stated.by, stated.of_column]
    about += [column for piece, _ in span.of(NAME) for column in piece.stated.columns]
    words = frozenset(token for column in about for token in tokens(column))
    for _, text in span.of(COLUMN):
        if not tokens(text) <= words:
            return f"it is about {stated.columns[0]}, not {text!r}"
    return None


def _extreme(
    high: bool, shared: bool, sign: int = 0
) -> Callable[[Stated, Span, Known], str | None]:
    def check(stated: Stated, span: Span, known: Known) -> str | None:
        values = compared(stated, known)
        best: Any = (max if high else min)(values.values(), default=None)
        rows = {row for row, value in values.items() if same_number(value, best)}
        which = "highest" if high else "lowest"
        if not set(stated.rows) <= rows:
            return f"it is not {which} in column {stated.columns[0]!r}"
        if not shared and set(stated.rows) != rows:
            return f"{len(rows)} rows are {which} in column {stated.columns[0]!r}"
        if shared and len(rows) < 2:
            return f"one row alone is {which} in column {stated.columns[0]!r}"
        if best * sign < 0:
            return f"column {stated.columns[0]!r} changed the other way there"
        return cells_only(stated, span, known, named=not shared)

    return check


def _following(stated: Stated, span: Span, known: Known) -> str | None:
    """`of_column` is "up" where the smallest comes first."""
    values = compared(stated, known)
    if not set(stated.rows) <= values.keys():
        return "a row of it has no number"
    sign = -1 if stated.of_column == "up" else 1
    listed = [values[row] * sign for row in stated.rows]
    rest = [value * sign for row, value in values.items() if row not in stated.rows]
    if listed != sorted(listed, reverse=True) or any(value > listed[-1] for value in rest):
        return f"this is not their order in column {stated.columns[0]!r}"
    named = named_rows(span, stated.frame_digest)
    if not named or named != list(stated.rows)[-len(named) :]:
        return "the rows are not named in their order"
    return cells_only(stated, span, known, named=False)


def _same(stated: Stated, span: Span, known: Known) -> str | None:
    values = list(compared(stated, known).values())
    if not values or not all(same_number(value, values[0]) for value in values):
        return f"column {stated.columns[0]!r} holds several numbers"
    return cells_only(stated, span, known, named=False)


def _none(stated: Stated, _: Span, known: Known) -> str | None:
    for column in stated.columns:
        if any(map(finite, known.column(stated.frame_digest, column))):
            return f"column {column!r} holds numbers"
    return None if stated.columns else "it names no column"


def _empty(stated: Stated, _: Span, known: Known) -> str | None:
    rows = known.frames[stated.frame_digest].num_rows
    return f"the frame has {rows:,} rows" if rows else None


def _value(stated: Stated, span: Span, known: Known) -> str | None:
    claimed = claimed_cells(span, known)
    if claimed != [(stated.frame_digest, *cell) for cell in stated.cells]:
        return "its numbers are other cells"
    names = named_rows(span, stated.frame_digest)
    return None if set(names) <= set(stated.rows) else "it names another row"


def _total(stated: Stated, span: Span, known: Known) -> str | None:
    values = known.column(stated.of_digest, stated.of_column)
    total = known.cell(stated.frame_digest, stated.rows[0], stated.columns[0])
    if not close(math.fsum(float(value) for value in values if value is not None), total):
        return f"column {stated.of_column!r} adds up to another number"
    return _value(stated, span, known)


def _counted(stated: Stated, span: Span, known: Known) -> str | None:
    count = known.cell(stated.frame_digest, stated.rows[0], stated.columns[0])
    rows = known.frames[stated.of_digest].num_rows
    return _value(stated, span, known) if count == rows else f"the frame has {rows:,} rows"


def _range(stated: Stated, span: Span, known: Known) -> str | None:
    """The ends of a column, or two facts that are those of the column they were worked out from."""
    values = [known.cell(stated.frame_digest, *cell) for cell in stated.cells]
    of = (stated.of_digest, stated.of_column) if stated.of_digest else None
    column = known.column(*(of or (stated.frame_digest, stated.columns[0])))
    numbers = [value for value in column if finite(value)]
    if not numbers or values != [min(numbers), max(numbers)]:
        return "they are not the ends"
    return _value(stated, span, known)


def _quartiles(stated: Stated, span: Span, known: Known) -> str | None:
    """The middle number and the ends of the middle half, of the column behind them."""
    values = [float(known.cell(stated.frame_digest, *cell)) for cell in stated.cells]
    numbers = [float(v) for v in known.column(stated.of_digest, stated.of_column) if finite(v)]
    for value, part in zip(values, (0.5, 0.25, 0.75), strict=True):
        below = sum(number <= value for number in numbers) + 1
        above = sum(number >= value for number in numbers) + 1
        if below < part * len(numbers) or above < (1 - part) * len(numbers):
            return "they do not part the numbers so"
    return _value(stated, span, known)


def _listed(stated: Stated, span: Span, known: Known) -> str | None:
    rows = known.frames[stated.frame_digest].num_rows
    names = list(dict.fromkeys(named_rows(span, stated.frame_digest)))
    if names != list(range(len(names))) or tuple(names) != stated.rows:
        return "these are not its first rows"
    return "there are others" if ("others" in span.text) != (rows > len(names)) else None


def _together(stated: Stated, span: Span, known: Known) -> str | None:
    """The share that several have together is the largest of those that add up on the way."""
    values = compared(stated, known)
    if not values or values.get(stated.rows[0]) != max(values.values()):
        return "it is not the share of all of them"
    return _value(stated, span, known)


def _related(stated: Stated, span: Span, known: Known) -> str | None:
    """How closely two numbers go together, by Cohen's bounds: 0.1 small, 0.3 medium, 0.5 large."""
    digest, [row] = stated.frame_digest, stated.rows
    value = float(known.cell(digest, row, "value"))
    size = abs(value)
    degree = "hardly" if size < 0.1 else "weakly" if size < 0.3 else "moderately"
    degree = "strongly" if size >= 0.5 else degree
    way = "related" if size < 0.1 else "rise" if value > 0 else "against"
    if known.cell(digest, row, "statistic") != "pearson":
        return "it is no correlation"
    if f" {degree}" not in span.text or f" {way} " not in f"{span.text} ":
        return f"the correlation is {value:.3g}"
    about = tokens(str(known.cell(digest, row, "column")))
    if any(not tokens(text) <= about for _, text in span.of(COLUMN)):
        return "the correlation is of other columns"
    return _value(stated, Span(span.text, span.start, span.of(NUMBER)), known)


def _part(stated: Stated, span: Span, known: Known) -> str | None:
    """So many of so many, and what part of them that is: cells of one row in this order."""
    part, whole, share = (float(known.cell(stated.frame_digest, *cell)) for cell in stated.cells)
    if not 0 <= part <= whole or (whole and not close(part / whole, share)):
        return "that is another part"
    return _value(stated, span, known)


def _curve(stated: Stated, span: Span, known: Known) -> str | None:
    """A share and the age it is of, again and again: each pair from one row."""
    claimed = claimed_cells(span, known)
    wanted = [
        (stated.frame_digest, row, column) for row in stated.rows for column in stated.columns
    ]
    return None if claimed == wanted else "its numbers are of other ages"


def _too_long(stated: Stated, _: Span, known: Known) -> str | None:
    return None if known.frames[stated.frame_digest].num_rows else "the frame has no row"


# Their names stand in cells, and are checked with their numbers.
_TELL_THEIR_COLUMNS = frozenset(
    {
        "profile",
        "missing_most",
        "related",
        "lacking",
        "statistic",
        "conclusion",
        "farthest",
    }
)
_WITHOUT_ROWS = frozenset({"none", "empty", "too_long", "listed", "none_stands_out"})
_CHECKS: dict[str, Callable[[Stated, Span, Known], str | None]] = {
    "highest": _extreme(True, False),
    "highest_shared": _extreme(True, True),
    "lowest": _extreme(False, False),
    "lowest_shared": _extreme(False, True),
    "rose_most": _extreme(True, False, 1),
    "fell_least": _extreme(True, False, -1),
    "rose_least": _extreme(False, False, 1),
    "fell_most": _extreme(False, False, -1),
    "following": _following,
    **course.CHECKS,
    "same": _same,
    "none": _none,
    "empty": _empty,
    "value": _value,
    "total": _total,
    "count": _counted,
    "range": _range,
    "quartiles": _quartiles,
    "listed": _listed,
    "together": _together,
    "related": _related,
    "part": _part,
    "curve": _curve,
    "too_long": _too_long,
    "statistic": tidy.statistic,
    "conclusion": tidy.conclusion,
    "farthest": tidy.farthest,
    "lacking": tidy.count_missing,
    "missing_most": tidy.missing_most,
    "profile": tidy.profile,
    **movement.CHECKS,
    "effect": effect.effect,
    "estimate": effect.estimate,
}
