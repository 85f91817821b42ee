"""Things that a table alone has a row for each of, where only its key is called after them.

In a single table of passengers that is called "titanic", with a key PassengerId, "passengers" are
its rows: nobody who says "the mean age of passengers" wants a mean for each passenger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.normalising.cues import ADJECTIVES
from services.planner.domain.language.resolving.counted_things import (
    SPLITTING,
    is_counted,
    things_counted,
)
from services.planner.domain.lexicon.normalise import Token, name_words, stem
from services.planner.domain.query.joining.entities import singular
from services.planner.domain.query.planning.several_rows import IDENTIFYING, ROWS

_NAMING_ROWS = frozenset("of which what list show all many the".split())
_OF_DATES = frozenset(stem(word) for word in "date time day datetime timestamp at on".split())
_MOSTLY, _WHOLE = 0.5, 0.99
_BY_LAST_WORD, _SHORT_NAME = 0.6, 2
_REASON = "what each row is one of"


def rows_for_things(
    mentions: Sequence[Mention], tokens: Sequence[Token], catalogue: Catalogue
) -> list[Mention]:
    """The mentions, with the table instead of its key where only the thing is named.

    "Rows" and "records" are the table's too, and so is a noun that is counted and found only
    inside one of the names: of films, "number of movies" does not mean "Silent Movie". Where there
    are several tables, they are called after their things themselves.
    """
    mentions = [things_counted(mention, tokens, catalogue) for mention in mentions]
    if len(catalogue.tables) != 1:
        counted = _counted_by_last_word(mentions, tokens, catalogue)
        return sorted(_with_said_again(counted, tokens), key=lambda found: found.first)
    named = [_rows(mention, tokens, catalogue) for mention in mentions]
    return sorted([*named, *_said_rows(named, tokens, catalogue)], key=lambda found: found.first)


def _counted_by_last_word(
    mentions: Sequence[Mention], tokens: Sequence[Token], catalogue: Catalogue
) -> list[Mention]:
    """The mentions, with tables of long names where things are counted by the last word of it.

    The accelerators of "web_client_accelerator" are its rows, not the one "Google Accelerator".
    """
    found = list(mentions)
    for place, token in enumerate(tokens):
        called = [t for t in catalogue.tables if _is_called_last(t, token)]
        if len(called) != 1 or not is_counted(place, tokens):
            continue
        over = [m for m in found if m.first <= place < m.last]
        alone = all(m.last - m.first == 1 and m.chosen.kind == "value" for m in over)
        if alone and not any(name_words(m.chosen.value) == (token.stem,) for m in over):
            rows = Candidate("table", called[0].name, score=_BY_LAST_WORD, reason=_REASON)
            found = [m for m in found if m not in over]
            found.append(Mention(place, place + 1, token.text, (token.stem,), (rows,)))
    return found


def _is_called_last(table: Table, token: Token) -> bool:
    name = name_words(table.name)
    plural = token.lower.endswith("s") and not (token.used or token.quoted)
    return plural and len(name) > _SHORT_NAME and name[-1] == token.stem


def _with_said_again(mentions: Sequence[Mention], tokens: Sequence[Token]) -> list[Mention]:
    """The mentions, with "each channel" for the channel code that is named beside it.

    Of company names, "each company" is no key of another table that is only called like that.
    """
    found = list(mentions)
    for place, token in enumerate(tokens[1:], start=1):
        free = not (token.used or token.quoted or token.mark)
        if not free or tokens[place - 1].lower not in ("each", "every"):
            continue
        over = [m for m in found if m.first <= place < m.last]
        if not all(_is_less_than_named(m) for m in over):
            continue
        others = [m for m in found if m not in over and m.chosen.kind == "column"]
        named = [m for m in others if token.stem in m.stems and m.chosen.score >= _WHOLE]
        if named:
            again, candidates = (token.stem,), named[-1].candidates
            found = [m for m in found if m not in over]
            found.append(Mention(place, place + 1, token.text, again, candidates))
    return found


def _is_less_than_named(mention: Mention) -> bool:
    single = mention.last - mention.first == 1 and mention.chosen.kind == "column"
    return single and mention.chosen.score < _WHOLE


def rows_said(mentions: Sequence[Mention], table: str) -> str:
    """What the question calls a table's rows, where that is not, or only a part of, its name."""
    mine = [m for m in mentions if m.chosen.table == table]
    said = [m.phrase.lower() for m in mine if m.chosen.reason == _REASON or _is_part(m)]
    return said[0] if said else ""


def dimension_said(label: str, mentions: Sequence[Mention], table: str) -> str:
    """A label for the things of a table, by what the question calls them."""
    said = rows_said(mentions, table)
    if said in ROWS:
        return label
    return singular(said) if said and label == singular(table) else label


