"""Whether cells bear out what is stated of them: one function a kind of assertion. Pure.

Of two that compare, one is told from the other by the frame's own values. A number that is null or
not finite is in no order: rows without one are not compared, nor those without a name where the
assertion says which column names them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from mesh import effect, movement, tidy
from mesh.assertions import COLUMN, NAME, NUMBER, Known, Span, Stated, same_number
from mesh.wording import tokens

_CLOSE = 1e-6


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


def finite(value: Any) -> bool:
    """Whether a value is a number that others can be compared with."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return math.isfinite(value)


def compared(stated: Stated, known: Known) -> dict[int, Any]:
    """The values that are compared, by row: finite, and named unless no row is."""
    values = known.column(stated.frame_digest, stated.columns[0])
    usable = {row: value for row, value in enumerate(values) if finite(value)}
    if stated.by:
        names = known.column(stated.frame_digest, stated.by)
        named = {row: usable[row] for row in usable if names[row] not in (None, "")}
        return named or usable
    return usable


def _claimed(span: Span, known: Known) -> list[tuple[str, int, str]]:
    claims = [known.claims[piece.stated.claim_id] for piece, _ in span.of(NUMBER)]
    return [(claim.frame_digest, claim.row, claim.column) for claim in claims]


def _named_rows(span: Span, digest: str) -> list[int]:
    """The rows of a frame that are named, in order; several cells may name one row."""
    names = [p.stated.rows[0] for p, _ in span.of(NAME) if p.stated.frame_digest == digest]
    return list(dict.fromkeys(names))


def _unrelated(stated: Stated, span: Span) -> str | None:
    """A column that is named in the words, and is not one that the assertion is about."""
    if not stated.columns:
        return None
    about = [*stated.columns, stated.by, stated.of_column]
    about += [column for piece, _ in span.of(NAME) for column in piece.stated.columns]
    words = frozenset(token for column in about for token in tokens(column))
    for _, said in span.of(COLUMN):
        if not tokens(said) <= words:
            return f"it is about {stated.columns[0]}, not {said!r}"
    return None


def _cells_only(stated: Stated, span: Span, known: Known, *, named: bool) -> str | None:
    """Numbers and names in the words are of the rows that are stated, and of no other.

    A share may be cited from a frame of its own, where a row bears the same name.
    """
    names = [known.cell(p.stated.frame_digest, p.stated.rows[0], p.stated.columns[0])
             for p, _ in span.of(NAME)]  # fmt: skip
    for digest, row, column in _claimed(span, known):
        if digest == stated.frame_digest and row in stated.rows:
            continue
        frame = known.frames[digest]
        labels = [frame.column(name)[row].as_py() for name in frame.column_names]
        if digest != stated.frame_digest and any(name in labels for name in names):
            continue
        return f"row {row} of column {column!r} is another's number"
    found = _named_rows(span, stated.frame_digest)
    if any(p.stated.frame_digest != stated.frame_digest for p, _ in span.of(NAME)) or not set(
        found
    ) <= set(stated.rows):
        return "it names another row than it is stated of"
    return "it does not name its rows" if named and set(found) != set(stated.rows) else None


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
        return _cells_only(stated, span, known, named=not shared)

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
    named = _named_rows(span, stated.frame_digest)
    if not named or named != list(stated.rows)[-len(named) :]:
        return "the rows are not named in their order"
    return _cells_only(stated, span, known, named=False)


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
        claimed = _claimed(span, known)
        if claimed != wanted[: len(claimed)] or len(claimed) < 2:
            return "its numbers are not those two, the earlier first"
        names = _named_rows(span, stated.frame_digest)
        if len(cells) == 2 and names and names != [row for row, _ in cells]:
            return "its times are not those of its numbers"
        return _gap_fault(values) or _periods_fault(stated, span) or _ends_fault(stated, known)

    return check


def _gap_fault(values: Sequence[Any]) -> str | None:
    """Whether the difference and the growth that are told beside two numbers are theirs."""
    if len(values) < 4:
        return None
    (before, after), (change, growth) = map(float, values[:2]), values[2:]
    if not _close(after - before, change):
        return "its difference is another"
    fits = growth is None or (before and _close((after - before) / before, growth))
    return None if fits else "its growth is another"


