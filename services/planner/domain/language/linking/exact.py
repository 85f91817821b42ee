"""Columns whose names are no words at all: "sum of b by a", where "a" is a column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue, ColumnRole
from services.planner.domain.language.linking.mention import Candidate
from services.planner.domain.language.normalising.cues import AGGREGATE_WORDS
from services.planner.domain.lexicon.normalise import (
    Token,
    name_words,
    readable,
    stem,
)
from services.planner.domain.lexicon.vocabulary import STOP_WORDS

_LEADING = frozenset(
    """by per of each every vs versus and against where across over axis attribute ,
    count""".split()
)
_FOLLOWING = frozenset(
    """by per and or where for in over vs versus against is x y , . ? ! = > <""".split()
)
_SURE = 1.05
_SAID = frozenset(["max", "min", "avg"])
_AGGREGATE_STEMS = frozenset(stem(word) for word in AGGREGATE_WORDS)
_UNIT_AFTER = 2
_CATALOGUES = 16
_SAME = "the same name"


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of one word, and those of several by their first word, of which one is no content.

    `aggregates` are those that begin with a word like "max", by what it says, with stems after it.
    """

    single: dict[str, list[Candidate]]
    several: dict[str, list[tuple[list[str], Candidate]]]
    aggregates: dict[str, list[tuple[list[str], Candidate]]]


def exactly_named(
    tokens: Sequence[Token], catalogue: Catalogue
) -> dict[tuple[int, int], list[Candidate]]:
    """Single letters and words of no content that stand where only a column's name can stand."""
    names = _names_of(catalogue)
    return (
        _aggregates_named(tokens, names)
        | _identifiers(tokens, names)
        | {
            (index, index + 1): names.single[token.lower]
            for index, token in enumerate(tokens)
            if token.lower in names.single
            and not token.used
            and not token.quoted
            and _stands(tokens, index, index + 1)
        }
    )


@lru_cache(maxsize=_CATALOGUES)
def _names_of(catalogue: Catalogue) -> _Names:
    single: dict[str, list[Candidate]] = defaultdict(list)
    several: dict[str, list[tuple[list[str], Candidate]]] = defaultdict(list)
    for table in catalogue.tables:
        for column in table.columns:
            name = column.name.lower()
            if len(name) == 1 or name in STOP_WORDS:
                single[name].append(Candidate("column", table.name, column.name, reason=_SAME))
            words = readable(column.name).split()
            told_apart = set(words) & STOP_WORDS or any(word.isdigit() for word in words)
            if len(words) > 1 and told_apart:  # the lexicon finds all others
                found = Candidate("column", table.name, column.name, score=_SURE, reason=_SAME)
                several[words[0]].append((words, found))
    return _Names(dict(single), dict(several), _aggregate_names(catalogue))


def _aggregate_names(catalogue: Catalogue) -> dict[str, list[tuple[list[str], Candidate]]]:
    """Columns like "max_temperature_f", where no column holds the temperatures themselves."""
    stems = [(t, c, [stem(w) for w in readable(c.name).split()])
             for t in catalogue.tables for c in t.columns]  # fmt: skip
    names = {" ".join(words) for _, _, words in stems}
    plain = {name for name in names if name.split()[0] not in _AGGREGATE_STEMS}
    found: dict[str, list[tuple[list[str], Candidate]]] = defaultdict(list)
    for table, column, words in stems:
        wanted = AGGREGATE_WORDS.get(readable(column.name).split()[0])
        rest = words[1:-1] if len(words) > _UNIT_AFTER and len(words[-1]) == 1 else words[1:]
        if wanted not in _SAID or not rest or column.role is not ColumnRole.MEASURE:
            continue
        if not any(" ".join(rest) in name for name in plain - {" ".join(words)}):
            named = Candidate("column", table.name, column.name, score=_SURE, reason=_SAME)
            found[wanted].append((rest, named))
    return dict(found)


def _stands(tokens: Sequence[Token], first: int, last: int) -> bool:
    before = tokens[first - 1].lower if first else ""
    after = tokens[last].lower if last < len(tokens) else ""
    led = before in _LEADING or before in AGGREGATE_WORDS or not before
    return led and (not after or after in _FOLLOWING)


def _aggregates_named(
    tokens: Sequence[Token], names: _Names
) -> dict[tuple[int, int], list[Candidate]]:
    """ "Highest position" and "max temperature", where that is what columns are called."""
    found: dict[tuple[int, int], list[Candidate]] = {}
    for first, token in enumerate(tokens):
        for rest, candidate in names.aggregates.get(AGGREGATE_WORDS.get(token.lower, ""), ()):
            last = first + 1 + len(rest)
            here = tokens[first:last]
            if [t.stem for t in here[1:]] != rest or any(t.used or t.quoted for t in here):
                continue
            unit = name_words(candidate.column)[-1]
            last += len(unit) == 1 and [t.lower for t in tokens[last : last + 1]] == [unit]
            found.setdefault((first, last), []).append(candidate)
    return found


def _identifiers(tokens: Sequence[Token], names: _Names) -> dict[tuple[int, int], list[Candidate]]:
    """Names of several words, one of them of no content, as they stand: "Is_full_time"."""
    found: dict[tuple[int, int], list[Candidate]] = {}
    for first, token in enumerate(tokens):
        for words, candidate in names.several.get(token.lower, ()):
            here = tokens[first : first + len(words)]
            if [t.lower for t in here] != words or any(t.used or t.quoted for t in here):
                continue
            joined = here[1].start - here[0].end == 1 and here[0].end + 1 == here[1].start
            written = joined and token.text[:1].isupper()
            last = first + len(words)
            named = words[0] not in STOP_WORDS or words[0] in AGGREGATE_WORDS
            if written or named or _stands(tokens, first, last):
                found.setdefault((first, last), []).append(candidate)
    return found
