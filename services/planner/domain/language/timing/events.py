"""Dates by what they say happened: "shipment" is the shipped date, "ordering" the order date."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.lexicon.normalise import (
    name_words,
    readable,
    stem,
    tokenise,
)

DATE_TYPES = (DataType.DATE, DataType.DATETIME)
_SHORTEST = 4
_WHEN = frozenset(stem(w) for w in "date time datetime timestamp day at on of when actual".split())
_FILLERS = frozenset(
    """the a an its their his her it they he she date time day of was were is are been being be get
    gets actual actually got having has have until""".split()
)
_ROOTS = {"paid": "pay", "payment": "pay", "sent": "send", "sold": "sell", "dispatch": "dispatch"}
_PLANNED = frozenset(
    stem(w)
    for w in """required due deadline promised expected planned scheduled estimated target
    projected""".split()
)
_OPENING = frozenset(
    stem(w)
    for w in """order ordered placed created made opened reported requested received registered
    arrived start started begin began from log submitted invoice purchase purchased sale hired
    booked issued""".split()
)
_CLOSING = frozenset(
    stem(w)
    for w in """end ended to until finish finished close closed left leave departed completed
    terminated resolved""".split()
)
_NO_EVENT = frozenset(stem(w) for w in "birth born dob updated modified changed expiry".split())


@dataclass(frozen=True, slots=True)
class Dated:
    """A column of dates and the words of its name that say what happened then."""

    table: Table
    column: Column
    words: frozenset[str]

    @property
    def planned(self) -> bool:
        """Whether the date says when something should be, not when it was."""
        return bool(self.words & _PLANNED)

    @property
    def opening(self) -> bool:
        """Whether things begin with it: they are ordered, opened, registered."""
        told = self.words - own_words(self)
        return not told or bool(told & _OPENING)

    @property
    def closing(self) -> bool:
        """Whether things end with it: they are closed, left, or over."""
        return bool(self.words & _CLOSING)

    @property
    def said(self) -> str:
        """The column's name for people."""
        return readable(self.column.name)


def dates_of(table: Table) -> list[Dated]:
    """The dates of a table's rows at which something happened, or should."""
    found = [
        Dated(table, column, frozenset(name_words(column.name)) - _WHEN)
        for column in table.columns
        if column.data_type in DATE_TYPES
    ]
    return [dated for dated in found if not dated.words & _NO_EVENT]


def spoken_tables(question: str, catalogue: Catalogue) -> list[Table]:
    """The tables with dates that a question names, and where it names none, all with dates."""
    said = {token.stem for token in tokenise(question)}
    dated = [t for t in catalogue.tables if any(c.data_type in DATE_TYPES for c in t.columns)]
    return [t for t in dated if set(name_words(t.name)) <= said] or dated


def date_called(phrase: str, dates: Iterable[Dated]) -> Dated | None:
    """The one date that every word of a phrase speaks of; None for none or several."""
    wanted = [w for w in re.findall(r"\w+", phrase.lower()) if w not in _FILLERS]
    if not wanted:
        return None
    found = []
    for dated in dates:
        own = set(name_words(dated.table.name))
        least = [w for w in wanted if stem(w) not in own or _named(w, dated)]
        if least and all(_named(word, dated) for word in least):
            found.append(dated)
    closest = [d for d in found if len(d.words - own_words(d)) <= len(wanted)]
    certain = closest if len(found) > 1 else found
    actual = [d for d in certain if not d.planned]
    certain = actual if len(certain) > 1 and not _says_plan(wanted) else certain
    return certain[0] if len(certain) == 1 else None


def own_words(dated: Dated) -> frozenset[str]:
    """The words that a date shares with the name of its table."""
    return dated.words & frozenset(name_words(dated.table.name))


def alike(one: str, other: str) -> bool:
    """Whether two stems are of one word: "ship" and "shipment", "deliv" and "deliveri"."""
    one, other = _ROOTS.get(one, one), _ROOTS.get(other, other)
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _SHORTEST and long.startswith(short))


def _named(word: str, dated: Dated) -> bool:
    root = _ROOTS.get(word, stem(word))
    return any(alike(root, other) for other in dated.words)


def _says_plan(words: Sequence[str]) -> bool:
    return any(stem(word) in _PLANNED for word in words)


def start_for(end: Dated, dates: Iterable[Dated]) -> Dated | None:
    """The date with which the things began that came to that end; None where it is not plain."""
    others = [d for d in dates if d.table.name == end.table.name and d.column != end.column]
    others = [d for d in others if not d.planned]
    opening = [d for d in others if d.opening]
    certain = opening or others
    return certain[0] if len(certain) == 1 else None


def holds_times(dated: Dated) -> bool:
    """Whether times of the day are told too, by the ends of what is there."""
    ends = (dated.column.minimum or "", dated.column.maximum or "")
    return any(re.search(r"[T ]\d\d:(?!00:00)|[T ](?!00)\d\d:", end) is not None for end in ends)


def listed(dates: Sequence[Dated]) -> str:
    """The dates for people: "order date, shipped date"."""
    return ", ".join(dict.fromkeys(dated.said for dated in dates)) or "none"
