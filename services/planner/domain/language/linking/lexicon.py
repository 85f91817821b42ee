"""The catalogue's names as words, indexed, so that a phrase finds what it names quickly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.language.linking.nearly import initials, is_short_for, misspelled
from services.planner.domain.lexicon.normalise import name_words, stem
from services.planner.domain.lexicon.synonyms import _synonyms
from services.planner.domain.lexicon.vocabulary import (
    GENERIC_WORDS,
    STOP_WORDS,
)

_SYNONYM_SCORE = 0.8
_NAME_EXTRA = 0.3  # "the party name" is the party, where nothing has that very name
_NAMING = frozenset(("name", "titl"))
_NEARLY_SCORE = 0.79
_SHORT_SCORE, _INITIALS_SCORE = 0.7, 0.8
_HEAD = 0.02  # "engineers" are maintenance engineers rather than engineer visits
SYNONYM, MISSPELLED, SHORT, INITIALS = "synonym", "likely spelling", "short form", "initials"
_REASONS = {_NEARLY_SCORE: MISSPELLED, _SHORT_SCORE: SHORT}
_COMMENT_SCORE, _WHOLE_COMMENT = 0.6, 0.25
_MOST_MATCHES, _CATALOGUES, _MOST_REMEMBERED = 64, 16, 20_000
_Key = TypeVar("_Key")
_Found = TypeVar("_Found")
_TABLE_FILLERS = frozenset(stem(w) for w in ("ref", "reference", "data", "table", "all", "info"))
_IGNORABLE_EXTRAS = frozenset(
    stem(w) for w in ("name", "value", "code", "level", "percentage", "detail", "amount", "time")
)
_LINKING = frozenset(["of", "in", "the", "and"])
_STOP_STEMS = frozenset(stem(word) for word in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Name:
    """A table's or a column's name as words, or another name that a semantic model gives it;
    `owner` holds the words of its table's name."""

    table: Table
    column: Column | None
    words: tuple[str, ...]
    owner: frozenset[str]


@dataclass(frozen=True, slots=True)
class Match:
    """How well a phrase fits a name; `owned` says that it also named the table."""

    name: Name
    score: float
    reason: str
    owned: bool = False


@lru_cache(maxsize=_CATALOGUES)
def lexicon_of(catalogue: Catalogue) -> Lexicon:
    """The lexicon of a catalogue, built once for equal content, policy included."""
    return Lexicon(catalogue)


