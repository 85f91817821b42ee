"""Spans of a question that may be values of the data, looked up all at once."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from services.planner.domain.catalogue import ValueLookup
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.demonyms import COUNTRIES
from services.planner.domain.reader.links.mentions import TableMention
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.words.common import PRESENTATION, STOP_WORDS
from services.planner.domain.reader.words.tokens import Token

_WIDEST = 6
_ALSO_VALUES = frozenset(("high", "low"))  # priorities, levels
_MOST_OF_A_SPAN, _MOST_PARTS = 8, 3
_MANY, _NAMED = 50, 0.95
_EXACT, _STEM = 1.0, 0.95
_SEXES = {
    **dict.fromkeys(("male", "males", "men", "man", "boys", "boy"), ("m", "male", "man")),
    **dict.fromkeys(
        ("female", "females", "women", "woman", "girls", "girl"), ("f", "female", "woman")
    ),
}


@dataclass(frozen=True, slots=True)
class ValueLink:
    """Tokens `first` to `last` may be this value of this column.

    `how` is exact, stem, alias (another name of it, as a demonym) or part. `spellings` are all of
    them where several in the data differ by case and spaces alone.
    """

    place: Place
    value: str
    first: int
    last: int
    score: float
    how: str
    spellings: tuple[str, ...] = ()


async def link_values(
    question: str, tokens: Sequence[Token], schema: Schema, lookup: ValueLookup
) -> list[ValueLink]:
    """Every value that a span may be: a longer exact one hides the parts of it."""
    spans = _spans(question, tokens)
    hits = await lookup(list(spans)) if spans else ()
    found: list[ValueLink] = []
    for hit in hits:
        place = schema.of_field.get((hit.table, hit.column))
        if place is None:
            continue
        for first, last, alias in spans[hit.phrase]:
            how = _how(hit.score, alias=alias)
            if how and not (alias and hit.score < _STEM):
                found.append(ValueLink(place, hit.value, first, last, hit.score, how))
    return _few(found)


def _spans(question: str, tokens: Sequence[Token]) -> dict[str, list[tuple[int, int, bool]]]:
    spans: dict[str, list[tuple[int, int, bool]]] = {}

    def add(text: str, first: int, last: int, *, alias: bool = False) -> None:
        spans.setdefault(text, []).append((first, last, alias))

    for first, token in enumerate(tokens):
        if token.mark:
            continue
        if token.quoted:
            add(token.text, first, first)
            continue
        for name in (*COUNTRIES.get(token.lower, ()), *_SEXES.get(token.lower, ())):
            add(name, first, first, alias=True)
        for last in range(first, min(len(tokens), first + _WIDEST)):
            if tokens[last].quoted:
                break
            if last == first and _says_nothing(token):
                continue
            if tokens[last].mark:
                continue
            add(question[token.start : tokens[last].end], first, last)
    return spans


def _says_nothing(token: Token) -> bool:
    loud = token.text.isupper() and len(token.text) > 1
    common = token.lower in STOP_WORDS or token.lower in PRESENTATION - _ALSO_VALUES
    return common and not loud


def _how(score: float, *, alias: bool) -> str:
    if alias:
        return "alias"
    if score >= _EXACT:
        return "exact"
    return "stem" if score >= _STEM else "part"


def _few(found: list[ValueLink]) -> list[ValueLink]:
    """Exact ones of each span, else its best parts where there are few; parts of exact ones go."""
    kept: list[ValueLink] = []
    whole = [link for link in found if link.how in ("exact", "stem", "alias")]
    by_span: dict[tuple[int, int], list[ValueLink]] = {}
    for link in sorted(found, key=lambda v: (-v.score, v.place.index, v.value)):
        by_span.setdefault((link.first, link.last), []).append(link)
    for (first, last), links in by_span.items():
        exact = [link for link in links if link.how != "part"]
        if exact:
            kept += _by_spelling(exact)[:_MOST_OF_A_SPAN]
            continue
        hidden = any(w.first <= first and w.last >= last for w in whole)
        places = {(link.place.index, link.value) for link in links}
        if not hidden and len(places) <= 2 * _MOST_PARTS:
            kept += links[:_MOST_PARTS]
    return kept


def _by_spelling(links: list[ValueLink]) -> list[ValueLink]:
    """One link for all spellings of a value that differ by case and spaces alone."""
    alike: dict[tuple[int, str], list[ValueLink]] = {}
    for link in links:
        plain = " ".join(link.value.casefold().split())
        alike.setdefault((link.place.index, plain), []).append(link)
    return [
        replace(same[0], spellings=tuple(sorted({link.value for link in same})))
        if len({link.value for link in same}) > 1
        else same[0]
        for same in alike.values()
    ]


def is_ordinary(
    link: ValueLink,
    tokens: Sequence[Token],
    tables: Sequence[TableMention],
    grammatical: Set[int],
) -> bool:
    """Whether an ordinary word is taken for one of very many values: "track" for a song "Track".

    `grammatical` are the tokens that some rule of the grammar reads: "longest" is no part of "The
    Longest Day".
    """
    token = tokens[link.first]
    if link.first != link.last or token.quoted or token.capital:
        return False
    if link.how == "part" and (link.first in grammatical or token.lower in ADJECTIVES):
        return True
    many = link.place.column.distinct > _MANY
    return many and any(t.first <= link.first <= t.last and t.coverage >= _NAMED for t in tables)
