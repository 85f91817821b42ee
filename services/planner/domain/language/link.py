"""Ties phrases of the question to tables, columns, values and grains of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.catalogue import (
    Catalogue,
    ColumnRole,
    ValueHit,
    ValueLookup,
)
from services.planner.domain.language.cues import COMPARATORS, TEXT_OPERATORS, VALUE_WORDS
from services.planner.domain.language.exact import exactly_named
from services.planner.domain.language.grains import grain_of
from services.planner.domain.language.intent import Grain
from services.planner.domain.language.lexicon import Lexicon, Match
from services.planner.domain.language.mention import Candidate, Mention
from services.planner.domain.language.normalise import Token, name_words
from services.planner.domain.language.vocabulary import (
    LINKING_WORDS,
    QUANTITY_WORDS,
    REVENUE_WORDS,
    STOP_WORDS,
)

_LONGEST_NAME = 7
_LONGEST_VALUE = 4
_MOST_CANDIDATES = 8
_MOST_PHRASES = 160
_LINKING = LINKING_WORDS | {"each"}
_OPERATOR_WORDS = frozenset(
    word for phrase, _ in (*TEXT_OPERATORS, *COMPARATORS) for word in phrase.split()
)
_COUNTING_WORDS = frozenset(["number", "numbers", "total", "count", "counts"])
_NAME_STOP_WORDS = STOP_WORDS - frozenset(
    """first last number count total average top bottom maximum minimum low high start end from to
    result results order like total figure""".split()
)


async def link(
    question: str, tokens: Sequence[Token], catalogue: Catalogue, lookup: ValueLookup
) -> list[Mention]:
    """Mentions in the order of the question, none overlapping, each with its candidates."""
    lexicon = Lexicon(catalogue)
    spans = {span: _names(lexicon, tokens, span) for span in _spans(tokens, _LONGEST_NAME)}
    spans |= exactly_named(tokens, catalogue)
    phrases = _phrases(question, tokens, spans)
    hits = await lookup(list(phrases)) if phrases else []
    for span, candidates in _values(phrases, hits, tokens, catalogue):
        spans[span] = sorted(spans.get(span, []) + candidates, key=lambda c: -c.score)
    mentions = [
        Mention(
            first,
            last,
            question[tokens[first].start : tokens[last - 1].end],
            tuple(_content(tokens[first:last])),
            tuple(candidates[:_MOST_CANDIDATES]),
        )
        for (first, last), candidates in spans.items()
        if candidates
    ]
    return _without_selling(_best_cover(mentions, len(tokens)), tokens)


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


def _spans(tokens: Sequence[Token], longest: int) -> Iterator[tuple[int, int]]:
    for first, token in enumerate(tokens):
        if not _is_content(token):
            continue
        for last in range(first + 1, min(len(tokens), first + longest) + 1):
            end = tokens[last - 1]
            if end.used or end.mark or end.quoted:
                break
            if _is_content(end) and not (last - first > 1 and end.number is not None):
                yield first, last


def _bridges(token: Token) -> bool:
    return (
        token.lower in LINKING_WORDS or token.lower == "each" or token.lower not in _NAME_STOP_WORDS
    )


def _is_content(token: Token) -> bool:
    return not (
        token.used
        or token.mark
        or token.quoted
        or (token.number is not None and not token.stem)
        or token.lower in _NAME_STOP_WORDS
    )


def _content(tokens: Sequence[Token]) -> list[str]:
    return [
        t.stem
        for t in tokens
        if t.stem and not t.mark and (t.lower not in _LINKING or len(tokens) == 1)
    ]


def _names(lexicon: Lexicon, tokens: Sequence[Token], span: tuple[int, int]) -> list[Candidate]:
    words = tokens[span[0] : span[1]]
    if all(t.lower in _COUNTING_WORDS for t in words) and not _stands_alone(tokens, span):
        return []
    single = len(words) == 1
    if single and words[0].lower == "total" and _continues(tokens, span[1]):
        return []
    counting = words[0].lower in ("number", "numbers", "total", "count") and len(words) > 1
    with_links = [t.stem for t in words]
    stems = _content(words)
    found: dict[tuple[str, str], Candidate] = {}
    spelled = "".join(t.lower for t in words)
    whole = lexicon.match(with_links) if len(with_links) > len(stems) else []
    if any(t.lower in STOP_WORDS and not _bridges(t) for t in words[1:]):
        matches = [m for m in lexicon.match(with_links) if m.score >= 0.99]
    else:
        matches = lexicon.match(stems, spelled) + whole
    far = {t.lower for t in words[1:-1]} & {"each", "for", "in"}
    if far:
        matches = [m for m in matches if lexicon.is_column_then_owner(m, stems)]
    for match in matches:
        column = match.name.column
        if counting and not _is_own_name(match, words[0].stem):
            continue
        key = (match.name.table.name, column.name if column else "")
        old = found.get(key)
        score = match.score + (0.01 if match.owned else 0.0)
        if old is None or old.score < score:
            found[key] = Candidate(
                "column" if column else "table", *key, score=score, reason=match.reason
            )
    stop = words[0].lower in STOP_WORDS
    if single and (stop or _is_verb(words[0].lower)):
        found = {
            key: one
            for key, one in found.items()
            if one.score >= 0.99 or (not stop and lexicon.is_flag(one.table, one.column))
        }
    candidates = list(found.values()) + _concepts(words, stems)
    return sorted(candidates, key=lambda c: -c.score)


def _is_own_name(match: Match, first: str) -> bool:
    """Whether "total" or "number" is part of a column's name, not a word of aggregation."""
    column = match.name.column
    measure = column is not None and column.role is ColumnRole.MEASURE
    return measure and match.score >= 1 and first in match.name.words


