"""Metrics that a semantic model declares, said by their whole names: each is one word from then on,
so that no word of it asks for anything else. The "per" of "fuel per passenger" splits nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.reader.links.schema import Schema


def with_declared_names(
    question: str, tokens: Sequence[Token], schema: Schema
) -> tuple[Token, ...]:
    """The tokens, with those of a declared metric's name as one; of two names the longer."""
    names = sorted(_names(schema), key=lambda one: -len(one[0]))
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        name, stems = next(
            ((name, stems) for stems, name in names if _stands(tokens, at, stems)), ("", ("",))
        )
        first, last = tokens[at], tokens[at + len(stems) - 1]
        at += len(stems)
        one = replace(first, index=len(found))
        if name:
            text = question[first.start : last.end]
            one = replace(
                one,
                text=text,
                end=last.end,
                lower=name,
                stem=name,
                number=None,
                ordinal=False,
                whole=True,
            )
        found.append(one)
    return tuple(found)


def _names(schema: Schema) -> Iterator[tuple[tuple[str, ...], str]]:
    """The stems of each name of several words, and the column that is called so."""
    for place in schema.places:
        for texts in (words_of(place.column.name), *place.synonyms) if place.column.formula else ():
            if len(texts) > 1:
                yield tuple(map(stem, texts)), place.column.name.lower()


def _stands(tokens: Sequence[Token], at: int, stems: Sequence[str]) -> bool:
    known_tokens = tokens[at : at + len(stems)]
    return not any(t.quoted for t in known_tokens) and [
        stem(t.lower) for t in known_tokens
    ] == list(stems)
