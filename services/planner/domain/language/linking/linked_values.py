"""Phrases that may be values of the data, and what a look-up found for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.planner.domain.catalogue import (
    Catalogue,
    ValueHit,
)
from services.planner.domain.language.conditions.durations import UNIT_WORDS
from services.planner.domain.language.linking.mention import Candidate
from services.planner.domain.language.linking.spans import COUNTING_WORDS, bridges, spans_of
from services.planner.domain.language.normalising.cues import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    COMPARATORS,
    NEGATIONS,
    SUPERLATIVES,
    TEXT_OPERATORS,
    VALUE_WORDS,
)
from services.planner.domain.lexicon.normalise import Token, name_words, stem
from services.planner.domain.lexicon.vocabulary import (
    STOP_WORDS,
)
from services.planner.domain.reader.words.common_words import are_common

_MOST_PHRASES = 160
_MANY = 50
"""More different values than a column of kinds and levels has."""
_LONGEST_VALUE = 4
_RANKING = frozenset([*SUPERLATIVES, *ADJECTIVES]) - {"paid"}
"""Of songs, "the longest track" does not mean "The Longest Day"."""
_VERBS = frozenset(
    """come comes came live lives lived grow grows grew rise rises rose fall falls fell go goes went
    make makes made get gets got take takes took give gives gave stay stays work works keep keeps
    leave leaves begin begins look looks looked hide hides hidden handle handles carry carries place
    places happen happens what's who's now after before ever still again only mind""".split()
)
"""Customers who "live" in a city are not about the song "Live To Win", nor those somebody "looks
after" about "Looks That Kill"."""
_ADDRESS = frozenset(stem(word) for word in ("address", "street"))
_WAYS = {
    "from": frozenset(stem(word) for word in ("origin", "source", "departure", "from", "start")),
    "to": frozenset(stem(word) for word in ("destination", "dest", "arrival", "to", "end")),
}
_ON_THE_WAY = 0.06
_COMPUTING = frozenset(AGGREGATE_WORDS)
_ORDERED = frozenset(["first", "last"])
_TWO_WORDS = (("standard", "deviation"), ("standard", "deviations"), ("standard", "error"))
_OPERATOR_WORDS = frozenset(
    word for phrase, _ in (*TEXT_OPERATORS, *COMPARATORS) for word in phrase.split()
)


def phrases_of(
    question: str, tokens: Sequence[Token], names: dict[tuple[int, int], list[Candidate]]
) -> dict[str, list[tuple[int, int]]]:
    """Every phrase that may be a value, with where it is said; names that fit are no values."""
    phrases: dict[str, list[tuple[int, int]]] = {}
    for index, token in enumerate(tokens):
        if token.quoted and not token.used:
            phrases.setdefault(token.text, []).append((index, index + 1))
        elif token.lower in VALUE_WORDS or token.stem in VALUE_WORDS:
            for value in VALUE_WORDS.get(token.lower, VALUE_WORDS.get(token.stem, ())):
                phrases.setdefault(value, []).append((index, index + 1))
    for first, last in spans_of(tokens, _LONGEST_VALUE):
        ends = {tokens[first].lower, tokens[last - 1].lower}
        if _calculates(tokens, first, last):
            continue
        inner = tokens[first + 1 : last]
        capital = tokens[first].text[:1].isupper()
        ranking = ends <= _RANKING and not (capital and first)
        unit = ends <= UNIT_WORDS and first > 0 and tokens[first - 1].number is not None
        computed = ends <= _COMPUTING and not capital  # "median" is no misspelled "Media"
        if last - first == 1 and (ends & NEGATIONS or ranking or unit or computed):
            continue
        if ends & STOP_WORDS or any(t.lower in STOP_WORDS and not bridges(t) for t in inner):
            continue
        if any(t.text in _OPERATOR_WORDS for t in tokens[first:last]):
            continue
        exact = any(c.score >= 1.0 for c in names.get((first, last), ()) if c.kind != "grain")
        counting = all(t.lower in COUNTING_WORDS for t in tokens[first:last])
        if counting or (exact and not capital):
            continue
        text = question[tokens[first].start : tokens[last - 1].end]
        if len(text) > 1 or text.isupper():
            phrases.setdefault(text, []).append((first, last))
    more = (*_written_together(tokens), *_short_names(question, tokens), *_ordered_kinds(tokens))
    for first, last in more:
        text = question[tokens[first].start : tokens[last - 1].end]
        phrases.setdefault(text, []).append((first, last))
    return dict(list(phrases.items())[:_MOST_PHRASES])


