"""How the things of a table are called: the column, or columns, that people know them by."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table
from services.planner.domain.lexicon import wording
from services.planner.domain.lexicon.normalise import (
    name_words,
    readable_table,
    stem,
)
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.columns import is_measure
from services.planner.domain.query.intent import Aggregate, Dimension, Field, FullName, Measure
from services.planner.domain.query.joining.joins import JoinGraph, key_of

_FIRST, _LAST = stem("first"), stem("last")
_NAME_FILLERS = frozenset("name titl compani full first last".split())
_SHARED = 2
_FEW_ROWS = 9
_SHORTEST_CUT = 3
_IDS = frozenset(("id", "number", "no", "nr", "code", "key"))
_NAME_AND_ID = 2
_NAMING = tuple(stem(word) for word in ("name", "title", "label", "description", "detail", "code"))


def naming(table: Table) -> Field | FullName | None:
    """What tells the table's things apart for people, or None when there is no text for it."""
    first = _column(table, "name", _FIRST)
    last = _column(table, "name", _LAST)
    plain = [c for c in table.columns if "name" in name_words(c.name) and _is_text(table, c.name)]
    own = [c for c in plain if not {_FIRST, _LAST, "nick", "middl"} & set(name_words(c.name))]
    if first and last and not [c for c in own if _about(table, c.name)]:
        return FullName(
            parts=(Field(table=table.name, column=first), Field(table=table.name, column=last))
        )
    for word in _NAMING:
        found = [
            c.name
            for c in table.columns
            if word in name_words(c.name)
            and _is_text(table, c.name)
            and (_about(table, c.name) or len(name_words(c.name)) == 1)
        ]
        found.sort(key=lambda name: (not _about(table, name), len(name_words(name))))
        if found:
            return Field(table=table.name, column=found[0])
    sentences = set(name_words(table.name))
    texts = [
        c.name
        for c in table.columns
        if set(name_words(c.name)) <= sentences and not is_measure(c.role, c.data_type)
    ]
    texts.sort(key=lambda name: -len(name_words(name)))
    found = texts or [c.name for c in table.columns if _tells_apart(table, c)]
    return Field(table=table.name, column=found[0]) if found else None


def _tells_apart(table: Table, column: Column) -> bool:
    """Whether a text is another on every row, as the company of accounts that have a number."""
    keys = [table.column(key) for key in key_of(table)]
    if any(key is None or key.data_type is DataType.STRING for key in keys):
        return False
    plain = column.data_type is DataType.STRING and column.role is ColumnRole.DIMENSION
    return plain and not column.nulls and column.distinct == table.rows > _FEW_ROWS


def _is_text(table: Table, column: str) -> bool:
    found = table.column(column)
    return found is not None and found.data_type is DataType.STRING and found.distinct > 0


def _about(table: Table, column: str) -> bool:
    words = set(name_words(column)) - _NAME_FILLERS
    keys = [word for key in key_of(table)[:1] for word in name_words(key) if word != "id"]
    own = (*name_words(table.name), *keys)
    return not words or any(_is_repeated(word, name) for word in words for name in own)


def _is_repeated(word: str, name: str) -> bool:
    """Whether a word is one of the table's, in full or cut short: the "res" of restaurants."""
    cut = len(word) == 1 or len(word) >= _SHORTEST_CUT
    return word == name or (cut and name.startswith(word))


def _column(table: Table, *words: str) -> str | None:
    return next(
        (
            c.name
            for c in table.columns
            if set(words) <= set(name_words(c.name)) and _is_text(table, c.name)
        ),
        None,
    )


def entity_dimension(table: Table, base: str, graph: JoinGraph) -> Dimension | None:
    """How to split by the things of a table: a readable code of the base, else their name."""
    relation = graph.direct(base, table.name) if base != table.name else None
    if relation is not None and not relation.fans_out:
        words = name_words(relation.left.column)
        if words[-1:] == ("code",):
            return Dimension(expression=relation.left, label=worded(relation.left.column))
    name = naming(table)
    key = key_of(table)
    identity = Field(table=table.name, column=key[0]) if len(key) == 1 else None
    if name is None:
        if relation is not None and not relation.fans_out:
            return Dimension(expression=relation.left, label=worded(relation.left.column))
        return Dimension(expression=identity, label=worded(identity.column)) if identity else None
    label = singular(table.name)
    if isinstance(name, Field) and not {"name", "titl"} & set(name_words(name.column)):
        label = worded(name.column)
    same = isinstance(name, Field) and identity == name
    apart = None if same or _is_shared(table, name) else identity
    return Dimension(expression=name, label=label, identity=apart)


def _is_shared(table: Table, name: Field | FullName) -> bool:
    """Whether a name stands for a kind of thing: most of its values are on several rows."""
    column = table.column(name.column) if isinstance(name, Field) else None
    return column is not None and 0 < _SHARED * column.distinct <= table.rows


def repeated_ids(table: Table) -> list[Column]:
    """The columns that tell apart the things a table is named for, where its rows repeat them:
    20,000 rows of sensors, of 10 different sensor_id."""
    entities = stem(name_words(table.name)[-1]) if name_words(table.name) else ""
    return [
        column
        for column in table.columns
        if 1 < column.distinct <= table.rows / 2
        and len(words := name_words(column.name)) == _NAME_AND_ID
        and words[0] == entities
        and words[-1] in _IDS
    ]


def counts_rows(measure: Measure, table: Table) -> bool:
    """Whether a measure is the number of rows of a table."""
    of_rows = measure.aggregate is Aggregate.COUNT and measure.expression is None
    return of_rows and measure.table == table.name


def singular(name: str) -> str:
    """A table's name as one of its things is called: "Categories" gives "category"."""
    return wording.singular(readable_table(name))