def _is_part(mention: Mention) -> bool:
    """Whether "airports" stand for a table of a longer name: "nycflights13_airports"."""
    if mention.chosen.kind != "table" or not mention.phrase.lower().endswith("s"):
        return False
    return set(name_words(mention.phrase)) < set(name_words(mention.chosen.table))


def _said_rows(
    mentions: Sequence[Mention], tokens: Sequence[Token], catalogue: Catalogue
) -> list[Mention]:
    rows = Candidate("table", catalogue.tables[0].name, score=0.95, reason=_REASON)
    return [
        Mention(place, place + 1, token.text, (token.stem,), (rows,))
        for place, token in enumerate(tokens)
        if ((token.lower in ROWS and is_counted(place, tokens)) or _ends_name(token, catalogue))
        and not any(mention.first <= place < mention.last for mention in mentions)
    ]


def _ends_name(token: Token, catalogue: Catalogue) -> bool:
    """Whether a plural is the last word of the table's name: "nycflights13_planes"."""
    name = name_words(catalogue.tables[0].name)
    free = not (token.used or token.quoted or token.mark)
    return free and token.lower.endswith("s") and len(name) > 1 and token.stem == name[-1]


def _rows(mention: Mention, tokens: Sequence[Token], catalogue: Catalogue) -> Mention:
    chosen = mention.chosen
    table = catalogue.table(chosen.table)
    column = table.column(chosen.column) if table is not None else None
    if table is None or column is None:
        return mention
    if chosen.kind == "value" and _only_inside_a_name(mention, tokens, table, column):
        return as_rows(mention, table)
    if chosen.kind == "column" and _is_of_a_date(mention, tokens, column):
        return as_rows(mention, table)
    if chosen.kind == "column" and _is_measured_otherwise(mention, tokens, table, column):
        return as_rows(mention, table)
    if chosen.kind != "column" or not _is_key(table, column):
        return mention
    named = set(name_words(mention.phrase))
    thing = set(name_words(column.name)) - IDENTIFYING
    if len(thing) == len(set(name_words(column.name))):
        return mention
    before = {t.lower for t in tokens[max(0, mention.first - 1) : mention.first]}
    if not thing or named != thing or before & SPLITTING or named & set(name_words(table.name)):
        return mention
    return as_rows(mention, table)


def as_rows(mention: Mention, table: Table) -> Mention:
    """The mention as one of what each row of the table is."""
    rows = Candidate("table", table.name, score=mention.chosen.score, reason=_REASON)
    return replace(mention, candidates=(rows, *mention.candidates[1:]))


def _only_inside_a_name(
    mention: Mention, tokens: Sequence[Token], table: Table, column: Column
) -> bool:
    """Whether a noun that is counted, or names the table, was found inside one of many names."""
    after = {token.lower for token in tokens[mention.last : mention.last + 1]}
    before = {token.lower for token in tokens[max(0, mention.first - 1) : mention.first]}
    counted = is_counted(mention.first, tokens) or bool(after & SPLITTING)
    counted = counted or mention.first == 0 or bool(before & _NAMING_ROWS)
    counted = counted or set(mention.stems) <= set(name_words(table.name))
    plural = mention.phrase.islower() and mention.phrase.endswith("s")
    whole = name_words(mention.chosen.value) == name_words(mention.phrase)
    different = column.distinct >= _MOSTLY * table.rows
    return counted and plural and not whole and different


def _is_of_a_date(mention: Mention, tokens: Sequence[Token], column: Column) -> bool:
    """Whether "orders" were tied to the date of an order alone: those are the rows."""
    if column.data_type not in (DataType.DATE, DataType.DATETIME):
        return False
    before = {token.lower for token in tokens[max(0, mention.first - 1) : mention.first]}
    plural = mention.phrase.lower().endswith("s") and not before & SPLITTING
    return plural and set(mention.stems) == set(name_words(column.name)) - _OF_DATES


def _is_measured_otherwise(
    mention: Mention, tokens: Sequence[Token], table: Table, column: Column
) -> bool:
    """Whether the "longest flight" is one of the flights, each of which has a number "flight"."""
    before = [t.lower for t in tokens[max(0, mention.first - 1) : mention.first]]
    measured = ADJECTIVES.get(before[0], ()) if before else ()
    own = name_words(column.name)
    return bool(measured) and own == name_words(singular(table.name)) and not set(own) & {*measured}


def _is_key(table: Table, column: Column) -> bool:
    """Whether a column of identifiers tells all rows apart."""
    keyed = column.name in table.primary_key and len(table.primary_key) == 1
    unique = column.role is ColumnRole.ID and column.distinct >= table.rows > 1
    return (keyed or unique) and not column.nulls
