"""Which rows a superlative is asked of, and the place of a number among them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from mesh.prose.clauses import BoundValue, Clause
from mesh.prose.frames import Cell, Frame
from mesh.prose.labels import labels_named
from mesh.prose.references import UnreadableReference, evaluate
from mesh.prose.rules.comparisons import is_against_all, is_of_none, is_of_only
from mesh.prose.vocabulary import States
from mesh.prose.words import Word
from mesh.text.spelling import label_text

_TURNED = {States.MORE: States.HIGHEST, States.LESS: States.LOWEST}
LESS_IS_BETTER = re.compile(
    r"against|conceded|lost|loss|wait|churn|breach|bounce|cost|complain|error|fail|defect|delay"
    r"|late|missing|return|refund|frost|no2|pm\d|death|accident|injur|crime|absen|sick|expense|debt"
    r"|days_on|downtime|outage|waste|emission",
    re.IGNORECASE,
)
_QUALITY = re.compile(r"^(?:best|worst)$", re.IGNORECASE)
_KIND = re.compile(
    r"\s+(?:\w+(?:ful|able|ible|al|ous|ive|ic|ant|ent|ing|ed|ary|some|less|ile|ern|ite|ute)"
    r"|common|popular|frugal)\b(?!\s+(?:of|was|were|is)\b)",
    re.IGNORECASE,
)
_MUCH = re.compile(r"\s+(?:common|popular|valuable|expensive|frequent|numerous|profitable)\b", re.I)
_OTHER = {States.HIGHEST: States.LOWEST, States.LOWEST: States.HIGHEST}
_FALL = re.compile(
    r"\s+(?:\w+\s+)?(?:fall(?:er)?|drop|decline|decrease|loss|loser|slump|dip|reduction)s?\b", re.I
)
_FELL = re.compile(
    r"\b(?:f[ae]ll(?:en)?|declin|dropp?|decreas|los[te]|slid|slump|shr[aiu]nk|worsen)\w*\s+$", re.I
)
_CHANGE = re.compile(r"change|growth|diff|delta|gain|lift", re.IGNORECASE)
_APART = re.compile(
    r"\b(?:next to|apart from|aside from|except(?:ing| for)?|excluding|bar(?:ring)?|other than"
    r"|besides|leaving (?:aside|out)|not counting|without|after|behind|outside|beyond|but)\s+"
    r"(?:for\s+)?([^,;:.(]{2,60})",
    re.IGNORECASE,
)
_APART_IN_TIME = re.compile(r"(?:after|behind|outside|beyond|but|without|besides)\b", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:earlier|previous|before|so far|until then|up to then|yet|record)\b", re.IGNORECASE
)
_SCOPE = r"\b(?:in|of|for|within|among|at|on) (?:the )?"
_SINCE = re.compile(r"\bsince\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Column:
    """A value, those of all rows by their number, and how a row is called.

    `cell` is set where the value is one, so that parts of its frame may be chosen.
    """

    value: float
    rows: dict[int, float]
    names: dict[int, str]
    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A place from 1, how many rows share its value, and the row that is first with its value."""

    at: int
    equals: int
    first: str
    most: float


def as_extreme(clause: Clause, word: Word) -> Word:
    """A comparison with every other as the superlative that it is: "less than any other".

    "Only X has fewer than Y" says that Y is second; "most frugal" that it is at either end.
    """
    behind = clause.prose[word.end :]
    if word.text.casefold() in ("most", "least") and word.states is not States.MAJORITY:
        kind = _KIND.match(behind) is not None and _MUCH.match(behind) is None
        return replace(word, states=States.EXTREME) if kind else word
    if word.states in (States.HIGHEST, States.LOWEST) and _FALL.match(behind):
        return replace(word, states=_OTHER[word.states]) if _is_change(clause) else word
    if word.states is States.AS and is_of_none(clause, word):
        states = States.LOWEST if _FELL.search(clause.prose[: word.start]) else States.HIGHEST
        return replace(word, states=states, negated=False)
    if word.states not in _TURNED:
        return word
    if is_against_all(clause, word):
        none = is_of_none(clause, word)
        states = _TURNED[word.states]
        if none and _FELL.search(clause.prose[: word.start]) and _is_change(clause):
            states = _OTHER[states]
        return replace(word, states=states, negated=word.negated and not none)
    if is_of_only(clause, word):
        return replace(word, states=_TURNED[word.states], rank=2)
    return word


def _is_change(clause: Clause) -> bool:
    """Whether its numbers are changes, of which a fall is less than nothing."""
    cells = [cell for one in clause.values for cell in one.value.picked]
    return any(_CHANGE.search(cell.column) for cell in cells)


def ends_of(word: Word, column: Column) -> list[States]:
    """Which ends of a column a word may be of: "best" is the lowest where less is better."""
    if word.states is States.EXTREME:
        return [States.HIGHEST, States.LOWEST]
    if (
        _QUALITY.match(word.text)
        and column.cell is not None
        and LESS_IS_BETTER.search(column.cell.column)
    ):
        return [States.LOWEST if word.states is States.HIGHEST else States.HIGHEST]
    return [word.states]


