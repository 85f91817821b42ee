"""Spans of a question that may be values of the data, looked up all at once."""

from __future__ import annotations

from collections.abc import Container, Sequence, Set
from dataclasses import dataclass, replace

from services.planner.domain.catalogue import ValueHit, ValueLookup
from services.planner.domain.lexicon.common_words import are_common
from services.planner.domain.lexicon.stop_words import PRESENTATION, STOP_WORDS
from services.planner.domain.lexicon.tokens import Token, loud, standing_as_names
from services.planner.domain.reader.links.adjectives import ADJECTIVES
from services.planner.domain.reader.links.countries import CODES, ISO_CODES, holds_country_codes
from services.planner.domain.reader.links.demonyms import COUNTRIES
from services.planner.domain.reader.links.mentions import TableMention
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.semantics.kinds import Kind
from services.planner.domain.semantics.units import unit_called

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
_ROWS = frozenset(("rows", "records", "entries", "lines", "items"))


@dataclass(frozen=True, slots=True)
class ValueLink:
    """Tokens `first` to `last` may be this value of this column.

    `how` is exact, stem, alias (another name of it, as a demonym) or part. `spellings` are all of
    them where several in the data differ by case and spaces alone, or hold the same part.
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
    named = loud(tokens)
    spans = _spans(question, tokens, named | standing_as_names(tokens))
    hits = await lookup(list(spans)) if spans else ()
    found: list[ValueLink] = []
    for hit in hits:
        place = schema.of_field.get((hit.table, hit.column))
        if place is None:
            continue
        for first, last, alias in spans[hit.phrase]:
            how = _how(hit.score, alias=alias)
            known_tokens = tokens[first : last + 1]
            if how == "part" and not alias and all(_is_filler(one, named) for one in known_tokens):
                continue  # "what's the" is no part of "You're What's Happening"
            if place.column.distinct > _MANY and not alias and _everyday(how, known_tokens):
                continue  # "the first five" is no part of "Five Years Gone", "time" no song "Time"
            if (
                how == "stem"
                and len(known_tokens) == 1
                and unit_called(known_tokens[0].lower) is not None
            ):
                continue  # tenure "in months" is not that of contracts "monthly"
            coded = alias and not _means_code(hit, tokens[first].lower, place)
            if how and not coded and not (alias and hit.score < _STEM):
                found.append(ValueLink(place, hit.value, first, last, hit.score, how))
    return _few(found)


def _spans(
    question: str, tokens: Sequence[Token], named: Set[int]
) -> dict[str, list[tuple[int, int, bool]]]:
    spans: dict[str, list[tuple[int, int, bool]]] = {}

    def add(text: str, first: int, last: int, *, alias: bool = False) -> None:
        spans.setdefault(text, []).append((first, last, alias))

    for first, token in enumerate(tokens):
        if token.mark:
            continue
        if token.quoted:
            add(token.text, first, first)
            continue
        for name in (*_countries(token.lower), *_SEXES.get(token.lower, ())):
            add(name, first, first, alias=True)
        for last in range(first, min(len(tokens), first + _WIDEST)):
            if tokens[last].quoted:
                break
            if last == first and _is_filler(token, named):
                continue
            if tokens[last].mark:
                continue
            add(question[token.start : tokens[last].end], first, last)
    return spans


def _countries(text: str) -> tuple[str, ...]:
    """Names and codes of a country that is spoken of by its name or by its people."""
    names = COUNTRIES.get(text, ())
    codes = [code for name in (text, *names) for code in CODES.get(name, ())]
    return (*names, *(code for code in codes if code not in names))


def _means_code(hit: ValueHit, text: str, place: Place) -> bool:
    """Whether a code stands for the country said: only in a column of such codes."""
    if hit.phrase == text or hit.phrase not in ISO_CODES:
        return True
    return hit.phrase in COUNTRIES.get(text, ()) or holds_country_codes(place.column.samples)


def _is_filler(token: Token, named: Container[int]) -> bool:
    """Whether a word is one that every question uses, and not written as a name is."""
    common = token.lower in STOP_WORDS or token.lower in PRESENTATION - _ALSO_VALUES
    return common and token.index not in named


def _everyday(how: str, tokens: Sequence[Token]) -> bool:
    """Whether the words are everyday ones, and not as many as make a whole title of them."""
    plain = not any(token.quoted for token in tokens)
    short = how == "part" or len(tokens) == 1
    return plain and short and are_common(" ".join(token.text for token in tokens))


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
        kinds = {link.place.index for link in links}
        few = all(link.place.column.distinct <= _MANY for link in links)
        if not hidden and len(kinds) == 1 and few and 1 < len(places) <= 2 * _MOST_PARTS:
            all_of = tuple(sorted({link.value for link in links}))
            kept.append(replace(links[0], spellings=all_of))  # "support" of two queues
        elif not hidden and len(places) <= 2 * _MOST_PARTS:
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
    known_tokens = tokens[link.first : link.last + 1]
    if link.how == "part" and all(
        t.index in grammatical or _is_filler(t, ()) for t in known_tokens
    ):
        return not any(t.quoted or t.capital for t in known_tokens)
    named = any(t.first <= link.first <= t.last and t.coverage >= _NAMED for t in tables)
    if link.how == "part" and link.first == link.last and named and not token.quoted:
        return True  # "orders" are no part of "Order Administrator"
    if link.first != link.last or token.quoted or token.capital or token.index in loud(tokens):
        return False
    measured = unit_called(token.lower) is not None
    if link.how == "part" and (measured or link.first in grammatical or token.lower in ADJECTIVES):
        return True
    if link.place.column.distinct <= _MANY:
        return False
    if link.first in grammatical and link.place.kind in (Kind.NAME, Kind.TEXT):
        return True  # "number" is no song called "Numbers"
    return named


def counts_rows_so_called(link: ValueLink, tokens: Sequence[Token]) -> bool:
    """Whether a word for rows is counted: "how many records" are not those of kind Record."""
    before = [token.lower for token in tokens[max(0, link.first - 2) : link.first]]
    counted = before in (["how", "many"], ["number", "of"], ["count", "of"])
    return counted and link.first == link.last and tokens[link.first].lower in _ROWS