def _is_verb(word: str) -> bool:
    return word.endswith("ed") and len(word) > 5


def _stands_alone(tokens: Sequence[Token], span: tuple[int, int]) -> bool:
    """Whether "number" is a name here, not the start of "number of"."""
    after = [t.lower for t in tokens[span[1] : span[1] + 1]]
    before = [t.lower for t in tokens[max(0, span[0] - 1) : span[0]]]
    return after not in (["of"], ["for"], ["from"], ["in"], ["by"]) and before != ["total"]


def _continues(tokens: Sequence[Token], position: int) -> bool:
    """Whether the next token is a word of content, so that this one only describes it."""
    return position < len(tokens) and _is_content(tokens[position])


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


def _phrases(
    question: str, tokens: Sequence[Token], names: dict[tuple[int, int], list[Candidate]]
) -> dict[str, list[tuple[int, int]]]:
    phrases: dict[str, list[tuple[int, int]]] = {}
    for index, token in enumerate(tokens):
        if token.quoted and not token.used:
            phrases.setdefault(token.text, []).append((index, index + 1))
        elif token.lower in VALUE_WORDS or token.stem in VALUE_WORDS:
            for value in VALUE_WORDS.get(token.lower, VALUE_WORDS.get(token.stem, ())):
                phrases.setdefault(value, []).append((index, index + 1))
    for first, last in _spans(tokens, _LONGEST_VALUE):
        ends = {tokens[first].lower, tokens[last - 1].lower}
        inner = tokens[first + 1 : last]
        if ends & STOP_WORDS or any(t.lower in STOP_WORDS and not _bridges(t) for t in inner):
            continue
        if any(t.text in _OPERATOR_WORDS for t in tokens[first:last]):
            continue
        exact = any(c.score >= 1.0 for c in names.get((first, last), ()) if c.kind != "grain")
        capital = tokens[first].text[:1].isupper()
        counting = all(t.lower in _COUNTING_WORDS for t in tokens[first:last])
        if counting or (exact and not capital):
            continue
        text = question[tokens[first].start : tokens[last - 1].end]
        if len(text) > 1 or text.isupper():
            phrases.setdefault(text, []).append((first, last))
    return dict(list(phrases.items())[:_MOST_PHRASES])


def _values(
    phrases: dict[str, list[tuple[int, int]]],
    hits: Sequence[ValueHit],
    tokens: Sequence[Token],
    catalogue: Catalogue,
) -> Iterator[tuple[tuple[int, int], list[Candidate]]]:
    by_span: dict[tuple[int, int], dict[tuple[str, str], Candidate]] = {}
    for hit in hits:
        table = catalogue.table(hit.table)
        if table is None or table.column(hit.column) is None:
            continue
        for span in phrases.get(hit.phrase, ()):
            score = _value_score(hit, tokens, span)
            if score <= 0.4:
                continue
            kept = by_span.setdefault(span, {})
            key = (hit.table, hit.column)
            if key not in kept or kept[key].score < score:
                kept[key] = Candidate(
                    "value", hit.table, hit.column, hit.value, score=score, reason="a value in it"
                )
    for span, found in by_span.items():
        yield span, sorted(found.values(), key=lambda c: -c.score)


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
    if hit.score < 0.9 and not capital:
        if token.lower.endswith(("ing", "ed")):
            return 0.0
        score -= 0.15
    return score + 0.02 * (span[1] - span[0] - 1) + (0.03 if same_case else 0.0)


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
