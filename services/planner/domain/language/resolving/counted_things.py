"""Things that are counted where each is on several rows: the orders of a table of order lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.language.intent import Field
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.language.linking.named_alike import amount_called_so
from services.planner.domain.language.normalising.normalise import Token, name_words
from services.planner.domain.language.work import count_label

IDENTIFYING = frozenset("id key number no code identifi".split())
SPLITTING = frozenset("by per each every".split())
ROWS = frozenset("row rows record records observation observations".split())
COUNTING = (("number", "of"), ("how", "many"), ("count", "of"))
THINGS = "what the rows are called after, and several share"
_SHARED = 2
_SOME_SHARED = 10 / 9
"""Of an id that is called one: an eleventh of its rows too many are no slips."""
_DESCRIBED = 3
_NOT_DESCRIBING = SPLITTING | ROWS | frozenset("are is were in of from for with do have".split())
_DIFFERENT = frozenset("different distinct unique".split())


def things_counted(mention: Mention, tokens: Sequence[Token], catalogue: Catalogue) -> Mention:
    """The column of the things that are counted, where the table has many rows for each."""
    table = catalogue.table(mention.chosen.table)
    first = mention.first
    first -= first > 0 and tokens[first - 1].lower in _DIFFERENT
    if table is None or mention.chosen.kind != "table" or not _is_counted_somehow(first, tokens):
        return mention
    column = named_otherwise(table)
    if column is None or set(mention.stems) != set(name_words(table.name)):
        return mention
    found = Candidate("column", table.name, column.name, score=0.95, reason=THINGS)
    return replace(mention, candidates=(found,))


def named_otherwise(table: Table) -> Column | None:
    """The column that holds the things a table is called after, where they are on many rows.

    Of "sensors" with many rows for each "sensor", the rows are no sensors.
    """
    said = set(name_words(table.name))
    found = [c for c in table.columns if set(name_words(c.name)) - IDENTIFYING == said]
    found = found or [c for c in table.columns if _is_id_of_last(c, table)]
    if amount_called_so(table) in found:
        return None
    many = [c for c in found if c.distinct > 1 and _shared_by(c, said) * c.distinct <= table.rows]
    whole = [c for c in found if c.distinct >= table.rows]
    if len(many) != 1 or whole or _is_used_again(many[0], table):
        return None
    return many[0]


def _is_id_of_last(column: Column, table: Table) -> bool:
    """Whether it is the id of what a table is called last: `order_no` of `wholesale_orders`."""
    words, thing = name_words(column.name), name_words(table.name)[-1]
    return len(words) > 1 and words[0] == thing and set(words[1:]) <= IDENTIFYING


def _shared_by(column: Column, said: set[str]) -> float:
    """How many rows share a value at least: names are given twice by chance, ids are not."""
    return _SOME_SHARED if set(name_words(column.name)) - said else _SHARED


def _is_used_again(column: Column, table: Table) -> bool:
    """Whether a bare number names one row after another, each at a time of its own: a `flight` that
    leaves every day is not one flight."""
    bare = set(name_words(column.name)) == set(name_words(table.name))
    moments = [c for c in table.columns if c.data_type in (DataType.DATE, DataType.DATETIME)]
    number = bare and column.data_type is DataType.INTEGER
    return number and any(moment.distinct > column.distinct for moment in moments)


def counted_rows(label: str, table: str, tokens: Sequence[Token], catalogue: Catalogue) -> str:
    """What a number of rows is called: not after a table that nobody named, nor after things
    that have several rows."""
    found = catalogue.table(table)
    if found is None or label != count_label(table):
        return label
    said = {token.stem for token in tokens} & set(name_words(table))
    alone = len(catalogue.tables) == 1 and not said
    return "number of rows" if alone or named_otherwise(found) else label


def things_on_rows(
    label: str, table: str, tokens: Sequence[Token], catalogue: Catalogue
) -> Field | None:
    """What "orders" counts where each order is on several rows of "orders"; None for the rows."""
    found = catalogue.table(table)
    said = {token.stem for token in tokens}
    column = named_otherwise(found) if found is not None else None
    rows = {token.lower for token in tokens} & ROWS
    if column is None or label != count_label(table) or rows or len(catalogue.tables) > 1:
        return None
    return Field(table=table, column=column.name) if set(name_words(table)) <= said else None


def _is_counted_somehow(place: int, tokens: Sequence[Token]) -> bool:
    """Whether things are counted that are described first: "how many first class orders"."""
    for described in range(_DESCRIBED + 1):
        said = tokens[place - described : place]
        if described > place or any(t.mark or t.lower in _NOT_DESCRIBING for t in said):
            return False
        if is_counted(place - described, tokens):
            return True
    return False


def is_counted(place: int, tokens: Sequence[Token]) -> bool:
    """Whether "how many" or "number of" stands right before a place."""
    return tuple(token.lower for token in tokens[max(0, place - 2) : place]) in COUNTING
