"""What a question for a test names: columns, things, and what it only seems to name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from services.planner.domain.catalogue import Column, ColumnRole
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.entities import naming
from services.planner.domain.reader.statistics.ground import Ground
from services.planner.domain.reader.statistics.wish import StatisticWish

_BE = frozenset("is are was were".split())
_SUBJECT = "subject"
_IDENTIFYING = frozenset("id key number code".split())
# Words that turn columns into numbers of groups, which rows do not hold.
_COUNTED = frozenset("number count total sum many".split())
_EXTREME = frozenset("median maximum minimum highest lowest".split())
_MEAN = frozenset("average mean".split())
_EACH = frozenset("by per each every".split())
_SPLIT = frozenset("between by across among per".split())
_REACH = 5  # letters between such a word and the one that it leads to: "between the"


def columns_of(ground: Ground) -> list[tuple[Field, Column]]:
    """The columns named; keys only where they are named as such, or nothing else is."""
    found: list[tuple[Field, Column]] = []
    keys: list[tuple[Field, Column]] = []
    for index, mention in enumerate(ground.mentions):
        column = ground.column(mention)
        if mention.kind == "column" and column is not None and _is_free(index, ground):
            named = (Field(table=mention.table, column=mention.column), column)
            loose = column.role is ColumnRole.ID and not (
                _IDENTIFYING & set(name_words(mention.phrase))
                or set(name_words(mention.phrase)) == set(name_words(column.name))
            )
            (keys if loose else found).append(named)
    return list(dict.fromkeys(found or keys))


def _is_free(index: int, ground: Ground) -> bool:
    return ground.free(index) or ground.roles[index] == _SUBJECT


def set_subject_apart(ground: Ground) -> None:
    """ "Is Survived related to Sex?" does not ask for those who survived."""
    for index, mention in enumerate(ground.mentions):
        lead = ground.words(0, mention.first)
        if mention.kind == "column" and lead[:1] and lead[0] in _BE and len(lead) <= 2:
            ground.roles[index] = _SUBJECT


def find_entity_names(
    fields: Mapping[Field, Column], ground: Ground, *, of_rows: bool
) -> dict[Field, Column]:
    """The names of things that are named as a table, where one number is compared by nothing yet.

    Where they name rows (`of_rows`) the number's own table counts as well.
    """
    found: dict[Field, Column] = {}
    own = {f.table for f in fields}
    for mention in ground.mentions if len(fields) == 1 else ():
        table = ground.catalogue.table(mention.table)
        own_rows = table is not None and table.name in own and not of_rows
        if mention.kind != "table" or table is None or own_rows:
            continue
        name = naming(table)
        column = table.column(name.column) if isinstance(name, Field) else None
        if isinstance(name, Field) and column is not None:
            found[name] = column
    return found


def unknown_partner(wish: StatisticWish, fields: Collection[Field], ground: Ground) -> str | None:
    """Why one column is tested against nothing: the word for the other is not in the data.

    Of a difference only a word counts that groups are said by: "between airports".
    """
    unknown = [
        token.text
        for token in ground.unread()
        if wish.test != "difference"
        or _SPLIT & {t.lower for t in ground.tokens if 0 < token.start - t.end <= _REACH}
    ]
    if len(fields) != 1 or not unknown or not wish.implied:
        return None
    named = next(iter(fields)).column
    return f'Nothing in the data is called "{unknown[-1]}" that {named} could be compared with.'


def is_of_groups(wish: StatisticWish, ground: Ground) -> bool:
    """Whether sums, counts or averages are related: "orders and revenue per customer".

    A "number of cylinders" is no count where that is a column of numbers.
    """
    inside = {i for m in ground.mentions for i in range(m.first, m.last)}
    words = set()
    for position, token in enumerate(ground.tokens):
        if position in inside or token.used:
            continue
        named = ground.starting(position + 2, within=1)
        column = ground.column(ground.mentions[named]) if named is not None else None
        if column is not None and numeric(column.data_type) and token.lower == "number":
            token.used = "statistic"
        else:
            words.add(token.lower)
    mean = wish.test == "difference" or not (wish.correlated or words & _EACH)
    return bool(words & (_COUNTED | _EXTREME if mean else _COUNTED | _EXTREME | _MEAN))
