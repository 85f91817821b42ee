"""Ties phrases of the question to tables, columns, values and grains of time."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import (
    Catalogue,
    ValueLookup,
)
from services.planner.domain.language.linking.exact import exactly_named
from services.planner.domain.language.linking.lexicon import SYNONYM, lexicon_of
from services.planner.domain.language.linking.linked_values import phrases_of, values_of
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.linking.phrase_names import names_of
from services.planner.domain.language.linking.spans import (
    content_stems,
    spans_of,
)
from services.planner.domain.lexicon.named_alike import (
    amount_called_so,
    rows_are_meant,
)
from services.planner.domain.lexicon.normalise import Token, name_words
from services.planner.domain.lexicon.vocabulary import (
    QUANTITY_WORDS,
)
from services.planner.domain.reader.words.grains import grain_of

_LONGEST_NAME = 7
_MOST_CANDIDATES = 8
_BIN_REACH = 6
_SURE_VALUE, _LIKELY_VALUE = 0.9, 0.6
_SPOKEN, _BESIDE = 0.3, 0.15


async def link(
    question: str, tokens: Sequence[Token], catalogue: Catalogue, lookup: ValueLookup
) -> list[Mention]:
    """Mentions in the order of the question, none overlapping, each with its candidates."""
    lexicon = lexicon_of(catalogue)
    spans = {span: names_of(lexicon, tokens, span) for span in spans_of(tokens, _LONGEST_NAME)}
    spans |= exactly_named(tokens, catalogue)
    spans = {
        span: _with_amounts(found, span[0], tokens, catalogue) for span, found in spans.items()
    }
    binned = _binned(tokens)
    for span, candidates in spans.items():
        if span[1] - span[0] == 1 and tokens[span[0]].stem in binned:
            spans[span] = [c for c in candidates if c.kind == "grain"] or candidates
    phrases = phrases_of(question, tokens, spans)
    hits = await lookup(list(phrases)) if phrases else []
    for span, candidates in values_of(phrases, hits, tokens, catalogue):
        spans[span] = sorted(spans.get(span, []) + candidates, key=lambda c: -c.score)
    spans = {span: _without_own_value(span, names, spans) for span, names in spans.items()}
    spans = {span: _kinds_before_synonyms(names) for span, names in spans.items()}
    mentions = [
        Mention(
            first,
            last,
            question[tokens[first].start : tokens[last - 1].end],
            tuple(content_stems(tokens[first:last])),
            tuple(candidates),
        )
        for (first, last), candidates in spans.items()
        if candidates
    ]
    covering = _without_selling(_best_cover(mentions, len(tokens)), tokens)
    return _with_few_candidates(covering, catalogue)


def _with_amounts(
    candidates: list[Candidate], first: int, tokens: Sequence[Token], catalogue: Catalogue
) -> list[Candidate]:
    """The candidates with the amount that is called like its table in the table's place."""
    before = [token.lower for token in tokens[:first]]

    def meant(one: Candidate) -> Candidate:
        table = catalogue.table(one.table) if one.kind == "table" else None
        amount = amount_called_so(table) if table is not None else None
        if table is None or amount is None or rows_are_meant(table, before):
            return one
        return Candidate("column", table.name, amount.name, score=one.score, reason=one.reason)

    kept: list[Candidate] = []
    columns: set[tuple[str, str]] = set()
    for one in map(meant, candidates):
        place = (one.table, one.column)
        if one.kind != "column" or place not in columns:
            kept.append(one)
        columns |= {place} if one.kind == "column" else set()
    return kept


def _binned(tokens: Sequence[Token]) -> set[str]:
    """The units that dates are put into: "bin birth date by year" speaks of no column "year"."""
    found: set[str] = set()
    for place, token in enumerate(tokens):
        before = [t.lower for t in tokens[max(0, place - _BIN_REACH) : place]]
        said = {"bin", "binned", "binning"} & set(before)
        if said and before[-1] in ("by", "into", "in") and grain_of(token.lower, token.stem):
            found.add(token.stem)
    return found


def _without_own_value(
    span: tuple[int, int],
    candidates: list[Candidate],
    spans: dict[tuple[int, int], list[Candidate]],
) -> list[Candidate]:
    """The candidates without columns of which a value is said: in "rank Professor" that is two."""
    values = {
        (one.table, one.column)
        for first in range(span[0] + 1, span[1])
        for one in spans.get((first, span[1]), ())
        if one.kind == "value" and one.score >= _SURE_VALUE
    }
    return [c for c in candidates if c.kind != "column" or (c.table, c.column) not in values]


def _kinds_before_synonyms(candidates: list[Candidate]) -> list[Candidate]:
    """Of a faculty with the rank "Professor", "professors" are these, not all of the faculty."""
    kinds = {c.table for c in candidates if c.kind == "value" and _is_whole(c)}
    tables = [c for c in candidates if c.kind == "table" and c.reason == SYNONYM]
    return [c for c in candidates if c not in tables or c.table not in kinds]


def _is_whole(candidate: Candidate) -> bool:
    return candidate.score >= _LIKELY_VALUE and len(name_words(candidate.value)) == 1


def _with_few_candidates(mentions: list[Mention], catalogue: Catalogue) -> list[Mention]:
    """The mentions with the best candidates each: of many like-named columns those of, or next
    to, the tables that the question speaks of."""
    certain = [m for m in mentions if len(m.candidates) <= _MOST_CANDIDATES]
    spoken = {c.table for m in certain for c in m.candidates}
    spoken |= {c.table for m in mentions for c in m.candidates if c.kind == "table"}
    beside = {link.to_table for link in catalogue.relationships if link.from_table in spoken}
    beside |= {link.from_table for link in catalogue.relationships if link.to_table in spoken}

    def rank(candidate: Candidate) -> float:
        near = _SPOKEN if candidate.table in spoken else _BESIDE if candidate.table in beside else 0
        return candidate.score + near

    for mention in mentions:
        if len(mention.candidates) > _MOST_CANDIDATES:
            best = sorted(mention.candidates, key=rank, reverse=True)[:_MOST_CANDIDATES]
            mention.candidates = tuple(sorted(best, key=lambda c: -c.score))
    return mentions


def _without_selling(mentions: list[Mention], tokens: Sequence[Token]) -> list[Mention]:
    """Mentions without a "sold" that only says what happened to a quantity: "units sold"."""
    quantities = [
        m
        for m in mentions
        if m.chosen.kind == "column" and set(name_words(m.chosen.column)) & QUANTITY_WORDS
    ]
    kept: list[Mention] = []
    for mention in mentions:
        beside = any(mention.first == q.last or mention.last == q.first for q in quantities)
        if beside and mention.chosen.kind == "revenue" and mention.stems in (("sold",), ("sell",)):
            tokens[mention.first].used = "verb"
        else:
            kept.append(mention)
    return kept


def _best_cover(mentions: list[Mention], length: int) -> list[Mention]:
    """The non-overlapping mentions that explain most of the question, by dynamic programming."""
    ending: dict[int, list[Mention]] = {}
    for mention in mentions:
        ending.setdefault(mention.last, []).append(mention)
    best: list[tuple[float, list[Mention]]] = [(0.0, [])]
    for position in range(1, length + 1):
        options = [best[position - 1]]
        for mention in ending.get(position, ()):
            before, chosen = best[mention.first]
            words = len(mention.stems) or 1
            gain = (mention.chosen.score - 0.3) * words + 0.06 * (words - 1)
            options.append((before + gain, [*chosen, mention]))
        best.append(max(options, key=lambda option: option[0]))
    return best[length][1]
