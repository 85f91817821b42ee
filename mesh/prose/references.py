"""References: which cells a shown number or word is from, as a small language without guesses.

f7.revenue                      the only cell of that column
f7.revenue[1997-12]             the row that 1997-12 names, by any column
f7.revenue[region=North, 1997]  the row that both name
f7.revenue[#1]                  the first row; #-1 is the last
sum(f7.revenue)                 also avg, median, min, max, count, rank(cell), abs
f7.revenue[1997] / f7.revenue[1996] - 1
f7.revenue[1996] -> f7.revenue[1997]         from one to the other, for "rose", "doubled"
f7.revenue[North] > f7.revenue[South]        also < >= <= = !=, all(…), any(…)
doubt f7.J01                    the words pass on what this check found
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from statistics import fmean, median
from typing import Any

from mesh.prose.frames import Cell, Frame

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[^\W\d]\w*)|\"(?P<quoted>[^\"]+)\""
    r"|(?P<sign>->|>=|<=|!=|[-+*/().,<>=])|\[(?P<selector>[^\]]*)\])"
)
_DEEPEST = 40
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": lambda one, other: bool(one > other),
    "<": lambda one, other: bool(one < other),
    ">=": lambda one, other: bool(one >= other),
    "<=": lambda one, other: bool(one <= other),
    "=": lambda one, other: bool(one == other),
    "!=": lambda one, other: bool(one != other),
}
_AGGREGATES: Mapping[str, Callable[[list[Any]], Any]] = {
    "sum": sum,
    "avg": fmean,
    "mean": fmean,
    "median": median,
    "min": min,
    "max": max,
    "count": len,
}


class UnreadableReference(ValueError):
    """A reference that names nothing, or several things; its words say which, and what to do."""


@dataclass(frozen=True)
class Value:
    """What a reference gives, with the cells that it is from.

    `picked` are those of them that brackets, or a frame of one row, chose. `cell` is set where it
    is one cell as it is. `change` is set where it is a difference, or a
    ratio less one, `ratio` where it divides. `pair` holds both ends of `->`, `sign` is that of a
    comparison. `column` holds a whole column's values.
    """

    value: Any
    cells: tuple[Cell, ...] = ()
    picked: tuple[Cell, ...] = ()
    cell: Cell | None = None
    change: bool = False
    ratio: bool = False
    pair: tuple[Value, Value] | None = None
    column: tuple[Any, ...] | None = None
    doubt: tuple[Frame, str] | None = None
    frame: Frame | None = None
    sign: str = ""


def evaluate(reference: str, frames: Mapping[str, Frame]) -> Value:
    """What a reference gives. Raises UnreadableReference."""
    if found := re.fullmatch(r"doubt\s+(\w+)\.(\w+)", reference):
        return _doubt(found[1], found[2], frames)
    reader = _Reader(_tokens(reference), frames)
    value = reader.whole()
    if value.column is not None:
        raise UnreadableReference(
            f"{reference} names a whole column of {len(value.column)} rows; name one row in "
            "brackets, or use sum(…), avg(…), min(…), max(…), count(…)"
        )
    return value


def _doubt(name: str, code: str, frames: Mapping[str, Frame]) -> Value:
    frame = _frame(name, frames)
    if code not in frame.doubts:
        has = ", ".join(frame.doubts) or "none"
        raise UnreadableReference(f"{name} has no doubt {code}; it has {has}")
    return Value(None, doubt=(frame, code), frame=frame)


def _frame(name: str, frames: Mapping[str, Frame]) -> Frame:
    if name not in frames:
        there = ", ".join(list(frames)[:8]) or "none"
        raise UnreadableReference(f"there is no frame {name}; there are {there}")
    return frames[name]


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnreadableReference(f"{text[at:].strip()!r} cannot be read in {text!r}")
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        at = match.end()
    return found


class _Reader:
    """Reads by recursive descent, from the loosest operator to the tightest."""

    def __init__(self, tokens: list[tuple[str, str]], frames: Mapping[str, Frame]) -> None:
        self._tokens, self._frames, self._at, self._deep = tokens, frames, 0, 0

    def whole(self) -> Value:
        value = self._comparison()
        if self._at < len(self._tokens):
            raise UnreadableReference(f"{self._tokens[self._at][1]!r} is not expected there")
        return value

    def _comparison(self) -> Value:
        left = self._sum()
        for sign in ("->", *sorted(COMPARISONS, key=len, reverse=True)):
            if self._takes(sign):
                right = self._sum()
                cells, picked = left.cells + right.cells, left.picked + right.picked
                frame = _frame_alone(left, right)
                if sign == "->":
                    return Value(None, cells, picked, pair=(left, right), frame=frame)
                compared = _compared(sign, left, right, cells)
                return replace(compared, picked=picked, sign=sign, frame=frame)
        return left

    def _sum(self) -> Value:
        value = self._product()
        while (sign := self._takes("+", "-")) is not None:
            value = _computed(sign, value, self._product())
        return value

    def _product(self) -> Value:
        value = self._factor()
        while (sign := self._takes("*", "/")) is not None:
            value = _computed(sign, value, self._factor())
        return value

    def _factor(self) -> Value:
        self._deep += 1
        if self._deep > _DEEPEST:
            raise UnreadableReference("it is nested too deeply")
        value = self._signed()
        self._deep -= 1
        return value

    def _signed(self) -> Value:
        if self._takes("-"):
            inner = self._factor()
            return replace(inner, value=-_number(inner), cell=None)
        if self._takes("("):
            value = self._comparison()
            self._wants(")")
            return value
        kind, text = self._next()
        if kind == "number":
            return Value(Decimal(text) if "." in text else int(text))
        if kind != "name":
            raise UnreadableReference(f"{text!r} is not expected there; a frame's name is")
        if self._takes("("):
            return self._call(text)
        return self._cell(text)

    def _call(self, name: str) -> Value:
        inner = self._comparison()
        self._wants(")")
        if name == "rank":
            return _rank(inner)
        if name == "abs":
            return replace(inner, value=abs(_number(inner)), cell=None)
        if name in ("all", "any") and inner.column is not None:
            return Value((all if name == "all" else any)(inner.column), inner.cells, inner.picked)
        if name not in _AGGREGATES:
            there = ", ".join([*_AGGREGATES, "rank", "abs", "all", "any"])
            raise UnreadableReference(f"there is no function {name}; there are {there}")
        if name == "count" and inner.frame is not None and inner.column is None:
            return Value(inner.frame.rows, frame=inner.frame)
        values = [one for one in inner.column or (inner.value,) if one is not None]
        if not values:
            raise UnreadableReference(f"{name}(…) of nothing")
        return Value(_AGGREGATES[name](values), inner.cells, frame=inner.frame)

    def _cell(self, name: str) -> Value:
        frame = _frame(name, self._frames)
        if not self._takes("."):
            if self._peek("selector") is not None:
                raise UnreadableReference(f"{name}[…] names no column: write {name}.COLUMN[…]")
            return Value(None, frame=frame)
        kind, column = self._next()
        if kind not in ("name", "quoted", "number"):
            raise UnreadableReference(f"after {name}. comes a column's name")
        column = _column(frame, column)
        selector = self._peek("selector")
        if selector is None and frame.rows != 1:
            values = tuple(frame.values[column])
            cells = tuple(Cell(frame, column, row) for row in range(frame.rows))
            return Value(None, cells, column=values, frame=frame)
        row = 0 if selector is None else _row(frame, selector, column)
        if selector is not None:
            self._at += 1
        cell = Cell(frame, column, row)
        return Value(cell.value, (cell,), (cell,), cell=cell, frame=frame)

    def _peek(self, kind: str) -> str | None:
        at = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
        return at[1] if at[0] == kind else None

    def _takes(self, *signs: str) -> str | None:
        if (sign := self._peek("sign")) in signs:
            self._at += 1
            return sign
        return None

    def _wants(self, sign: str) -> None:
        if self._takes(sign) is None:
            raise UnreadableReference(f"a {sign!r} is missing")

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise UnreadableReference("it ends too early")
        self._at += 1
        return self._tokens[self._at - 1]


def _column(frame: Frame, name: str) -> str:
    if name in frame.columns:
        return name
    alike = [column for column in frame.columns if column.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    raise UnreadableReference(
        f"{frame.name} has no column {name}; it has {', '.join(list(frame.columns)[:12])}"
    )


def _row(frame: Frame, selector: str, column: str) -> int:
    wanted = [part.strip().strip("\"'") for part in selector.split(",")]
    if len(wanted) == 1 and (found := re.fullmatch(r"#(-?\d+)", wanted[0])):
        place = int(found[1])
        row = place - 1 if place > 0 else frame.rows + place
        if place == 0 or not 0 <= row < frame.rows:
            raise UnreadableReference(f"{frame.name} has {frame.rows} rows, and no row {wanted[0]}")
        return row
    rows = [
        row for row in range(frame.rows) if all(_names(frame, row, part, column) for part in wanted)
    ]
    if len(rows) == 1:
        return rows[0]
    if not rows:
        raise UnreadableReference(
            f"no row of {frame.name} is {selector}; {_examples(frame, column)}"
        )
    raise UnreadableReference(
        f"{len(rows)} rows of {frame.name} are {selector}: name one by more columns, as in "
        f"[{frame.columns[0]}=…, {frame.columns[-1]}=…]"
    )


def _names(frame: Frame, row: int, part: str, column: str) -> bool:
    name, sign, text = part.partition("=")
    if sign:
        return _is_called(
            frame.values[_column(frame, name.strip())][row], text.strip().strip("\"'")
        )
    others = [each for each in frame.columns if each != column and each in frame.labels]
    return any(_is_called(frame.values[each][row], part) for each in others)


def _is_called(value: Any, text: str) -> bool:
    if value is None:
        return text.casefold() in ("null", "(missing)")
    plain = value.isoformat() if isinstance(value, date) else str(value)
    if isinstance(value, date):
        return plain.startswith(text) and len(text) >= 4
    return plain.casefold() == text.casefold()


def _examples(frame: Frame, column: str) -> str:
    names = [name for name in frame.labels if name != column]
    if not names:
        return f"name one by its place, [#1] to [#{frame.rows}]"
    told = {
        name: [value for value in frame.values[name] if value not in (None, "")] for name in names
    }
    name = max(names, key=lambda each: len(set(map(str, told[each]))))
    some = ", ".join(map(str, told[name][:4]))
    return f"{name} is {some}{' …' if len(told[name]) > 4 else ''}"


def _number(value: Value) -> Any:
    found = value.value
    if value.column is not None:
        raise UnreadableReference(
            "a whole column cannot be reckoned with; name one row in brackets"
        )
    if isinstance(found, bool) or not isinstance(found, int | float | Decimal):
        raise UnreadableReference(f"{found!r} is no number")
    return float(found) if isinstance(found, Decimal) else found


def _computed(sign: str, left: Value, right: Value) -> Value:
    one, other, cells = _number(left), _number(right), left.cells + right.cells
    if sign == "/" and other == 0:
        raise UnreadableReference("it divides by zero")
    result = {"+": lambda: one + other, "-": lambda: one - other, "*": lambda: one * other}.get(
        sign, lambda: one / other
    )()
    return Value(
        result,
        cells,
        left.picked + right.picked,
        change=sign == "-" or (sign in "*/" and (left.change or right.change)),
        ratio=sign == "/" or left.ratio or right.ratio,
        frame=_frame_alone(left, right),
    )


def _frame_alone(left: Value, right: Value) -> Frame | None:
    """The frame of what is reckoned from counts of rows, and so from no cell."""
    return None if left.cells or right.cells else left.frame or right.frame


def _compared(sign: str, left: Value, right: Value, cells: tuple[Cell, ...]) -> Value:
    if left.column is None:
        return Value(_holds(sign, left.value, right.value), cells)
    results = tuple(_holds(sign, one, right.value) for one in left.column if one is not None)
    return Value(None, cells, column=results)


def _holds(sign: str, one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        one, other = str(one), str(other)
    try:
        return COMPARISONS[sign](one, other)
    except TypeError as error:
        raise UnreadableReference(f"{one!r} and {other!r} cannot be compared") from error


def _rank(value: Value) -> Value:
    if value.cell is None:
        raise UnreadableReference("rank(…) takes one cell, as in rank(f1.revenue[North])")
    column: Sequence[Any] = value.cell.frame.values[value.cell.column]
    higher = sum(1 for each in column if each is not None and each > value.value)
    return Value(higher + 1, value.cells, value.picked, frame=value.cell.frame)