def compared_rows(one: BoundValue) -> Column | None:
    """What a number may be compared with: its column, or the same reckoning for other rows."""
    if not isinstance(one.value.value, int | float):
        return None
    cell = one.value.cell
    if cell is None:
        return _with_shared_label(one)
    rows = {
        row: float(value)
        for row, value in enumerate(cell.frame.values[cell.column])
        if isinstance(value, int | float) and value == value
    }
    names = {row: _called(Cell(cell.frame, cell.column, row)) for row in rows}
    return Column(float(cell.value), rows, names, cell)


def parts_of(column: Column, clause: Clause, span: tuple[int, int]) -> Iterator[Column]:
    """Parts of its rows that the clause may mean: of the year it names, without what it sets
    apart, or up to the row itself."""
    cell = column.cell
    if cell is None:
        return
    said = " ".join([clause.sentence, clause.prose, *(one.bound.shown for one in clause.values)])
    for name in cell.frame.labels:
        values = cell.frame.values[name]
        own = values[cell.row]
        alike = {row for row in column.rows if values[row] == own}
        if 1 < len(alike) < len(column.rows) and (
            _year(own) is not None or re.search(rf"{_SCOPE}{re.escape(str(own))}(?!\w)", said, re.I)
        ):
            named = labels_named(said, cell.frame, name)
            if any(values[row] == own for row in named):
                yield _part(column, alike)
        if (year := _year(own)) and re.search(rf"\b{year}\b", said):
            yield _part(column, {row for row in column.rows if _year(values[row]) == year})
        yield from _in_time(column, name, said)
    for found in _APART.finditer(clause.prose):
        apart = _named(found[1], cell.frame)
        if not apart and not _APART_IN_TIME.match(found[0]):
            apart = {max(column.rows, key=lambda row: column.rows[row])}  # by another name
        if apart and cell.row not in apart:
            yield _part(column, set(column.rows) - apart)


def _in_time(column: Column, name: str, said: str) -> Iterator[Column]:
    """The rows up to its own, where "earlier" or "so far" is said, or those from one "since"."""
    assert column.cell is not None
    values = column.cell.frame.values[name]
    own = values[column.cell.row]
    if _year(own) is None:
        return
    times = {row: str(values[row]) for row in column.rows if values[row] is not None}
    if _EARLIER.search(said):
        yield _part(column, {row for row, time in times.items() if time <= str(own)})
    for found in _SINCE.finditer(said):
        since = _named(said[found.end() : found.end() + 20], column.cell.frame)
        first = min((times[row] for row in since if row in times), default="")
        if first:
            yield _part(column, {row for row, time in times.items() if time > first})


def place_of(column: Column, states: States) -> Place:
    """The place of its value, from the highest or the lowest."""
    sign = -1 if states is States.LOWEST else 1
    before = sum(1 for each in column.rows.values() if sign * each > sign * column.value)
    best = max(column.rows, key=lambda row: sign * column.rows[row])
    equals = sum(1 for each in column.rows.values() if each == column.value)
    return Place(before + 1, equals, column.names[best], column.rows[best])


def _part(column: Column, rows: set[int]) -> Column:
    """Fewer of its rows; the whole where one alone would be left."""
    kept = {row: value for row, value in column.rows.items() if row in rows}
    return replace(column, rows=kept) if len(kept) > 1 else column


def _named(text: str, frame: Frame) -> set[int]:
    """All rows that a text names by any column."""
    return {
        row
        for name in frame.labels
        for named in labels_named(text, frame, name)
        for row in range(frame.rows)
        if frame.values[name][row] == frame.values[name][named]
    }


def _year(value: Any) -> str | None:
    if isinstance(value, date):
        return str(value.year)
    found = re.match(r"(1[5-9]|2[01])\d\d(?=$|-)", str(value))
    return found[0] if found else None


def _with_shared_label(one: BoundValue) -> Column | None:
    """The same reckoning with the one label that its cells share put in for each other."""
    frames = {cell.frame.name: cell.frame for cell in one.value.picked}
    if len(frames) != 1:
        return None
    frame = next(iter(frames.values()))
    for column in frame.labels:
        own = {str(frame.values[column][cell.row]) for cell in one.value.picked}
        if len(own) != 1:
            continue
        label = next(iter(own))
        inside = re.compile(rf"(?<=[\[,=\s]){re.escape(label)}(?=[\],\s])")
        if not inside.search(one.bound.reference):
            continue
        names = list(dict.fromkeys(map(str, frame.values[column])))
        try:
            found = [evaluate(inside.sub(name, one.bound.reference), frames) for name in names]
        except UnreadableReference:
            return None
        rows = {row: float(value.value) for row, value in enumerate(found)}
        return Column(float(one.value.value), rows, dict(enumerate(names)))
    return None


def _called(cell: Cell) -> str:
    """The row of a cell by its labels."""
    names = [name for name in cell.frame.labels if name != cell.column]
    texts = [label_text(cell.frame.values[name][cell.row]) for name in names[:2]]
    return ", ".join(texts) or f"row {cell.row + 1}"