def _periods_fault(stated: Stated, span: Span) -> str | None:
    """Columns that are named apart, such as periods, stand in the order of their numbers."""
    columns = [tokens(column) for column in stated.columns]
    if len(columns) < 2:
        return None
    only = [columns[0] - columns[1], columns[1] - columns[0]]
    order = [place for _, said in span.of(COLUMN) for place in (0, 1) if tokens(said) & only[place]]
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
        return _cells_only(stated, span, known, named=True)

    return check


def _same(stated: Stated, span: Span, known: Known) -> str | None:
    values = list(compared(stated, known).values())
    if not values or not all(same_number(value, values[0]) for value in values):
        return f"column {stated.columns[0]!r} holds several numbers"
    return _cells_only(stated, span, known, named=False)


def _none(stated: Stated, _: Span, known: Known) -> str | None:
    for column in stated.columns:
        if any(map(finite, known.column(stated.frame_digest, column))):
            return f"column {column!r} holds numbers"
    return None if stated.columns else "it names no column"


def _empty(stated: Stated, _: Span, known: Known) -> str | None:
    rows = known.frames[stated.frame_digest].num_rows
    return f"the frame has {rows:,} rows" if rows else None


def _value(stated: Stated, span: Span, known: Known) -> str | None:
    claimed = _claimed(span, known)
    if claimed != [(stated.frame_digest, *cell) for cell in stated.cells]:
        return "its numbers are other cells"
    names = _named_rows(span, stated.frame_digest)
    return None if set(names) <= set(stated.rows) else "it names another row"


def _total(stated: Stated, span: Span, known: Known) -> str | None:
    values = known.column(stated.of_digest, stated.of_column)
    total = known.cell(stated.frame_digest, stated.rows[0], stated.columns[0])
    if not _close(math.fsum(float(value) for value in values if value is not None), total):
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
    names = list(dict.fromkeys(_named_rows(span, stated.frame_digest)))
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
    if any(not tokens(said) <= about for _, said in span.of(COLUMN)):
        return "the correlation is of other columns"
    return _value(stated, Span(span.text, span.start, span.of(NUMBER)), known)


def _part(stated: Stated, span: Span, known: Known) -> str | None:
    """So many of so many, and what part of them that is: cells of one row in this order."""
    part, whole, share = (float(known.cell(stated.frame_digest, *cell)) for cell in stated.cells)
    if not 0 <= part <= whole or (whole and not _close(part / whole, share)):
        return "that is another part"
    return _value(stated, span, known)


def _curve(stated: Stated, span: Span, known: Known) -> str | None:
    """A share and the age it is of, again and again: each pair from one row."""
    claimed = _claimed(span, known)
    wanted = [
        (stated.frame_digest, row, column) for row in stated.rows for column in stated.columns
    ]
    return None if claimed == wanted else "its numbers are of other ages"


def _close(one: Any, other: Any) -> bool:
    if not finite(one) or not finite(other):
        return not finite(one) and not finite(other)
    return math.isclose(float(one), float(other), rel_tol=_CLOSE, abs_tol=_CLOSE)


def _too_long(stated: Stated, _: Span, known: Known) -> str | None:
    return None if known.frames[stated.frame_digest].num_rows else "the frame has no row"


# Their names stand in cells, and are checked with their numbers.
_TELL_THEIR_COLUMNS = frozenset(
    {
        "moved",
        "off_forecast",
        "usual",
        "explained",
        "at_fault",
        "effect",
        "estimate",
        "in_doubt",
        "contradicted",
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
    "rose": _direction(1),
    "fell": _direction(-1),
    "unchanged": _direction(0),
    "first": _end(False),
    "last": _end(True),
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
    "lacking": tidy.lacking,
    "missing_most": tidy.missing_most,
    "profile": tidy.profile,
    **movement.CHECKS,
    "effect": effect.effect,
    "estimate": effect.estimate,
}
