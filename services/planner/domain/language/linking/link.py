"""Ties phrases of the question to tables, columns, values and grains of time."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import (
    Catalogue,
    ColumnRole,
    ValueLookup,
)
from services.planner.domain.language.intent import Field, Grain
from services.planner.domain.language.joining.entities import naming
from services.planner.domain.language.linking.doing import counts_times, without_doing
from services.planner.domain.language.linking.exact import exactly_named
from services.planner.domain.language.linking.lexicon import SYNONYM, Lexicon, Match, lexicon_of
from services.planner.domain.language.linking.linked_values import phrases_of, values_of
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.linking.spans import (
    COUNTING_WORDS,
    bridges,
    content_stems,
    is_content,
    spans_of,
)
from services.planner.domain.language.normalising.grains import grain_of
from services.planner.domain.language.normalising.normalise import Token, name_words, readable
from services.planner.domain.language.normalising.vocabulary import (
    LINKING_WORDS,
    QUANTITY_WORDS,
    REVENUE_WORDS,
    STOP_WORDS,
)

_LONGEST_NAME = 7
_MOST_CANDIDATES = 8
_LINKS = frozenset(["each", "every", "for", "in"])
_WHOLE = 0.95
_BIN_REACH = 6
_OF_NUMBERS = frozenset("total average maximum minimum".split())
_SURE_VALUE, _LIKELY_VALUE = 0.9, 0.6
_CALLED, _CALLED_SO = frozenset(["name", "detail"]), 0.04
_SPOKEN, _BESIDE = 0.3, 0.15


async def link(
    question: str, tokens: Sequence[Token], catalogue: Catalogue, lookup: ValueLookup
) -> list[Mention]:
    """Mentions in the order of the question, none overlapping, each with its candidates."""
    lexicon = lexicon_of(catalogue)
    spans = {span: _names(lexicon, tokens, span) for span in spans_of(tokens, _LONGEST_NAME)}
    spans |= exactly_named(tokens, catalogue)
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


def _names(lexicon: Lexicon, tokens: Sequence[Token], span: tuple[int, int]) -> list[Candidate]:
    words = tokens[span[0] : span[1]]
    if all(t.lower in COUNTING_WORDS for t in words) and not _stands_alone(tokens, span):
        return []
    if counts_times(tokens, span):
        return []
    single = len(words) == 1
    if single and words[0].lower in _OF_NUMBERS and _continues(tokens, span[1]):
        return []
    counting = words[0].lower in ("number", "numbers", "total", "count") and len(words) > 1
    with_links = [t.stem for t in words]
    stems = content_stems(words)
    found: dict[tuple[str, str], Candidate] = {}
    spelled = "".join(t.lower for t in words)
    whole = lexicon.match(with_links) if len(with_links) > len(stems) else []
    if any(t.lower in STOP_WORDS and not bridges(t) for t in words[1:]):
        matches = [m for m in lexicon.match(with_links) if m.score >= 0.99]
    else:
        matches = lexicon.match(stems, spelled) + whole
    keyed = words[-1].lower == "number" and len(stems) > 1
    if keyed and [t.lower for t in tokens[span[1] : span[1] + 1]] != ["of"]:
        matches = matches + _keys_called_numbers(lexicon, stems, matches)
    inner = {t.lower for t in words[1:-1]}
    if inner & _LINKS:
        matches = [m for m in matches if lexicon.is_column_then_owner(m, stems)]
        matches = [m for m in matches if _one_owner(m, words)]
    if inner & {"each", "every"}:  # "the price of each product" has a row for each
        apart = "in" in inner
        matches = [m for m in matches if m.name.column and not _is_number_or_date(m) and not apart]
    for match in without_doing(matches, tokens, span):
        column = match.name.column
        if counting and not _is_own_name(match, words[0].stem):
            continue
        key = (match.name.table.name, column.name if column else "")
        old = found.get(key)
        score = match.score + (0.01 if match.owned else 0.0)
        if old is None or old.score < score:
            found[key] = _candidate(match, key, score, stems)
    stop = words[0].lower in STOP_WORDS
    if single and (stop or _is_verb(words[0].lower)):
        found = {
            key: one
            for key, one in found.items()
            if one.score >= 0.99 or (not stop and lexicon.is_flag(one.table, one.column))
        }
    if single and _is_verb(words[0].lower) and _was_done(tokens, span[0]):
        found = {
            key: one
            for key, one in found.items()
            if not one.column or lexicon.is_flag(one.table, one.column)
            or words[0].lower in readable(one.column).split()
        }  # fmt: skip
    candidates = list(found.values()) + _concepts(words, stems)
    return sorted(candidates, key=lambda c: -c.score)


def _keys_called_numbers(
    lexicon: Lexicon, stems: Sequence[str], matches: Sequence[Match]
) -> list[Match]:
    """The department id for "department number", where nothing has that name."""
    if any(match.name.column is not None and match.score >= _WHOLE for match in matches):
        return []
    called = lexicon.match([*stems[:-1], "id"])
    return [m for m in called if m.name.column is not None and m.score >= _WHOLE]


def _one_owner(match: Match, words: Sequence[Token]) -> bool:
    """Whether what stands after "each" is the owner's, and not partly the column's.

    "Employees for each job id" are not the employee ids of the job history.
    """
    name = match.name
    place = next(i for i, t in enumerate(words) if i and t.lower in _LINKS)
    after = {t.stem for t in words[place + 1 :] if t.stem and t.lower not in LINKING_WORDS}
    return not (after & (set(name.words) - name.owner) and after & (name.owner - set(name.words)))


def _candidate(match: Match, key: tuple[str, str], score: float, stems: Sequence[str]) -> Candidate:
    """What a match stands for; "campus names" are the column that the campuses are called by."""
    if match.name.column is None and _CALLED & (set(stems) - set(match.name.words)):
        called = naming(match.name.table)
        if isinstance(called, Field):
            sure = min(1.0, score + _CALLED_SO)
            return Candidate("column", called.table, called.column, score=sure, reason="name")
    kind = "column" if match.name.column else "table"
    return Candidate(kind, *key, score=score, reason=match.reason)


def _is_number_or_date(match: Match) -> bool:
    roles = (ColumnRole.MEASURE, ColumnRole.TIMESTAMP)
    return match.name.column is not None and match.name.column.role in roles


def _is_own_name(match: Match, first: str) -> bool:
    """Whether "total" or "number" is part of a column's name, not a word of aggregation."""
    column = match.name.column
    measure = column is not None and column.role is ColumnRole.MEASURE
    return measure and match.score >= 1 and first in match.name.words


