"""Every reference from one table to another that a catalogue declares or its names suggest."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue, Relationship
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.keys import (
    guessed_references,
    key_of,
    names_table,
    spoken_words,
)

_UNNAMED_COST = 0.8
_WEAKER_TWIN = 0.75
_CATALOGUES = 16


@dataclass(frozen=True, slots=True)
class Reference:
    """A column that refers to another; `spoken` are stems that a question may name it by.

    `further` are more pairs of columns, of child and parent, that must be equal too.
    """

    child: Field
    parent: Field
    cost: float
    spoken: frozenset[str]
    further: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class References:
    """All references of a catalogue, and the columns that are keys of their tables."""

    all: tuple[Reference, ...]
    keys: frozenset[Field]


@lru_cache(maxsize=_CATALOGUES)
def references_of(catalogue: Catalogue) -> References:
    """The references of a catalogue, found once for equal content."""
    return References(
        tuple(_declared(catalogue)) + tuple(_guessed(catalogue)),
        frozenset(
            Field(table=table.name, column=keys[0])
            for table in catalogue.tables
            if len(keys := key_of(table)) == 1
        ),
    )


def _declared(catalogue: Catalogue) -> list[Reference]:
    best: dict[frozenset[str], float] = defaultdict(float)
    for link in catalogue.relationships:
        pair = frozenset((link.from_table, link.to_table))
        best[pair] = max(best[pair], link.confidence)
    return [
        _reference(link, 1.0 + (1 - link.confidence) + (0.0 if link.declared else 0.1))
        for link in catalogue.relationships
        if link.confidence >= _WEAKER_TWIN * best[frozenset((link.from_table, link.to_table))]
        and link.from_table != link.to_table
    ]


def _guessed(catalogue: Catalogue) -> list[Reference]:
    """References by names alone, between tables that nothing else links."""
    known = {(link.from_table, link.from_column) for link in catalogue.relationships}
    linked = {frozenset((link.from_table, link.to_table)) for link in catalogue.relationships}
    return [
        _reference(guess, 1.0 + 2 * (1 - guess.confidence))
        for guess in guessed_references(catalogue)
        if frozenset((guess.from_table, guess.to_table)) not in linked
        and (guess.from_table, guess.from_column) not in known
        and not any(pair.denies(guess) for pair in catalogue.unrelated)
    ]


def _reference(link: Relationship, cost: float) -> Reference:
    if not names_table(link.from_column, link.to_table):
        cost += 0.0 if link.declared else _UNNAMED_COST
    return Reference(
        Field(table=link.from_table, column=link.from_column),
        Field(table=link.to_table, column=link.to_column),
        cost,
        _role(link),
        link.further,
    )


def _role(link: Relationship) -> frozenset[str]:
    """What tells a reference from others to one table: "destroy" of "destroyed_by_employee"."""
    words = spoken_words(link.from_column)
    return words - frozenset(name_words(link.to_table)) or words
