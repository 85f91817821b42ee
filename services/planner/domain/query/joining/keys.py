"""What identifies rows, and which columns refer to them by name alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from services.planner.domain.catalogue import Catalogue, Column, DataType, Relationship, Table
from services.planner.domain.lexicon.normalise import name_words, stem

_KEY_WORDS = frozenset(
    stem(word) for word in ("id", "code", "number", "key", "no", "nr", "ref", "reference", "uuid")
)
_LINKING = frozenset("by to of for from via with in at".split())
_SAME_NAME = 0.1
_CALLED_LIKE_TABLE = 0.7


def unique(table: Table, column: str) -> bool:
    """True when the column's values tell the table's rows apart."""
    found = table.column(column)
    return table.primary_key == (column,) or (
        found is not None and table.rows > 0 and found.nulls == 0 and found.distinct >= table.rows
    )


def key_of(table: Table) -> tuple[str, ...]:
    """Columns that identify a row: the primary key, else the first unique column, else none."""
    if table.primary_key:
        return table.primary_key
    return next(((c.name,) for c in table.columns if unique(table, c.name)), ())


@lru_cache(maxsize=20_000)
def names_table(column: str, table: str) -> bool:
    """Whether a referring column's name says what it refers to: "customer_id" of customers."""
    return bool(set(name_words(column)) & set(name_words(table)))


@lru_cache(maxsize=20_000)
def spoken_words(column: str) -> frozenset[str]:
    """Stems in a referring column's name that a question may use: "destroy" in "destroyed_by"."""
    words = frozenset(name_words(column)) - _KEY_WORDS - _LINKING
    return frozenset(word for word in words if len(word) > 2)


def guessed_references(catalogue: Catalogue) -> list[Relationship]:
    """References that names alone suggest, with a low confidence: equal keys, called like a table.

    A column called like another table refers to its key when its values lie within the key's.
    """
    found = list(_same_named_keys(catalogue))
    for parent in catalogue.tables:
        keys = key_of(parent)
        key = parent.column(keys[0]) if len(keys) == 1 else None
        if key is None:
            continue
        for child in catalogue.tables:
            if child.name == parent.name:
                continue
            for column in child.columns:
                if _called_like(column.name, parent) and within(column, key):
                    found.append(_link(child, column.name, parent, key.name, _CALLED_LIKE_TABLE))
    return found


def _called_like(column: str, table: Table) -> bool:
    words = list(name_words(column))
    while len(words) > 1 and words[-1] in _KEY_WORDS:
        words.pop()
    named = name_words(table.name)
    return tuple(words) == named or (len(words) == 1 and len(named) > 1 and words[0] == named[-1])


def within(column: Column, key: Column) -> bool:
    """Whether a column's values can be those of a key: whole numbers or texts, inside its range."""
    kinds = {column.data_type, key.data_type}
    if kinds <= {DataType.INTEGER, DataType.STRING} and column.distinct:
        if column.distinct > key.distinct:
            return False
        ends = [column.minimum, column.maximum, key.minimum, key.maximum]
        numbers = [_number(text) for text in (*ends, *column.samples)]
        if DataType.INTEGER in kinds:
            if any(number is None for number in numbers):
                return False
            low, high, first, last = (n for n in numbers[:4] if n is not None)
            return kinds == {DataType.STRING, DataType.INTEGER} or (low >= first and high <= last)
        return set(column.samples) <= set(key.samples) or key.distinct > len(key.samples)
    return False


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _link(child: Table, column: str, parent: Table, key: str, confidence: float) -> Relationship:
    return Relationship(
        from_table=child.name,
        from_column=column,
        to_table=parent.name,
        to_column=key,
        confidence=confidence,
        declared=False,
    )


def _same_named_keys(catalogue: Catalogue) -> Iterable[Relationship]:
    places: dict[tuple[str, bool], list[tuple[Table, str]]] = defaultdict(list)
    for table in catalogue.tables:
        for column in table.columns:
            plain = column.name.lower().replace("_", "")
            if column.data_type in (DataType.INTEGER, DataType.STRING) and len(plain) > 2:
                places[plain, column.data_type is DataType.INTEGER].append((table, column.name))
    for (plain, _), found in sorted(places.items(), key=lambda item: item[0]):
        if plain in ("name", "rownames"):
            continue
        for parent, parent_column in found:
            if not unique(parent, parent_column):
                continue
            for child, child_column in found:
                if child is not parent and plain.endswith(("id", "code", "name", "num", "no")):
                    yield _link(child, child_column, parent, parent_column, _SAME_NAME)
