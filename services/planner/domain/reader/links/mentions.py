"""Spans of a question that may name columns and tables: every candidate, with how well it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from services.planner.domain.catalogue import Table
from services.planner.domain.lexicon.names import likeness
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.reader.links.acronyms import initials
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.links.spans import Run, runs
from services.planner.domain.semantics.kinds import is_headed
from services.planner.domain.semantics.units import unit_called

_WIDEST = 5
_LEAST_TABLE, _NEAR_RIVAL, _RAISED = 0.45, 0.02, 0.72
_CLOSED = re.compile(r"[^a-z0-9]")
_NAMES = frozenset(("name", "title"))
_STANDS_FOR = {
    "length": frozenset(("distance",)),
    "mass": frozenset(("weight", "mass")),
    "volume": frozenset(("volume",)),
    "energy": frozenset(("energy",)),
}
_WHOLE = 0.6
_WHOEVER = frozenset(("who", "that", "which", "have", "has"))
_IN_UNITS = frozenset(("in", "a", "an", "as"))
_SPELT_OUT = 3


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


def link_names(tokens: Sequence[Token], schema: Schema) -> tuple[list[Mention], list[TableMention]]:
    """Mentions of columns and of tables, in the order of the question."""
    columns = _without_what_it_is_of(_without_units(tokens, _columns(tokens, schema)))
    columns = _written_closed(tokens, schema, columns)
    columns += _shared_heads(tokens, schema)
    columns += _acronyms(tokens, schema)
    columns += _adjectives(tokens, schema, columns)
    columns += _measured_in(tokens, schema, columns)
    tables = _tables(tokens, schema, columns)
    columns += _implied(schema, columns, tables)
    columns.sort(key=lambda m: (m.first, -m.coverage, m.place.index))
    return columns, tables


def _columns(tokens: Sequence[Token], schema: Schema) -> list[Mention]:
    return [
        Mention(place, run.first, run.last, run.coverage, run.quality, Tie.NAME, run.words)
        for place in schema.places
        for run in _called(tokens, place.words, place.weights, place.synonyms)
    ]


def _without_units(tokens: Sequence[Token], mentions: Sequence[Mention]) -> list[Mention]:
    """Without columns of which only a unit is said: tenure "in months" is no monthly charge."""
    return [
        m
        for m in mentions
        if m.first != m.last
        or not m.first
        or tokens[m.first - 1].lower != "in"
        or m.coverage >= _WHOLE
        or unit_called(tokens[m.first].lower) is None
    ]


def _without_what_it_is_of(mentions: list[Mention]) -> list[Mention]:
    """Without columns that are only said to be of what another is called: "units" are a quantity,
    where there is one, and no unit price."""
    spans = {
        (m.first, m.last) for m in mentions if m.place.number and m.words >= len(m.place.words)
    }
    return [
        m
        for m in mentions
        if (m.first, m.last) not in spans
        or m.words >= len(m.place.words)
        or not is_headed(m.place.words)
    ]


def _called(
    tokens: Sequence[Token],
    words: tuple[str, ...],
    weights: tuple[float, ...],
    synonyms: Sequence[tuple[str, ...]],
) -> Iterator[Run]:
    """The best runs of a name; those of its synonyms too, each best where several overlap."""
    found = runs(tokens, words, weights)
    for synonym in synonyms:
        found += runs(tokens, synonym, (1.0,) * len(synonym))
    for at, run in enumerate(found):
        others = (other for i, other in enumerate(found) if i != at)
        same = any(other == run for other in found[:at])
        if not same and not any(run.beaten_by(other) for other in others):
            yield run


def _written_closed(
    tokens: Sequence[Token], schema: Schema, mentions: list[Mention]
) -> list[Mention]:
    """With columns whose names are said letter by letter: "pet type" and "PetType" alike."""
    for place in schema.places:
        name = _CLOSED.sub("", place.column.name.lower())
        if len(name) < 3:
            continue
        for first, last in _spelling(tokens, name):
            mentions = [
                m for m in mentions if m.place is not place or m.first > last or m.last < first
            ]
            size = last - first + 1
            mentions.append(Mention(place, first, last, 1.0, 1.0, Tie.NAME, size))
    return mentions


def _spelling(tokens: Sequence[Token], name: str) -> Iterator[tuple[int, int]]:
    """Where up to five tokens written together are the name."""
    for first in range(len(tokens)):
        text = ""
        for last in range(first, min(len(tokens), first + _WIDEST)):
            text += _CLOSED.sub("", tokens[last].lower)
            if not name.startswith(text):
                break
            if text == name:
                yield first, last
                break


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


def _acronyms(tokens: Sequence[Token], schema: Schema) -> list[Mention]:
    """Columns called by the initials of what is said: HR for "home runs"."""
    return [
        Mention(place, first, last, coverage, 0.6, Tie.NAME, len(place.column.name))
        for place in schema.places
        if place.number or place.column.name.isupper()
        for first, last, coverage in initials(tokens, place.column.name)
    ]


def _adjectives(
    tokens: Sequence[Token], schema: Schema, mentions: Sequence[Mention]
) -> list[Mention]:
    """Columns that a word like "oldest" speaks of, where they are not named there already."""
    taken = {(m.place.index, m.first) for m in mentions}
    found: list[Mention] = []
    for token in tokens:
        if token.lower not in ADJECTIVES or _left_away(tokens, token.index):
            continue
        sign, columns = ADJECTIVES[token.lower]
        for place in schema.places:
            rank = next((n for n, word in enumerate(columns) if word in place.words), None)
            fits = rank is not None and not place.key and (place.number or place.time or sign == 0)
            if fits and rank is not None and (place.index, token.index) not in taken:
                at = token.index
                found.append(Mention(place, at, at, 0.6 - 0.08 * rank, 0.6, Tie.ADJECTIVE, 1))
    return found


def _left_away(tokens: Sequence[Token], at: int) -> bool:
    """Whether "left" is what somebody did, and says nothing of what there is left."""
    return tokens[at].lower == "left" and at > 0 and tokens[at - 1].lower in _WHOEVER


def _measured_in(
    tokens: Sequence[Token], schema: Schema, mentions: Sequence[Mention]
) -> list[Mention]:
    """Columns that a unit stands for: "miles flown" of a distance, "kilos shipped" of a weight."""
    taken = {(m.place.index, m.first) for m in mentions}
    found: list[Mention] = []
    for token in tokens:
        unit = unit_called(token.lower)
        before = tokens[token.index - 1] if token.index else None
        if unit is None or unit.quantity not in _STANDS_FOR or len(token.lower) < _SPELT_OUT:
            continue
        if before is not None and (before.number is not None or before.lower in _IN_UNITS):
            continue  # "5 miles" compares, and "in miles" converts
        for place in schema.places:
            same = place.measure is unit
            named = place.measure is None and bool(_STANDS_FOR[unit.quantity] & {*place.words})
            fits = place.number and not place.key and (same or named)
            if fits and (place.index, token.index) not in taken:
                at = token.index
                found.append(Mention(place, at, at, 0.6, 0.6, Tie.ADJECTIVE, 1))
    return found


def _tables(
    tokens: Sequence[Token], schema: Schema, columns: Sequence[Mention]
) -> list[TableMention]:
    found: list[TableMention] = []
    for table in schema.catalogue.tables:
        words, synonyms = schema.table_words[table.name], schema.table_synonyms[table.name]
        for run in _called(tokens, words, (1.0,) * len(words), synonyms):
            found.append(TableMention(table, run.first, run.last, run.coverage, run.quality))
    raised = [_raised(one, found, columns) for one in found]
    return [one for one in raised if one.coverage >= _LEAST_TABLE]


def _raised(
    one: TableMention, all_of: Sequence[TableMention], columns: Sequence[Mention]
) -> TableMention:
    """A part of a table's name that no other name fits better is as good as the name."""
    rival = max(o.coverage for o in all_of if o.first <= one.last and o.last >= one.first)
    named = any(m.first <= one.first and m.last >= one.last and m.coverage > 0.97 for m in columns)
    best = rival - _NEAR_RIVAL <= one.coverage < _RAISED and one.quality > 0.6
    if named or not best:
        return one
    return TableMention(one.table, one.first, one.last, _RAISED, one.quality)


def _implied(
    schema: Schema, columns: Sequence[Mention], tables: Sequence[TableMention]
) -> list[Mention]:
    """Things are shown by their names: "list the students"."""
    found: list[Mention] = []
    for table_mention in tables:
        if table_mention.coverage < 0.6:
            continue
        for place in schema.of_table(table_mention.table.name):
            named = place.words[-1] in _NAMES and place.text
            if named and not any(
                m.place is place and m.first <= table_mention.first <= m.last for m in columns
            ):
                found.append(
                    Mention(
                        place, table_mention.first, table_mention.last, 0.3, 0.5, Tie.IMPLIED, 0
                    )
                )
    return found
