"""Words that no name, comment or value of the data explains, tied to names of similar meaning.

"Staff" of a database of employees, "drugs" where there are medications. Only nouns that are left
over are looked up; what is found is told with the answer, and asked about where two names are as
near. Without a model, or while memory is away, such words stay unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue, ColumnRole, Likeness, MeaningLookup
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.linking.unmatched import NO_VALUES
from services.planner.domain.language.normalising.cues import ADJECTIVES
from services.planner.domain.lexicon.normalise import Token, name_words, readable
from services.planner.domain.lexicon.vocabulary import ABBREVIATIONS, GENERIC_WORDS

SIMILAR = "similar meaning"
_LEAST, _AS_NEAR = 0.6, 0.08
"""Cosines of MiniLM: synonyms lie above 0.6, words of one field about 0.5. Of names that are less
than 0.08 apart nobody can say which was meant."""
_WORTH = 0.85
_MOST_NAMES, _MOST_PHRASES = 2_000, 8
_SHORTEST, _LONGEST_COMMENT = 3, 100
_CATALOGUES = 16
# What follows these is a place or a value of its own, not a name in other words.
_BEFORE_VALUES = frozenset("in from at near within to is are was were = named called".split())


async def with_meanings(
    question: str,
    tokens: Sequence[Token],
    mentions: Sequence[Mention],
    catalogue: Catalogue,
    alike: MeaningLookup | None,
) -> list[Mention]:
    """The mentions, and one for each word left over that is near a name in meaning."""
    runs = _left_over(tokens, mentions)
    names = _named(catalogue)
    if alike is None or not runs or not names:
        return list(mentions)
    said = {question[tokens[a].start : tokens[b - 1].end].lower(): (a, b) for a, b in runs}
    found: dict[str, list[Likeness]] = {}
    for likeness in await alike(list(said), list(names)):
        found.setdefault(likeness.phrase, []).append(likeness)
    made: list[Mention] = []
    ranked = sorted(found.items(), key=lambda pair: (-pair[1][0].similarity, said[pair[0]]))
    for phrase, near in ranked:
        first, last = said[phrase]
        overlaps = any(first < m.last and m.first < last for m in made)
        candidates = _candidates(near, names)
        if candidates and not overlaps:
            text = question[tokens[first].start : tokens[last - 1].end]
            stems = tuple(token.stem for token in tokens[first:last])
            made.append(Mention(first, last, text, stems, candidates))
    return sorted([*mentions, *made], key=lambda mention: mention.first)


def _left_over(tokens: Sequence[Token], mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Single words, and pairs of them, that are tied to nothing and may be nouns."""
    linked = {i for mention in mentions for i in range(mention.first, mention.last)}
    told = {m.last for m in mentions if m.chosen.kind in ("column", "revenue")}  # "miles flown"
    free = [i for i, token in enumerate(tokens) if i not in linked | told and _may_name(tokens, i)]
    pairs = [(i, i + 2) for i in free if i + 1 in free]
    return [*pairs, *((i, i + 1) for i in free)][:_MOST_PHRASES]


def _may_name(tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position]
    unfit = token.used or token.mark or token.quoted or token.number is not None
    if unfit or len(token.text) < _SHORTEST or token.lower.endswith(("ed", "ing")):
        return False
    proper = position > 0 and token.text[:1].isupper()
    before = tokens[position - 1].lower if position else ""
    cue = token.lower in NO_VALUES or token.lower in ADJECTIVES
    return not (proper or cue or before in _BEFORE_VALUES)


def _candidates(
    near: Sequence[Likeness], names: dict[str, list[Candidate]]
) -> tuple[Candidate, ...]:
    """The names that are near enough; those that are nearly as near as the best score like it."""
    best = near[0].similarity
    if best < _LEAST:
        return ()
    score = round(_WORTH * best, 4)
    kept: dict[tuple[str, str], Candidate] = {}
    for likeness in near:
        if likeness.similarity < max(_LEAST, round(best - _AS_NEAR, 2)):
            continue
        for target in names[likeness.name]:
            reason = f"{SIMILAR} ({likeness.similarity:.2f})"
            made = Candidate(target.kind, target.table, target.column, score=score, reason=reason)
            kept.setdefault((target.table, target.column), made)
    return tuple(kept.values())


@lru_cache(maxsize=_CATALOGUES)
def _named(catalogue: Catalogue) -> dict[str, list[Candidate]]:
    """What the data's names and comments are called in words: tables first, the first 2,000.

    Keys are left out, which are called after what they refer to, and names such as "code".
    """
    found: dict[str, list[Candidate]] = {}
    for table in catalogue.tables:
        _add(found, _words(table.name), table.comment, Candidate("table", table.name))
    for table in catalogue.tables:
        for column in table.columns:
            if column.role is ColumnRole.ID or set(name_words(column.name)) <= GENERIC_WORDS:
                continue
            named = Candidate("column", table.name, column.name)
            _add(found, _words(column.name), column.comment, named)
    return dict(list(found.items())[:_MOST_NAMES])


def _add(found: dict[str, list[Candidate]], words: str, comment: str, named: Candidate) -> None:
    for text in (words, " ".join(comment.split())[:_LONGEST_COMMENT]):
        if re.search(r"[^\W\d_]{2}", text):
            found.setdefault(text.lower(), []).append(named)


def _words(name: str) -> str:
    return " ".join(ABBREVIATIONS.get(word, word) for word in readable(name).split())
