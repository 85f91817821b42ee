"""Clauses: the stretches of a text within which numbers and words belong together."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from mesh.prose.bindings import Bound, Text
from mesh.prose.references import Value
from mesh.prose.words import Word, is_negated, states_of, words_in

_END = re.compile(
    r"(?<![A-Z])(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s|$)|;|:(?=\s*\n)"
    r"|\n\s*\n|\n(?=[ \t]*(?:[-*+>|#]|\d+[.)]\s))|\|"
    r"|,?\s+(?:but|while|whereas|although|though|and then)\s+"
)
_SENTENCE = re.compile(r"[.!?]\s*$|\n\s*\n?\s*$")
_AND = re.compile(r",\s+and\s+|,\s+")


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A binding and what its reference gives."""

    bound: Bound
    value: Value


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a text, with what is bound and which words state something in it.

    `earlier` is what is bound before it in the same sentence.
    """

    start: int
    end: int
    prose: str
    values: tuple[BoundValue, ...]
    words: tuple[Word, ...]
    earlier: tuple[BoundValue, ...] = ()

    def before(self, place: int) -> str:
        """The prose of the clause before a place of the text."""
        return self.prose[: place - self.start]

    def behind(self, place: int) -> str:
        """The prose of the clause after a place of the text."""
        return self.prose[place - self.start :]


def clauses_of(text: Text, bound_values: list[BoundValue]) -> list[Clause]:
    """The clauses of a text, in order, without empty ones."""
    edges = [0, *(found.end() for found in _END.finditer(text.prose)), len(text.prose)]
    found: list[Clause] = []
    earlier: tuple[BoundValue, ...] = ()
    for start, end in pairwise(edges):
        within = tuple(one for one in bound_values if start <= one.bound.start < end)
        for clause in _parts(text, start, end, within):
            found.append(replace(clause, earlier=earlier))
            earlier += clause.values
        if _SENTENCE.search(text.prose[start:end]):
            earlier = ()
    return found


def _parts(text: Text, start: int, end: int, bound_values: tuple[BoundValue, ...]) -> list[Clause]:
    """A sentence, cut at commas where both sides have a word and a number of their own."""
    prose = text.prose[start:end]
    for found in _AND.finditer(prose):
        cut = start + found.end()
        left = tuple(one for one in bound_values if one.bound.start < cut)
        right = tuple(one for one in bound_values if one.bound.start >= cut)
        if left and right and words_in(text.prose[start:cut]) and words_in(text.prose[cut:end]):
            return [_clause(text, start, cut, left), *_parts(text, cut, end, right)]
    return [_clause(text, start, end, bound_values)] if bound_values or prose.strip() else []


def _clause(text: Text, start: int, end: int, bound_values: tuple[BoundValue, ...]) -> Clause:
    prose = text.prose[start:end]
    words = () if prose.rstrip().endswith("?") else tuple(words_in(prose))
    return Clause(start, end, prose, bound_values, words)


def bound_word(clause: Clause, bound: Bound) -> Word:
    """The stating word that a binding shows, negated where the prose before it says "not".

    Raises ValueError for one that shows no such word.
    """
    states = states_of(bound.shown)
    if states is None:
        raise ValueError(f"{bound.shown!r} states nothing")
    found = words_in(bound.shown) or [Word(0, len(bound.shown), bound.shown, states)]
    negated = found[0].negated or is_negated(clause.before(bound.start))
    return replace(found[0], negated=negated)
