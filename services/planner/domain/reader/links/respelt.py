"""A question with its misspelt words of grammar mended, where neither names nor values say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.catalogue import ValueLookup
from services.planner.domain.lexicon.names import likeness
from services.planner.domain.lexicon.tokens import Token, tokenise
from services.planner.domain.lexicon.typos import nearest
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.schema import Schema
from services.planner.domain.semantics.units import unit_called

_A_NAME, _A_VALUE = 0.7, 0.8
_MOST = 6


@dataclass(frozen=True, slots=True)
class Respelt:
    """What was `said` and is `read` so."""

    text: str
    read: str


async def respelt(
    question: str, schema: Schema, lookup: ValueLookup
) -> tuple[str, tuple[Respelt, ...]]:
    """The question as it is read, and which words of it are read otherwise than they are spelt."""
    tokens = tokenise(question)
    found = [(t, intended) for t in tokens if (intended := _correct_spelling(t, schema))][:_MOST]
    if not found:
        return question, ()
    hits = await lookup([token.text for token, _ in found])
    values = {hit.phrase for hit in hits if hit.score >= _A_VALUE}
    kept = [(token, text) for token, text in found if token.text not in values]
    for token, intended in reversed(kept):
        question = question[: token.start] + intended + question[token.end :]
    return question, tuple(Respelt(token.text, text) for token, text in kept)


def _correct_spelling(token: Token, schema: Schema) -> str:
    """What a token is misspelt for; empty where it is a name, a value or spelt right."""
    if token.quoted or token.mark or token.number is not None or token.capital:
        return ""
    word = token.lower
    intended = nearest(word)
    if not intended or word in ADJECTIVES or unit_called(word) is not None:
        return ""
    return "" if _is_spoken_of(word, schema) else intended


def _is_spoken_of(word: str, schema: Schema) -> bool:
    """Whether it is a word of a name, or of a value that is known, or nearly one of a name."""
    names: list[Sequence[str]] = [p.words for p in schema.places]
    names += [words for p in schema.places for words in p.synonyms]
    names += list(schema.table_words.values())
    names += [words for synonyms in schema.table_synonyms.values() for words in synonyms]
    if any(likeness(word, name) >= _A_NAME for words in names for name in words):
        return True
    return any(word in text.lower().split() for p in schema.places for text in p.column.samples)
