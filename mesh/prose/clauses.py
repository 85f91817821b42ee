"""Clauses: the stretches of a text within which numbers and words belong together."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from mesh.prose.bindings import Bound, Text
from mesh.prose.references import Value
from mesh.prose.vocabulary import States
from mesh.prose.words import Word, is_negated, states_of, words_in

_END = re.compile(
    r"(?<![A-Z])(?<!\be\.g)(?<!\bi\.e)[.!](?=\s|$)|\?(?=\s|$)|;|:(?=\s*\n)"
    r"|\n\s*\n|\n(?=[ \t]*(?:[-*+>|#]|\d+[.)]\s))|\|"
    r"|,?\s+(?:but|while|whereas|although|though|and then)\s+"
)
_SENTENCE = re.compile(r"[.!?]\s*$|\n\s*\n?\s*$")
_ASKED = re.compile(
    r"\s*(?!who|why|what|which|where|when|how|is|are|was|were|do|does|did|has|have|can)[\w-]+"
    r"(?:\s+[\w-]+){0,2}\?$",
    re.IGNORECASE,
)
_AND = re.compile(r",\s+and\s+|,\s+")


@dataclass(frozen=True, slots=True)
class BoundValue:
    """A binding and what its reference gives."""

    bound: Bound
    value: Value


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a text, with what is bound and which words state something in it.

    `earlier` is what is bound before it in the same sentence, `sentence` the prose of that, and
    `previous` what the sentence before binds in the same paragraph.
    """

    start: int
    end: int
    prose: str
    values: tuple[BoundValue, ...]
    words: tuple[Word, ...]
    earlier: tuple[BoundValue, ...] = ()
    sentence: str = ""
    previous: tuple[BoundValue, ...] = ()

    def before(self, place: int) -> str:
        """The prose of the clause before a place of the text."""
        return self.prose[: place - self.start]

    def behind(self, place: int) -> str:
        """The prose of the clause after a place of the text."""
        return self.prose[place - self.start :]


def clauses_of(text: Text, bound_values: list[BoundValue]) -> list[Clause]:
    """The clauses of a text, in order, without empty ones."""
    ends = [found.end() for found in _END.finditer(text.prose)]
    edges = [0, *_without_fragments(text.prose, ends), len(text.prose)]
    found: list[Clause] = []
    earlier: tuple[BoundValue, ...] = ()
    previous: tuple[BoundValue, ...] = ()
    begun = 0
    for start, end in pairwise(edges):
        within = tuple(one for one in bound_values if start <= one.bound.start < end)
        for clause in _parts(text, start, end, within):
            said = text.prose[begun : clause.start]
            found.append(replace(clause, earlier=earlier, sentence=said, previous=previous))
            earlier += clause.values
        if _SENTENCE.search(text.prose[start:end]):
            previous = earlier if "\n\n" not in text.prose[begun:end].strip(" ") else ()
            earlier, begun = (), end
    return found


def _without_fragments(prose: str, ends: list[int]) -> Iterator[int]:
    """Ends of clauses, without that of a short question that the next clause answers: "Best month?
    July." """
    start = 0
    for end in ends:
        if prose[end - 1] != "?" or _ASKED.match(prose[start:end]) is None:
            yield end
        start = end


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
    words = () if prose.rstrip().endswith("?") else words_in(prose)
    return Clause(start, end, prose, bound_values, words)


def bound_word(
    clause: Clause, bound: Bound, wanted: Container[States] | None = None
) -> Word | None:
    """The stating word that a binding shows, negated where the prose before it says "not".

    `wanted` says what it must state. None where it shows no such word.
    """
    states = states_of(bound.shown)
    found = words_in(bound.shown)
    if not found and states is not None:
        found = (Word(0, len(bound.shown), bound.shown, states),)
    word = next((one for one in found if wanted is None or one.states in wanted), None)
    if word is None:
        return None
    return replace(word, negated=word.negated or is_negated(clause.before(bound.start)))
