"""Words for the things of a table whose name says otherwise: "stones" of a table of diamonds.

Where a table is the only one, or the only one of people, an unknown word that stands where things
are named can mean its rows alone, if all else that is said is known. That stays a guess, and is
told as one. A word for an amount ("takings") is none for things, nor is one that a semantic model
gives to what may not be used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.planner.domain.catalogue import Table
from services.planner.domain.lexicon.amounts import is_amount
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.reader.grammar import (
    aggregation,
    chart_words,
    comparison,
    counting,
    fillers,
    negation,
    ordering,
    statistics,
)
from services.planner.domain.reader.grammar.rules import Rule, Words
from services.planner.domain.reader.links.actions import GUESSED
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.date_parts import find_month, find_weekdays
from services.planner.domain.reader.links.mentions import Mention, TableMention
from services.planner.domain.reader.links.naming import is_person, people_tables
from services.planner.domain.reader.links.schema import Schema
from services.planner.domain.reader.links.values import ValueLink
from services.planner.domain.semantics.units import measured_by

_GRAMMAR: tuple[Sequence[Rule[object]], ...] = (
    aggregation.RULES,
    ordering.DIRECTIONS,
    ordering.SORTING,
    ordering.TOP,
    comparison.RULES,
    comparison.AVERAGE,
    comparison.SIGNS,
    counting.RULES,
    counting.AGAINST,
    negation.RULES,
    statistics.RULES,
    statistics.PARTS,
    chart_words.GRAINS,
    fillers.EMPTY,
    fillers.TIMES,
    fillers.KNOWN,
)
_READ, _COVERAGE, _LEAST = 0.5, 0.72, 4
_NAMED = 0.8
_OF_A_KEY = 0.45  # "patients" are the things of `patient_id`, and no word for the rows
_BEFORE = frozenset(("many", "which", "each", "every", "per", "the", "of", "all", "any", "no"))
_ALSO_ENTITIES = frozenset(("stone", "stones"))  # which are units of weight as well
_ROWS = frozenset("rows records observations lines entries".split())
_NUMBER = frozenset(("number", "numbers", "count", "total"))
_SINGULAR = frozenset(("each", "every", "per"))
_TELLING_APART = frozenset(("id", "name", "title", "number", "code", "key"))
_EACH_ROW, _APART = 0.999, 0.9


def find_entities(
    tokens: Sequence[Token],
    schema: Schema,
    mentions: Sequence[Mention],
    tables: Sequence[TableMention],
    values: Sequence[ValueLink],
) -> Iterator[TableMention]:
    """The one unknown word, if it stands for things; nothing where more is unknown, or all is."""
    yield from _plain_rows(tokens, schema, mentions, tables)
    yield from _named_rows(tokens, schema, tables)
    known = _known(tokens, mentions, tables, values)
    valued = {at for v in values if v.how != "part" for at in range(v.first, v.last + 1)}
    unknown = [token for token in tokens if _unknown(token, known)]
    missing = {stem(word) for name in schema.catalogue.lacking for word in words_of(name)}
    if any(is_amount(token.lower) or token.stem in missing for token in unknown):
        return
    found = [token for token in unknown if _is_word_for_entities(token, tokens, valued)]
    if not known or not found or len({token.stem for token in unknown}) != 1:
        return
    table = _table(found[0], schema)
    if table is None or any(t.table is table and t.coverage >= _COVERAGE for t in tables):
        return
    for token in found:
        yield TableMention(table, token.index, token.index, _COVERAGE, GUESSED)


def _plain_rows(
    tokens: Sequence[Token],
    schema: Schema,
    mentions: Sequence[Mention],
    tables: Sequence[TableMention],
) -> Iterator[TableMention]:
    """Rows that are counted as such: "how many rows", "number of records", of the only table."""
    if len(schema.catalogue.tables) != 1:
        return
    spans = [(m.first, m.last) for m in mentions] + [(t.first, t.last) for t in tables]
    numbers = {at for first, last in spans for at in range(first, last + 1)}
    for before, token in pairwise(tokens):
        of_number = before.lower == "of" and tokens[before.index - 1].lower in _NUMBER
        counted = before.lower == "many" or of_number
        if counted and token.lower in _ROWS and token.index not in numbers:
            (table,) = schema.catalogue.tables
            yield TableMention(table, token.index, token.index, _APART, _APART)


def _named_rows(
    tokens: Sequence[Token], schema: Schema, tables: Sequence[TableMention]
) -> Iterator[TableMention]:
    """Words for what a column tells apart row by row: each row of `episode_title` is an episode."""
    for place in schema.places:
        entities = [stem(word) for word in place.words[:-1]]
        if not entities or place.words[-1] not in _TELLING_APART or place.unique < _EACH_ROW:
            continue
        for token in tokens:
            is_mentioned = any(t.first == token.index and t.coverage >= _COVERAGE for t in tables)
            if token.stem == entities[-1] and token.lower.endswith("s") and not is_mentioned:
                yield TableMention(place.table, token.index, token.index, _APART, _APART)


def without_counts(
    tokens: Sequence[Token], mentions: Sequence[Mention], tables: Sequence[TableMention]
) -> list[Mention]:
    """Without columns that "number" or "count" might mean, where it is one of things: the number of
    orders is no amount; nor those of which only the "average" of something else is said."""
    begun = {one.first for one in tables}
    made = {cue.first for cue in Words(tokens).find(aggregation.RULES) if cue.first == cue.last}

    def counts(one: Mention) -> bool:
        if one.first != one.last or one.coverage >= 1.0 or tokens[one.first].lower not in _NUMBER:
            return False
        after = [token.lower for token in tokens[one.last + 1 : one.last + 4]]
        if after[:1] != ["of"]:
            return False
        skipped = 2 + (after[1:2] in (["the"], ["all"]))
        return one.last + skipped in begun

    named = {one.first for one in mentions if one.coverage >= _NAMED}

    def only_made(one: Mention) -> bool:
        """Whether it is the "average" of "average revenue", for a column "average discount"."""
        alone = one.first == one.last and one.first in made and one.last + 1 in named
        return alone and one.coverage < _NAMED

    return [one for one in mentions if not (counts(one) or only_made(one))]


def unknown_words(
    tokens: Sequence[Token],
    mentions: Sequence[Mention],
    tables: Sequence[TableMention],
    values: Sequence[ValueLink],
) -> list[Token]:
    """The words that no name, no value and no rule speaks of."""
    known = _known(tokens, mentions, tables, values)
    return [token for token in tokens if _unknown(token, known)]


def _known(
    tokens: Sequence[Token],
    mentions: Sequence[Mention],
    tables: Sequence[TableMention],
    values: Sequence[ValueLink],
) -> set[int]:
    spans = [
        (m.first, m.last) for m in mentions if m.coverage >= (_OF_A_KEY if m.place.key else _READ)
    ]
    spans += [(t.first, t.last) for t in tables if t.coverage >= _READ]
    spans += [(v.first, v.last) for v in values if v.how != "part"]
    words = Words(tokens)
    spans += [(cue.first, cue.last) for rules in _GRAMMAR for cue in words.find(rules)]
    known = {at for first, last in spans for at in range(first, last + 1)}
    return known | {t.index for t in tokens if find_month(t.lower) or find_weekdays(t.lower)}


def _unknown(token: Token, known: set[int]) -> bool:
    """Whether no name, no value and no rule speaks of it."""
    lower = token.lower
    plain = not (token.mark or token.quoted or token.capital or token.number is not None)
    common = lower in STOP_WORDS or lower in PRESENTATION or lower in ADJECTIVES
    measures = bool(measured_by(lower)) and lower not in _ALSO_ENTITIES
    fits = len(lower) >= _LEAST and lower.isalpha() and not measures
    return plain and fits and not common and token.index not in known


def _is_word_for_entities(token: Token, tokens: Sequence[Token], valued: set[int]) -> bool:
    """Whether it begins the question, or follows "how many", "the biggest", a value, a number."""
    before = tokens[token.index - 1] if token.index else None
    plural = token.lower.endswith("s") and not token.lower.endswith("ss")
    if before is None:
        return plural
    superlative = before.lower.endswith("est") or before.lower in ADJECTIVES
    if before.lower in _SINGULAR or superlative:
        return True
    counted = before.number is not None and before.number > 1
    return plural and (before.lower in _BEFORE or counted or before.index in valued)


def _table(token: Token, schema: Schema) -> Table | None:
    """The only table, or the only one of people where it is a word for people."""
    all_of = schema.catalogue.tables
    if len(all_of) == 1:
        return all_of[0]
    people = people_tables(schema)
    if not is_person(token.stem) or len(people) != 1:
        return None
    return schema.catalogue.table(next(iter(people)))