class Lexicon:
    """All names of one catalogue. Deterministic: matches come in the catalogue's order."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._by_word: dict[str, list[Name]] = defaultdict(list)
        self._matches: dict[tuple[str, ...], list[Match]] = {}
        self._variants: dict[str, dict[str, float]] = {}
        self._by_joined: dict[str, list[Name]] = defaultdict(list)
        self._by_comment: dict[str, list[tuple[Name, int]]] = defaultdict(list)
        for table in catalogue.tables:
            words = name_words(table.name)
            owner = frozenset(words) - _TABLE_FILLERS
            self._add(Name(table, None, words, owner))
            for said in table.synonyms:
                self._add(Name(table, None, name_words(said), owner), said)
            for column in table.columns:
                self._add(Name(table, column, name_words(column.name), owner))
                for said in column.synonyms:
                    self._add(Name(table, column, name_words(said), owner), said)
        self._vocabulary = sorted(word for word in self._by_word if len(word) >= 4)
        self._short = sorted(word for word in self._by_word if len(word) <= 5)

    def _add(self, name: Name, said: str = "") -> None:
        """With a name, or with what is `said` for it."""
        for word in set(name.words) | (set(name.owner) if name.column is None else set()):
            self._by_word[word].append(name)
        described = name.column or name.table
        plain = (said or described.name).lower().replace("_", "").replace(" ", "")
        self._by_joined[plain].append(name)
        if said:
            return
        comment = frozenset(name_words(described.comment)) - _STOP_STEMS
        for word in comment:
            self._by_comment[word].append((name, len(comment)))

    def variants(self, word: str) -> dict[str, float]:
        """The words of the catalogue that this stem may stand for, with how surely."""
        return _remembered(self._variants, word, self._found_variants)

    def _found_variants(self, word: str) -> dict[str, float]:
        found: dict[str, float] = {}
        if word in self._by_word:
            found[word] = 1.0
        for other in sorted(_synonyms().get(word, ())):
            if other in self._by_word:
                found.setdefault(other, _SYNONYM_SCORE)
        if not found and len(word) >= 4 and word not in STOP_WORDS:
            found = dict.fromkeys(misspelled(word, self._vocabulary), _NEARLY_SCORE)
        if not found and word not in STOP_WORDS:
            cut = [short for short in self._short if is_short_for(short, word)]
            found = dict.fromkeys(cut, _SHORT_SCORE)
        return found

    def is_column_then_owner(self, match: Match, stems: Sequence[str]) -> bool:
        """True for "code of each role", "name for the city": the column, then whose it is.

        The "name of each continent" is the column of that name.
        """
        column, words = match.name.column, set(match.name.words)
        first, last = set(self.variants(stems[0])), set(self.variants(stems[-1]))
        named = stems[0] in _NAMING and column is not None and words <= last
        if named and column is not None and column.data_type is DataType.STRING:
            return True
        return bool(first & words) and bool(last & (words | match.name.owner)) and len(stems) > 1

    def is_flag(self, table: str, column: str) -> bool:
        """True for columns of at most two values, whose names are often past participles."""
        found = self.catalogue.table(table)
        described = found.column(column) if found else None
        return described is not None and 0 < described.distinct <= 2

    def match(self, stems: Sequence[str], spelled: str = "") -> list[Match]:
        """Names that these content stems, all of them, can stand for; best first.

        `spelled` is the phrase without spaces, for names that are written as one word.
        """
        return _remembered(self._matches, (*stems, spelled), self._match)

    def _match(self, key: tuple[str, ...]) -> list[Match]:
        *stems, spelled = key
        joined = [Match(name, 1.0, "the same name") for name in self._by_joined.get(spelled, ())]
        options = [self.variants(word) for word in stems]
        candidates: dict[int, Name] = {}
        for option in options:
            for word in option:
                for name in self._by_word[word]:
                    candidates.setdefault(id(name), name)
        seen = {id(match.name) for match in joined}
        scored = [
            match
            for name in candidates.values()
            if id(name) not in seen and (match := _score(name, stems, options)) is not None
        ]
        matches = joined + scored or self._by_initials(stems) or self._commented(stems)
        return sorted(matches, key=lambda m: -m.score)[:_MOST_MATCHES]

    def _by_initials(self, stems: Sequence[str]) -> list[Match]:
        """Columns that are called by the first letters of the phrase: "YC" for "yellow cards"."""
        names = self._by_joined.get(initials(stems), ())
        columns = [name for name in names if name.column is not None]
        return [Match(name, _INITIALS_SCORE, INITIALS) for name in columns]

    def _commented(self, stems: Sequence[str]) -> list[Match]:
        """What is described with all of these words, the shorter the description the surer."""
        if not stems or any(word in _STOP_STEMS for word in stems):
            return []
        found = {id(name): (name, size) for name, size in self._by_comment.get(stems[0], ())}
        for word in stems[1:]:
            others = {id(name) for name, _ in self._by_comment.get(word, ())}
            found = {key: pair for key, pair in found.items() if key in others}
        return [
            Match(
                name, round(_COMMENT_SCORE + _WHOLE_COMMENT * len(stems) / size, 4), "its comment"
            )
            for name, size in found.values()
        ]


def _remembered(known: dict[_Key, _Found], key: _Key, find: Callable[[_Key], _Found]) -> _Found:
    """What was found for a key before; all is forgotten now and then, to stay bounded."""
    if key not in known:
        if len(known) >= _MOST_REMEMBERED:
            known.clear()
        known[key] = find(key)
    return known[key]


def _weight(word: str, name: Name) -> float:
    if name.column is None:
        linking = len(name.words) > 1 and word in _LINKING
        return 0.2 if word in _TABLE_FILLERS else 0.5 if linking else 1.0
    if len(name.words) > 1 and _repeats_owner(word, name):
        return 0.25
    if len(name.words) > 1 and word.isdigit():
        return 0.3
    if len(name.words) > 1 and word in GENERIC_WORDS:
        return 0.6
    if len(name.words) > 2 and word in _LINKING:
        return 0.2
    return 1.0


def _repeats_owner(word: str, name: Name) -> bool:
    """Whether a column's word only says its table again, in full or cut short ("cont_id")."""
    return any(o == word or (len(word) >= 3 and o.startswith(word)) for o in name.owner)


def _score(name: Name, stems: Sequence[str], options: Sequence[dict[str, float]]) -> Match | None:
    covered: dict[str, float] = {}
    owned = 0
    extras = 0.0
    for word, option in zip(stems, options, strict=True):
        best = max(((q, w) for w, q in option.items() if w in name.words), default=None)
        if best is not None:
            covered[best[1]] = max(best[0], covered.get(best[1], 0.0))
        elif name.column is not None and any(w in name.owner for w in option):
            owned += 1
        elif word in _IGNORABLE_EXTRAS and len(stems) > 1:
            extras += _NAME_EXTRA if word == "name" and name.column is not None else 1
        else:
            return None
    own = [word for word in covered if name.column is None or word not in name.owner]
    if not covered or (name.column is not None and not own and len(covered) < len(name.words)):
        return None
    if name.column is not None and set(covered) <= name.owner and set(name.words) <= name.owner:
        extras += 1
    total = sum(_weight(word, name) for word in set(name.words))
    coverage = sum(_weight(word, name) * quality for word, quality in covered.items()) / total
    if coverage < 0.34:
        return None
    head = name.column is None and coverage < 1 and name.words[-1] in covered
    score = 0.3 + 0.7 * coverage - 0.05 * extras + _HEAD * head
    least = min(covered.values())
    reason = _REASONS.get(least, SYNONYM)
    if least == 1.0:
        reason = "name" if coverage > 0.99 else "part of the name"
    return Match(name, round(min(1.0, score + 0.02 * owned), 4), reason, owned > 0)
