"""What the words of one phrase may name: tables, columns, units of time and money taken."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.language.linking.doing import counts_times, without_doing
from services.planner.domain.language.linking.lexicon import Lexicon, Match
from services.planner.domain.language.linking.mention import Candidate
from services.planner.domain.language.linking.spans import (
    COUNTING_WORDS,
    bridges,
    content_stems,
    is_content,
)
from services.planner.domain.lexicon.normalise import Token, readable
from services.planner.domain.lexicon.vocabulary import (
    LINKING_WORDS,
    REVENUE_WORDS,
    STOP_WORDS,
)
from services.planner.domain.query.intent import Field, Grain
from services.planner.domain.query.joining.entities import naming
from services.planner.domain.reader.words.grains import PACES, grain_of

_LINKS = frozenset(["each", "every", "for", "in"])
_WHOLE, _EXACT = 0.95, 0.99
_OWNED = 0.01
_OF_NUMBERS = frozenset("total average maximum minimum".split())
_OF_THE = frozenset(("of", "the", "a", "any"))
_PARTS_OF_TIME = {
    ("day", "week"): Grain.WEEKDAY, ("days", "week"): Grain.WEEKDAY,
    ("month", "year"): Grain.MONTH_OF_YEAR, ("months", "year"): Grain.MONTH_OF_YEAR,
    ("calendar", "month"): Grain.MONTH_OF_YEAR, ("calendar", "months"): Grain.MONTH_OF_YEAR,
    ("hour", "day"): Grain.HOUR, ("hours", "day"): Grain.HOUR,
}  # fmt: skip
_CALLED, _CALLED_SO = frozenset(["name", "detail"]), 0.04


def names_of(lexicon: Lexicon, tokens: Sequence[Token], span: tuple[int, int]) -> list[Candidate]:
    """What a span of tokens may stand for, the likeliest first."""
    words = tokens[span[0] : span[1]]
    if _names_nothing(words, tokens, span):
        return []
    stems = content_stems(words)
    found: dict[tuple[str, str], Candidate] = {}
    counting = words[0].lower in ("number", "numbers", "total", "count") and len(words) > 1
    for match in without_doing(_matches(lexicon, tokens, span, stems), tokens, span):
        column = match.name.column
        if counting and not _is_own_name(match, words[0].stem):
            continue
        key = (match.name.table.name, column.name if column else "")
        old = found.get(key)
        score = match.score + (_OWNED if match.owned else 0.0)
        if old is None or old.score < score:
            found[key] = _candidate(match, key, score, stems)
    named = list(found.values())
    if len(words) == 1:
        named = _without_verbs(lexicon, named, tokens, span[0])
        named = [one for one in named if not _tells_pace(one, words[0])]
    return sorted(named + _concepts(words, stems), key=lambda c: -c.score)


def _names_nothing(words: Sequence[Token], tokens: Sequence[Token], span: tuple[int, int]) -> bool:
    """Whether the words only count, or describe the next one."""
    if all(t.lower in COUNTING_WORDS for t in words) and not _stands_alone(tokens, span):
        return True
    describes = len(words) == 1 and words[0].lower in _OF_NUMBERS and _continues(tokens, span[1])
    return describes or counts_times(tokens, span)


def _matches(
    lexicon: Lexicon, tokens: Sequence[Token], span: tuple[int, int], stems: Sequence[str]
) -> list[Match]:
    words = tokens[span[0] : span[1]]
    with_links = [t.stem for t in words]
    if any(t.lower in STOP_WORDS and not bridges(t) for t in words[1:]):
        matches = [m for m in lexicon.match(with_links) if m.score >= _EXACT]
    else:
        spelled = "".join(t.lower for t in words)
        matches = lexicon.match(stems, spelled)
        matches = matches + (lexicon.match(with_links) if len(with_links) > len(stems) else [])
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
    return list(matches)


def _without_verbs(
    lexicon: Lexicon, named: list[Candidate], tokens: Sequence[Token], place: int
) -> list[Candidate]:
    """Of a single word: what it names although it may be a verb, or say nothing."""
    word = tokens[place].lower
    stop = word in STOP_WORDS
    if stop or _is_verb(word):
        named = [
            one
            for one in named
            if one.score >= _EXACT or (not stop and lexicon.is_flag(one.table, one.column))
        ]
    if _is_verb(word) and _was_done(tokens, place):
        named = [
            one
            for one in named
            if not one.column
            or lexicon.is_flag(one.table, one.column)
            or word in readable(one.column).split()
        ]
    return named


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


def _tells_pace(named: Candidate, word: Token) -> bool:
    """Whether "months" would be the charges called monthly: a unit of time is no such number."""
    unit = grain_of(word.lower, word.stem) is not None and not word.lower.endswith("ly")
    said = set(readable(named.column).split()) if named.column else set()
    return unit and word.lower.rstrip("s") not in said and bool(said & PACES.keys())


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
    part = _PARTS_OF_TIME.get((words[0].lower, words[-1].lower))
    if part is None or not {t.lower for t in words[1:-1]} <= _OF_THE:
        return []
    return [Candidate("grain", grain=part, score=1.0, reason="a unit of time")]