def _is_verb(word: str) -> bool:
    return word.endswith("ed") and len(word) > 5


def _was_done(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word says what was done, and names no column: "has hosted" is no host."""
    return place > 0 and tokens[place - 1].lower in ("has", "have", "had")


def _stands_alone(tokens: Sequence[Token], span: tuple[int, int]) -> bool:
    """Whether "number" is a name here, not the start of "number of"."""
    after = [t.lower for t in tokens[span[1] : span[1] + 1]]
    before = [t.lower for t in tokens[max(0, span[0] - 1) : span[0]]]
    return after not in (["of"], ["for"], ["from"], ["in"], ["by"]) and before != ["total"]


def _continues(tokens: Sequence[Token], position: int) -> bool:
    """Whether the next token is a word of content, so that this one only describes it."""
    return position < len(tokens) and is_content(tokens[position])


def _concepts(words: Sequence[Token], stems: Sequence[str]) -> list[Candidate]:
    if len(stems) == 1:
        lower = words[0].lower
        grain = grain_of(lower, stems[0])
        if grain is not None:
            score = 0.6 if grain is Grain.HOUR and lower != "hourly" else 0.84
            return [Candidate("grain", grain=grain, score=score, reason="a unit of time")]
        if stems[0] in REVENUE_WORDS:
            return [Candidate("revenue", score=0.8, reason="price times quantity")]
    if [t.lower for t in words[:1]] == ["day"] and words[-1].lower == "week":
        return [Candidate("grain", grain=Grain.WEEKDAY, score=1.0, reason="a unit of time")]
    return []


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
