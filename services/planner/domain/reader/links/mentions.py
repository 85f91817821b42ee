"""Spans of a question that may name columns and tables: every candidate, with how well it fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from services.planner.domain.catalogue import Table
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.names import likeness
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.words.tokens import Token, stem

_LEAST_WORD, _LEAST_START, _LEAST_COVERAGE = 0.3, 0.34, 0.3
_WIDEST, _WIDEST_GAP = 7, 2
_BRIDGES = frozenset("of the in for all a s each".split())
_LEAST_TABLE, _NEAR_RIVAL, _RAISED = 0.45, 0.02, 0.72
_CLOSED = re.compile(r"[^a-z0-9]")
_NAMES = frozenset(("name", "title"))


class Tie(StrEnum):
    """How a span came to a column."""

    NAME = "name"
    ADJECTIVE = "adjective"
    IMPLIED = "implied"  # by its table: "students" are shown by their names


@dataclass(frozen=True, slots=True)
class Mention:
    """Tokens `first` to `last` may name a column: `coverage` of its name, `quality` of words."""

    place: Place
    first: int
    last: int
    coverage: float
    quality: float
    tie: Tie
    words: int


@dataclass(frozen=True, slots=True)
class TableMention:
    """Tokens `first` to `last` may name a table."""

    table: Table
    first: int
    last: int
    coverage: float
    quality: float


@dataclass(frozen=True, slots=True)
class _Run:
    first: int
    last: int
    coverage: float
    quality: float
    words: int

    def within(self, other: _Run) -> bool:
        return other.first <= self.first and other.last >= self.last

    def beaten_by(self, other: _Run) -> bool:
        shorter = other.last - other.first < self.last - self.first
        return (
            self.within(other) and other is not self and (other.coverage > self.coverage + 1e-9)
        ) or (
            other.within(self) and other is not self and other.coverage >= self.coverage and shorter
        )


def link_names(tokens: Sequence[Token], schema: Schema) -> tuple[list[Mention], list[TableMention]]:
    """Mentions of columns and of tables, in the order of the question."""
    columns = _columns(tokens, schema)
    columns = _written_closed(tokens, schema, columns)
    columns += _shared_heads(tokens, schema)
    columns += _adjectives(tokens, schema, columns)
    tables = _tables(tokens, schema, columns)
    columns += _implied(schema, columns, tables)
    columns.sort(key=lambda m: (m.first, -m.coverage, m.place.index))
    return columns, tables


def _columns(tokens: Sequence[Token], schema: Schema) -> list[Mention]:
    return [
        Mention(place, run.first, run.last, run.coverage, run.quality, Tie.NAME, run.words)
        for place in schema.places
        for run in _runs(tokens, place.words, place.weights)
    ]


def _runs(
    tokens: Sequence[Token], words: tuple[str, ...], weights: tuple[float, ...]
) -> list[_Run]:
    """Where the words of a name stand close together, in any order."""
    like = [
        [0.0] * len(words)
        if token.quoted or token.mark
        else [likeness(token.lower, w) for w in words]
        for token in tokens
    ]
    found: list[_Run] = []
    for first, scores in enumerate(like):
        if max(scores) < _LEAST_START:
            continue
        run = _run(tokens, like, first, weights)
        if run.coverage >= _LEAST_COVERAGE:
            found.append(run)
    return [run for run in found if not any(run.beaten_by(other) for other in found)]


def _run(
    tokens: Sequence[Token], like: list[list[float]], first: int, weights: tuple[float, ...]
) -> _Run:
    used: dict[int, float] = {}
    last, gap, count = first, 0, 0
    for place in range(first, min(len(tokens), first + _WIDEST)):
        scores = [(s, k) for k, s in enumerate(like[place]) if k not in used and s > _LEAST_WORD]
        if scores:
            score, word = max(scores)
            used[word], last, gap, count = score, place, 0, count + 1
        elif tokens[place].lower in _BRIDGES and place > first and gap < _WIDEST_GAP:
            gap += 1
        else:
            break
        if len(used) == len(weights):
            break
    coverage = sum(weights[word] * score for word, score in used.items()) / sum(weights)
    return _Run(first, last, coverage, sum(used.values()) / len(used), count)


def _written_closed(
    tokens: Sequence[Token], schema: Schema, mentions: list[Mention]
) -> list[Mention]:
    """With columns whose names are said letter by letter: "pet type" and "PetType" alike."""
    for place in schema.places:
        name = _CLOSED.sub("", place.column.name.lower())
        if len(name) < 3:
            continue
        for first in range(len(tokens)):
            said = ""
            for last in range(first, min(len(tokens), first + 5)):
                said += _CLOSED.sub("", tokens[last].lower)
                if not name.startswith(said):
                    break
                if said == name:
                    mentions = [
                        m for m in mentions
                        if m.place is not place or m.first > last or m.last < first
                    ]  # fmt: skip
                    size = last - first + 1
                    mentions.append(Mention(place, first, last, 1.0, 1.0, Tie.NAME, size))
                    break
    return mentions


def _shared_heads(tokens: Sequence[Token], schema: Schema) -> list[Mention]:
    """The first of two columns whose last word is said once: "first and last name"."""
    found: list[Mention] = []
    for place in schema.places:
        if len(place.words) < 2:
            continue
        for first in range(len(tokens) - 3):
            if (
                tokens[first + 1].lower in ("and", "or")
                and likeness(tokens[first].lower, place.words[-2]) > 0.9
                and likeness(tokens[first + 3].lower, place.words[-1]) > 0.9
            ):
                found.append(Mention(place, first, first, 0.95, 0.95, Tie.NAME, 1))
    return found


def _adjectives(
    tokens: Sequence[Token], schema: Schema, mentions: Sequence[Mention]
) -> list[Mention]:
    taken = {(m.place.index, m.first) for m in mentions}
    found: list[Mention] = []
    for token in tokens:
        if token.lower not in ADJECTIVES:
            continue
        sign, columns = ADJECTIVES[token.lower]
        for place in schema.places:
            rank = next((n for n, word in enumerate(columns) if word in place.words), None)
            fits = rank is not None and not place.key and (place.number or place.time or sign == 0)
            if fits and rank is not None and (place.index, token.index) not in taken:
                at = token.index
                found.append(Mention(place, at, at, 0.6 - 0.08 * rank, 0.6, Tie.ADJECTIVE, 1))
    return found


def _tables(
    tokens: Sequence[Token], schema: Schema, columns: Sequence[Mention]
) -> list[TableMention]:
    found: list[TableMention] = []
    for table in schema.catalogue.tables:
        words = schema.table_words[table.name]
        for run in _runs(tokens, words, (1.0,) * len(words)):
            found.append(TableMention(table, run.first, run.last, run.coverage, run.quality))
    raised = [_raised(one, found, columns) for one in found]
    return [one for one in raised if one.coverage >= _LEAST_TABLE]


def _raised(
    one: TableMention, all_of: Sequence[TableMention], columns: Sequence[Mention]
) -> TableMention:
    """A part of a table's name that no other name fits better is as good as the name."""
    rival = max(o.coverage for o in all_of if o.first <= one.last and o.last >= one.first)
    named = any(m.first <= one.first and m.last >= one.last and m.coverage > 0.97 for m in columns)
    if one.coverage >= rival - _NEAR_RIVAL and one.coverage < _RAISED and one.quality > 0.6:
        if not named:
            return TableMention(one.table, one.first, one.last, _RAISED, one.quality)
    return one


def _implied(
    schema: Schema, columns: Sequence[Mention], tables: Sequence[TableMention]
) -> list[Mention]:
    """Things are shown by their names: "list the students"."""
    found: list[Mention] = []
    for said in tables:
        if said.coverage < 0.6:
            continue
        for place in schema.of_table(said.table.name):
            named = place.words[-1] in _NAMES and place.text
            if named and not any(
                m.place is place and m.first <= said.first <= m.last for m in columns
            ):
                found.append(Mention(place, said.first, said.last, 0.3, 0.5, Tie.IMPLIED, 0))
    return found


def stems(tokens: Sequence[Token]) -> list[str]:
    """The stems of all words."""
    return [stem(token.lower) for token in tokens]
