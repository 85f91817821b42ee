"""Mentions that only say again, or to whom, what another one says.

"Home runs (HR)" is one column, "passenger class" is the class, and the "wage" of a file of wages is
its column where an average of it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Catalogue, ColumnRole
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.lexicon.normalise import Token, name_words
from services.planner.domain.query.columns import numeric

_AVERAGES = frozenset(
    "mean average median minimum maximum deviation variance skewness kurtosis".split()
)
_OF = frozenset("of the a an".split())


def without_glosses(
    mentions: Sequence[Mention], tokens: Sequence[Token], catalogue: Catalogue, *, tested: bool
) -> list[Mention]:
    """The mentions with these put right; where a statistic is `tested`, more are numbers."""
    kept: list[Mention] = []
    for mention in (_measured(m, tokens, catalogue, tested=tested) for m in mentions):
        before = kept[-1] if kept else None
        if before is not None and _of_one_table(before, mention):
            between = [t.text for t in tokens[before.last : mention.first]]
            alike = before.chosen.column == mention.chosen.column
            bracketed = between == ["("] and _closes(mention, tokens)
            if alike and (bracketed or not between):
                _use(tokens, before.last, mention.last + bracketed)
                kept[-1] = replace(mention, first=before.first, last=before.last)
                continue
            key = _is_key(before, catalogue) and not _is_key(mention, catalogue)
            if key and not between:
                _use(tokens, before.first, mention.first)
                kept.pop()
        kept.append(mention)
    return kept


def _of_one_table(one: Mention, other: Mention) -> bool:
    columns = one.chosen.kind == other.chosen.kind == "column"
    return columns and one.chosen.table == other.chosen.table


def _closes(mention: Mention, tokens: Sequence[Token]) -> bool:
    return mention.last < len(tokens) and tokens[mention.last].text == ")"


def _is_key(mention: Mention, catalogue: Catalogue) -> bool:
    """Whether a key is meant by the word for the things themselves."""
    table = catalogue.table(mention.chosen.table)
    column = table.column(mention.chosen.column) if table else None
    whole = column is not None and set(mention.stems) == set(name_words(column.name))
    return column is not None and column.role is ColumnRole.ID and not whole


def _use(tokens: Sequence[Token], first: int, last: int) -> None:
    for token in tokens[first:last]:
        token.used = token.used or "gloss"


def _measured(
    mention: Mention, tokens: Sequence[Token], catalogue: Catalogue, *, tested: bool
) -> Mention:
    """A table named like its column of numbers, after "mean" or the like, is that column."""
    if mention.chosen.kind != "table":
        return mention
    place = mention.first
    while place and tokens[place - 1].lower in _OF:
        place -= 1
    table = catalogue.table(mention.chosen.table)
    averaged = place > 0 and tokens[place - 1].lower in _AVERAGES
    if table is None or not (averaged or tested):
        return mention
    for column in table.columns:
        if numeric(column.data_type) and name_words(column.name) == mention.stems:
            own = Candidate("column", table.name, column.name, score=1.0, reason="name")
            return Mention(mention.first, mention.last, mention.phrase, mention.stems, (own,))
    return mention