def _calculates(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether a word is part of "standard deviation", which is no "Standard Class"."""
    pairs = [(t.lower, after.lower) for t, after in pairwise(tokens[max(0, first - 1) : last + 1])]
    return any(pair in _TWO_WORDS for pair in pairs)


def _written_together(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Words that a mark ties into one: "Meat/Poultry", "A-Class", "Research & Development"."""
    first = 0
    while first < len(tokens):
        last = first + 1
        while last + 1 < len(tokens) and _tied(tokens, last):
            last += 2
        if last > first + 1 and not any(t.used or t.quoted for t in tokens[first:last]):
            yield first, last
        first = last


def _short_names(question: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Names in capitals that would else be little words: the IT department, the US."""
    if question.isupper():
        return
    for index, token in enumerate(tokens):
        name = len(token.text) > 1 and token.text.isupper() and not (token.used or token.quoted)
        if name and token.lower in STOP_WORDS:
            yield index, index + 1


def _ordered_kinds(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The "first" of "in first class": `values_of` takes it for a value of "class" alone."""
    for index, token in enumerate(tokens[:-1]):
        named = bool(tokens[index + 1].stem) and not tokens[index + 1].used
        if token.lower in _ORDERED and named and not (token.used or token.quoted):
            yield index, index + 1


def _is_other_kind(hit: ValueHit, tokens: Sequence[Token], span: tuple[int, int]) -> bool:
    if span[1] - span[0] != 1 or tokens[span[0]].quoted or tokens[span[0]].lower not in _ORDERED:
        return False
    return not _is_whole(hit) or tokens[span[1]].stem not in name_words(hit.column)


def _tied(tokens: Sequence[Token], mark: int) -> bool:
    before, tie, after = tokens[mark - 1 : mark + 2]
    words = not (before.mark or after.mark or before.quoted or after.quoted)
    touching = before.end == tie.start and tie.end == after.start
    return words and tie.mark and (tie.text == "&" or (touching and tie.text in "/-.'+:"))


def values_of(
    phrases: dict[str, list[tuple[int, int]]],
    hits: Sequence[ValueHit],
    tokens: Sequence[Token],
    catalogue: Catalogue,
) -> Iterator[tuple[tuple[int, int], list[Candidate]]]:
    """What the look-up found for each phrase, best first."""
    by_span: dict[tuple[int, int], dict[tuple[str, str], Candidate]] = {}
    for hit in hits:
        table = catalogue.table(hit.table)
        if table is None or table.column(hit.column) is None:
            continue
        address = bool(_ADDRESS & set(name_words(hit.column)))
        for span in phrases.get(hit.phrase, ()):
            column = table.column(hit.column)
            many = column is not None and column.distinct > _MANY
            if many and not tokens[span[0]].quoted and _everyday(hit, span):
                continue
            score = _value_score(hit, tokens, span) + _way(hit, tokens, span)
            if address and not _is_whole(hit) and not _ADDRESS & {t.stem for t in tokens}:
                continue  # who lives in Europe does not live in "avenue de l'Europe"
            if score <= 0.4 or _is_other_kind(hit, tokens, span):
                continue
            kept = by_span.setdefault(span, {})
            key = (hit.table, hit.column)
            if key not in kept or kept[key].score < score:
                kept[key] = Candidate(
                    "value", hit.table, hit.column, hit.value, score=score, reason="a value in it"
                )
    for span, found in by_span.items():
        yield span, sorted(found.values(), key=lambda c: -c.score)


def _everyday(hit: ValueHit, span: tuple[int, int]) -> bool:
    """Whether a few everyday words are a part of a title, or one of them all of it."""
    short = span[1] - span[0] == 1 or not _is_whole(hit)
    return short and are_common(hit.phrase)


def _is_whole(hit: ValueHit) -> bool:
    return hit.value.lower() == hit.phrase.lower()


def _way(hit: ValueHit, tokens: Sequence[Token], span: tuple[int, int]) -> float:
    """A little more for where something starts after "from", and where it ends after "to"."""
    before = tokens[span[0] - 1].lower if span[0] else ""
    return _ON_THE_WAY * bool(_WAYS.get(before, frozenset()) & set(name_words(hit.column)))


def _value_score(hit: ValueHit, tokens: Sequence[Token], span: tuple[int, int]) -> float:
    token = tokens[span[0]]
    if token.quoted:
        return hit.score * 1.1
    if token.lower in VALUE_WORDS or token.stem in VALUE_WORDS:
        return 0.95
    starts_sentence = span[0] == 0
    capital = token.text[:1].isupper() and not starts_sentence
    same_case = hit.value == hit.phrase
    score = hit.score * (0.98 if capital else 0.84)
    if len(hit.phrase) == 1 and tokens[span[0] - 1].lower not in ("is", "are", "=", "with", "code"):
        return 0.0
    if len(hit.phrase) <= 2 and not same_case:
        return 0.0
    done = token.lower.endswith("ed") and not capital and span[1] - span[0] == 1
    if done and hit.value.lower() != hit.phrase.lower():
        return 0.0  # tickets that were "opened" need not be "open"
    if token.lower in _VERBS and not capital and hit.value.lower() != hit.phrase.lower():
        return 0.0
    if hit.score < 0.9 and not capital:
        if token.lower.endswith(("ing", "ed")):
            return 0.0
        score -= 0.15
    return score + 0.02 * (span[1] - span[0] - 1) + (0.03 if same_case else 0.0)
