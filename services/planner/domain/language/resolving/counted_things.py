"""Things that are counted where each is on several rows: the orders of a table of order lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.linking.mention import Candidate, Mention
from services.planner.domain.lexicon.normalise import Token, name_words
from services.planner.domain.query.intent import Field
from services.planner.domain.query.labels import count_label
from services.planner.domain.query.planning.several_rows import ROWS, named_otherwise

SPLITTING = frozenset("by per each every".split())
COUNTING = (("number", "of"), ("how", "many"), ("count", "of"))
THINGS = "what the rows are called after, and several share"
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
