"""A question with all that was linked and found in it, before anything is chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS, STRESSED
from services.planner.domain.lexicon.tokens import Token, loud, standing_as_names, stem
from services.planner.domain.query.defining.terms import Definition, references
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.reader.grammar import chart_words
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.mentions import Mention, TableMention, Tie
from services.planner.domain.reader.links.respelt import Respelt
from services.planner.domain.reader.links.scales import Scale
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.links.values import ValueLink
from services.planner.domain.reader.times.dates import main_date
from services.planner.domain.reader.times.placed_spans import (
    PlacedSpan,
    passing_words,
    placed_spans,
)

_FAR = 99
_SURE_NAME, _NAMED, _LIKELY, _IN_A_VALUE = 0.95, 0.8, 0.7, 0.8
_COUNTED = re.compile(r"(?:number|numbers|many|count|share)(?: of)?(?: the)?(?: different)? (\w+)")
_NEGATED = re.compile(r"\b(not|no|never|other than|except|without|!=|excluding|outside)\b")


@dataclass(frozen=True, eq=False)
class Scene:
    """The question's words and their candidates; `charted` where a chart is asked for.

    `scales` are the columns with an order of their own, by their index, `respelt` the words that
    the question spells otherwise, `definitions` the columns that the question defines.
    """

    question: str
    tokens: Sequence[Token]
    schema: Schema
    mentions: Sequence[Mention]
    tables: Sequence[TableMention]
    values: Sequence[ValueLink]
    today: date
    scales: Mapping[int, Scale] = field(default_factory=dict[int, Scale])
    respelt: tuple[Respelt, ...] = ()
    definitions: tuple[Definition, ...] = ()

    @cached_property
    def words(self) -> Words:
        """The text that rules are matched against; words of times that pass match none."""
        return Words(self.tokens, self.passing)

    @cached_property
    def spans(self) -> list[PlacedSpan]:
        """The spans of time that are said."""
        return placed_spans(self.question, self.tokens, self.today)

    @cached_property
    def passing(self) -> frozenset[int]:
        """The words of times such as "the last 3 months", where the data tells days."""
        dated = any(place.time for place in self.schema.places)
        return passing_words(self.spans, self.tokens) if dated else frozenset()

    @cached_property
    def graph(self) -> JoinGraph:
        """How tables connect, as the words speak of it."""
        return JoinGraph(self.schema.catalogue, [t.stem for t in self.tokens if t.stem])

    @cached_property
    def _main_dates(self) -> dict[str, Field | None]:
        return {}

    def main_date(self, table: str) -> Field | None:
        """The date that the rows of a table are told by, as the words help to choose it."""
        if table not in self._main_dates:
            other = self._in_other_names  # the "ship" of "ship country" tells no date of shipping
            stems = [t.stem for t in self.tokens if t.stem and t.index not in other]
            catalogue = self.schema.catalogue
            self._main_dates[table] = main_date(catalogue, self.graph, table, stems)
        return self._main_dates[table]

    @cached_property
    def _in_other_names(self) -> frozenset[int]:
        """The words of names of several words of columns that tell no time."""
        whole = [
            m
            for m in self.mentions
            if m.last > m.first
            and m.coverage >= _SURE_NAME
            and m.tie is Tie.NAME
            and not m.place.time
        ]
        return frozenset(at for m in whole for at in range(m.first, m.last + 1))

    @cached_property
    def counted_words(self) -> tuple[str, ...]:
        """The words that are asked to be counted, in order: "how many jobs", "number of jobs"."""
        return tuple(match[1] for match in _COUNTED.finditer(self.lower))

    @cached_property
    def counted(self) -> str:
        """The table whose rows are asked to be counted, by its own name: "number of jobs"."""
        found = {
            t.table.name
            for t in self.tables
            if t.coverage >= _SURE_NAME and self.tokens[t.first].lower in self.counted_words
        }
        return found.pop() if len(found) == 1 else ""

    @cached_property
    def called(self) -> Mapping[str, str]:
        """How the question calls the rows of tables whose names it does not use: "flights" of a
        table `flights_log`."""
        found = {
            t.table.name: self.tokens[t.first].lower
            for t in sorted(self.tables, key=lambda t: t.coverage)
            if t.first == t.last
            and t.coverage < _SURE_NAME
            and t.quality > _LIKELY
            and len(self.schema.catalogue.tables) == 1
        }
        called = {name: word for name, word in found.items() if word.endswith("s")}
        return called or self._counted_as

    @property
    def _counted_as(self) -> Mapping[str, str]:
        """How rows are called that are counted: "number of orders" of a table that is not called
        so, where the word is not the whole name of a column."""
        tables = self.schema.catalogue.tables
        counted = [t for t in self.tokens if t.lower in self.counted_words and not t.quoted]
        if len(tables) != 1 or len(counted) != 1 or not counted[0].lower.endswith("s"):
            return {}
        word, own = counted[0], self.schema.table_words[tables[0].name]
        known = self.named[word.index] >= _SURE_NAME or self.valued[word.index]
        named = word.stem in {stem(one) for one in own}
        return {} if known or named else {tables[0].name: word.lower}

    @cached_property
    def lower(self) -> str:
        """All words in lower case."""
        return " ".join(token.lower for token in self.tokens)

    @cached_property
    def charted(self) -> bool:
        """Whether a chart is asked for in words."""
        return bool(self.words.find(chart_words.ASKED))

    def with_operands(self, used: frozenset[int]) -> frozenset[int]:
        """Some columns, by index, with the days that the worked out ones among them lie between."""
        made = [
            one
            for p in self.schema.places
            if p.index in used and p.definition is not None
            for one in references(p.definition.term)
        ]
        places = (self.schema.of_field.get((one.table, one.column)) for one in made)
        return used | {place.index for place in places if place is not None and place.time}

    def values_among(self, words: Sequence[str]) -> set[str]:
        """Which of some words of the question are values of the data, or parts of such."""
        return {t.text for t in self.tokens if self.valued[t.index]} & set(words)

    def between(self, first: int, last: int) -> str:
        """The words from one token to before another."""
        return " ".join(token.lower for token in self.tokens[max(0, first) : max(0, last)])

    def negated(self, at: int) -> bool:
        """Whether one of the six words before says no."""
        return bool(_NEGATED.search(self.between(at - 6, at)))

    def nearest(self, place: Place, at: int) -> tuple[int, float]:
        """How far the best mention of a column lies, and how well it names it; later is farther."""
        best, found = _FAR * 1.0, (_FAR, 0.0)
        for mention in self.by_place.get(place.index, ()):
            if mention.tie is Tie.IMPLIED:
                continue
            distance = min(abs(at - mention.last), abs(mention.first - at))
            distance += 3 if mention.first > at else 0
            if distance - 4 * mention.coverage < best:
                best, found = distance - 4 * mention.coverage, (distance, mention.coverage)
        return found

    @cached_property
    def by_place(self) -> dict[int, list[Mention]]:
        """The mentions of each column."""
        found: dict[int, list[Mention]] = {}
        for mention in self.mentions:
            found.setdefault(mention.place.index, []).append(mention)
        return found

    def table_distance(self, table: str, at: int) -> int:
        """How far the nearest mention of a table lies."""
        return min((abs(at - t.first) for t in self.tables if t.table.name == table), default=_FAR)

    @cached_property
    def valued(self) -> list[float]:
        """How surely each token is part of a value."""
        found = [0.0] * len(self.tokens)
        for value in self.values:
            sure = 0.9 if value.how != "part" else 0.4
            for index in range(value.first, value.last + 1):
                found[index] = max(found[index], sure)
        return found

    @cached_property
    def loud(self) -> frozenset[int]:
        """The little words that stand for something, as capitals or the data tell: the IT
        department, grade A."""
        capitals = loud(self.tokens)
        return frozenset(
            at
            for at in capitals | standing_as_names(self.tokens)
            if (at in capitals and self._names_something(at)) or self.valued[at] >= _IN_A_VALUE
        )

    def _names_something(self, at: int) -> bool:
        token = self.tokens[at]
        return len(token.text) > 1 and token.lower not in STRESSED

    @cached_property
    def named(self) -> list[float]:
        """How well each token's best mention names a column."""
        found = [0.0] * len(self.tokens)
        for mention in self.mentions:
            if mention.tie is Tie.NAME:
                for index in range(mention.first, mention.last + 1):
                    found[index] = max(found[index], mention.coverage)
        return found

    @cached_property
    def tabled(self) -> list[float]:
        """How well each token's best mention names a table."""
        found = [0.0] * len(self.tokens)
        for mention in self.tables:
            for index in range(mention.first, mention.last + 1):
                found[index] = max(found[index], mention.coverage)
        return found

    @cached_property
    def classes(self) -> list[str]:
        """Each word by what it is for the data: VALUE, NUMBER, COLUMN, TABLE, BOTH or its stem."""
        return [self._class_of(token) for token in self.tokens]

    def _class_of(self, token: Token) -> str:
        column, table = self.named[token.index], self.tabled[token.index]
        plain = max(column, table) < _SURE_NAME
        common = token.lower in STOP_WORDS or token.lower in PRESENTATION
        if token.quoted:
            return "VALUE"
        if token.number is not None:
            return "NUMBER"
        if plain and common:
            return token.stem or token.lower
        if plain and self.valued[token.index] >= _IN_A_VALUE:
            return "VALUE"
        if column >= _NAMED and table >= _NAMED:
            return "BOTH"
        if column >= _NAMED:
            return "COLUMN"
        return "TABLE" if table >= _NAMED else token.stem or token.lower

    @cached_property
    def spoken_tables(self) -> dict[str, float]:
        """Tables that are surely spoken of, with how well."""
        found: dict[str, float] = {}
        for mention in self.tables:
            if mention.coverage >= _LIKELY:
                name = mention.table.name
                found[name] = max(found.get(name, 0.0), mention.coverage)
        return found
