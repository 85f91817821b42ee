"""Lists in cells as tables of their own: one row for each item, with the key of the row it is of.

A list that is kept as a text is compared and counted as a text: "the tag java" is then only the
books that have no other tag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from duckdb.sqltypes import DuckDBPyType

from services.executor.sources.building import Building
from services.executor.sources.manifest import ForeignKey
from services.executor.sources.naming import words_of
from services.executor.sources.sql import count, quoted, table_name

_DEEPEST = 3
_KEY_WORDS = frozenset({"id", "key", "code", "no", "number", "uuid", "isbn", "sku"})
_KEY_TYPES = frozenset("bigint integer smallint ubigint hugeint varchar uuid json".split())


def add_rows(building: Building, name: str, query: str) -> int:
    """Store the rows of a query, its lists as tables that refer to it, or as texts where it is to
    be raw; how many rows there are."""
    if building.raw:
        return building.add_file(name, query).rows
    return _add(building, name, query, (), 0)


def add_lists(
    building: Building,
    name: str,
    query: str,
    keys: tuple[ForeignKey, ...],
    primary_key: tuple[str, ...],
) -> None:
    """Store the rows of a query that had this key, its lists as tables that refer to it."""
    _add(building, name, query, keys, 0, primary_key[0] if len(primary_key) == 1 else "")


def _add(
    building: Building,
    name: str,
    query: str,
    keys: tuple[ForeignKey, ...],
    depth: int,
    known: str = "",
) -> int:
    relation = building.connection.sql(query)
    kinds = dict(zip(relation.columns, relation.types, strict=True))
    lists = [column for column, kind in kinds.items() if _is_list(kind)]
    if not lists or depth == _DEEPEST:
        return building.add_file(name, query, foreign_keys=keys).rows
    staged = f"_assay_rows_{depth}"
    building.connection.execute(f"CREATE OR REPLACE TEMP TABLE {staged} AS {query}")
    key = known or _key_of(building, staged, {c: k for c, k in kinds.items() if c not in lists})
    if not key:
        key = _free(f"{name}_row", kinds)
        building.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {staged} AS "
            f"SELECT row_number() OVER () AS {quoted(key)}, * FROM {staged}"
        )
        building.note(f"{name}: column {key} is added, and numbers its rows", column=key)
    without = ", ".join(map(quoted, lists))
    parent = building.add_file(
        name, f"SELECT * EXCLUDE ({without}) FROM {staged}", primary_key=(key,), foreign_keys=keys
    )
    for column in lists:
        child = building.free_name(table_name(f"{name}_{column}"))
        called = f"{name}_id" if key.casefold() == "id" else key
        refers = _free(called, _members(kinds[column]))
        items = _items(staged, column, key, refers, kinds[column])
        building.note(f"{name}: the lists of {column} are the table {child}, a row for each item")
        own = ForeignKey(column=refers, to_table=parent.name, to_column=key)
        _add(building, child, items, (own,), depth + 1)
    building.connection.execute(f"DROP TABLE {staged}")
    return parent.rows


def _is_list(kind: DuckDBPyType) -> bool:
    """Whether a column holds lists; those of bytes or of nothing known are kept as they are."""
    inner = kind.children[0][1] if kind.id in ("list", "array") else None
    return isinstance(inner, DuckDBPyType) and inner.id not in ("blob", "map", "union")


def _members(kind: DuckDBPyType) -> Sequence[str]:
    """The names of what is in each item of a list, where that is an object."""
    inner = kind.children[0][1]
    if isinstance(inner, DuckDBPyType) and inner.id == "struct":
        return [str(name) for name, _ in inner.children]
    return ()


def _items(staged: str, column: str, key: str, refers: str, kind: DuckDBPyType) -> str:
    """SQL: one row for each item, in the lists' order."""
    members = _members(kind)
    name = quoted(column)
    place = quoted(_free("item_no", [*members, refers]))
    rows = (
        f"SELECT {quoted(key)} AS {quoted(refers)}, generate_subscripts({name}, 1) AS {place}, "
        f"unnest({name}) AS item FROM {staged}"
    )
    item = "item.*" if members else f"item AS {name}"
    return f"SELECT {quoted(refers)}, {place}, {item} FROM ({rows})"


def _key_of(building: Building, staged: str, kinds: Mapping[str, DuckDBPyType]) -> str:
    """The column that tells rows apart, one that is called like a key first; empty where none
    does."""
    named = [column for column, kind in kinds.items() if kind.id in _KEY_TYPES]
    named.sort(key=lambda column: not _KEY_WORDS & set(words_of(column)[-1:]))
    rows = count(building.connection, f"SELECT count(*) FROM {staged}")
    for column in named:
        if not _KEY_WORDS & set(words_of(column)[-1:]):
            return ""
        if rows == count(
            building.connection, f"SELECT count(DISTINCT {quoted(column)}) FROM {staged}"
        ):
            return column
    return ""


def _free(wanted: str, taken: Mapping[str, object] | Sequence[str]) -> str:
    names = {name.casefold() for name in taken}
    name, number = wanted, 2
    while name.casefold() in names:
        name, number = f"{wanted}_{number}", number + 1
    return name
