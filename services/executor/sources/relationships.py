"""Which columns refer to which: declared by the source, or inferred from names and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from services.executor.databases.live import live
from services.executor.domain.description import Relationship
from services.executor.engines.workspace import FlatTable
from services.executor.sources import codes as codebook
from services.executor.sources.likeness import ABOVE, GENERIC, KEY_WORDS, likeness
from services.executor.sources.manifest import ColumnStatistics, StoredColumn
from services.executor.sources.naming import words_of
from services.executor.sources.sql import count, quoted

if TYPE_CHECKING:
    import duckdb

Statistics = Mapping[str, Mapping[str, ColumnStatistics]]

_MOST_CHECKS = 400
_MOST_KEYS = 20  # of one table that are compared with every column
_LEAST_INCLUSION = 0.75
_LEAST_CONFIDENCE = 0.5
_WITHOUT_VALUES = 0.6
_EQUAL_NAME = 0.65
"""The likeness of columns called alike of which neither is called like a key."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    from_table: FlatTable
    from_column: str
    to_table: FlatTable
    to_column: str
    likeness: float


def relationships(
    cursor: duckdb.DuckDBPyConnection, tables: Sequence[FlatTable], found: Statistics
) -> tuple[Relationship, ...]:
    """Declared relationships, and inferred ones between columns that declare none.

    A reference is inferred where the names agree, the target's values are unique, and at least
    three quarters of the distinct values that refer exist in the target. Confidence is the
    likeness of the names weighted with that share.
    """
    declared = list(_declared(tables))
    taken = {(r.from_table, r.from_column) for r in declared}
    pairs = {frozenset((r.from_table, r.to_table)) for r in declared}
    unread = {(table.name, c.name) for table in tables for c in table.columns if not c.read}
    candidates = [
        c
        for c in _candidates(tables, found)
        if (c.from_table.name, c.from_column) not in taken
        and (c.from_table.name, c.from_column) not in unread
        and frozenset((c.from_table.name, c.to_table.name)) not in pairs
    ]
    candidates.sort(key=lambda c: -c.likeness)
    inferred = [
        relation
        for candidate in candidates[:_MOST_CHECKS]
        if (relation := _confirmed(cursor, candidate)) is not None
    ]
    return (*declared, *_best(inferred))


def _declared(tables: Sequence[FlatTable]) -> Iterator[Relationship]:
    for table in tables:
        for key in table.stored.foreign_keys:
            target = next(
                (
                    other
                    for other in tables
                    if other.source.digest == table.source.digest
                    and other.stored.name.casefold() == key.to_table.casefold()
                ),
                None,
            )
            column = _named(table, key.column)
            target_column = _named(target, key.to_column) if target else None
            if target and column and target_column:
                yield Relationship(
                    from_table=table.name,
                    from_column=column,
                    to_table=target.name,
                    to_column=target_column,
                )


def _named(table: FlatTable, name: str) -> str | None:
    return next((c.name for c in table.columns if c.name.casefold() == name.casefold()), None)


def _candidates(tables: Sequence[FlatTable], found: Statistics) -> Iterator[_Candidate]:
    targets = _Targets(
        [
            (table, column)
            for table in tables
            for position, column in enumerate(table.columns)
            if _may_be_key(table, column, position, found[table.name][column.name])
        ]
    )
    yield from _match_by_name(tables, found)
    for table in tables:
        for column in table.columns:
            for target, key in targets.near(column.name):
                if column.type != key.type or (target.name, key.name) == (table.name, column.name):
                    continue
                if target.name == table.name:
                    alike = 0.75 if ABOVE & set(words_of(column.name)) else 0.0
                else:
                    alike = likeness(table.name, column.name, target.name, key.name)
                if alike:
                    yield _Candidate(table, column.name, target, key.name, alike)
    yield from _by_codes(tables, found)


def _match_by_name(tables: Sequence[FlatTable], found: Statistics) -> Iterator[_Candidate]:
    """Columns called alike of which one tells its table's rows apart, wherever it stands there;
    that every value of the other is one of its own has to bear it out."""
    by_name: dict[tuple[str, ...], list[tuple[FlatTable, StoredColumn]]] = {}
    for table in tables:
        for column in table.columns:
            by_name.setdefault(words_of(column.name), []).append((table, column))
    for words, alike in by_name.items():
        if words in GENERIC or len(alike) > _MOST_KEYS:
            continue
        for target, key in alike:
            known = found[target.name][key.name]
            if not _is_unique(target, key, known) or _may_be_key(target, key, 1, known):
                continue
            for table, column in alike:
                if table.name != target.name and column.type == key.type:
                    yield _Candidate(table, column.name, target, key.name, _EQUAL_NAME)


def _by_codes(tables: Sequence[FlatTable], found: Statistics) -> Iterator[_Candidate]:
    """Codes that a unique column of another table may explain, whatever they are called."""
    codes = [
        (table, column.name, found[table.name][column.name])
        for table in tables
        for column in table.columns
        if codebook.is_code(column, found[table.name][column.name])
    ]
    keys = [one for one in codes if not one[2].nulls and one[2].distinct == one[0].stored.rows]
    for table, column, column_statistics in codes:
        for target, key, known in keys:
            if target.name != table.name and codebook.may_refer(column_statistics, known):
                yield _Candidate(table, column, target, key, codebook.LIKENESS)


class _Targets:
    """Columns that may be referred to, found without comparing every column with every other.

    A name refers to a table by one of its first keys, or to a key of any place whose words it has
    or ends with.
    """

    def __init__(self, keys: Sequence[tuple[FlatTable, StoredColumn]]) -> None:
        self._keys = keys
        self._by_words: dict[tuple[str, ...], list[int]] = {}
        self._first: list[int] = []
        taken: Counter[tuple[str, tuple[str, ...]]] = Counter()
        for number, (table, column) in enumerate(keys):
            words = words_of(column.name)
            for among, which in (((), self._first), (words, self._by_words.setdefault(words, []))):
                taken[table.name, among] += 1
                if taken[table.name, among] <= _MOST_KEYS:
                    which.append(number)

    def near(self, name: str) -> Iterator[tuple[FlatTable, StoredColumn]]:
        """The keys that a column of this name may refer to, in their order."""
        words = words_of(name)
        ends = (words[start:] for start in range(len(words)))
        alike = {number for end in ends for number in self._by_words.get(end, ())}
        for number in sorted(alike.union(self._first)):
            yield self._keys[number]


def _may_be_key(
    table: FlatTable, column: StoredColumn, position: int, found: ColumnStatistics
) -> bool:
    if not column.read:
        return False
    if column.type in ("BIGINT", "VARCHAR") and table.stored.primary_key == (column.name,):
        return not found.nulls
    words = words_of(column.name)
    keyish = bool(words) and (words[-1] in KEY_WORDS or position == 0 or words in GENERIC)
    return keyish and _is_unique(table, column, found)


def _is_unique(table: FlatTable, column: StoredColumn, found: ColumnStatistics) -> bool:
    """Whether a column of names or whole numbers tells rows apart, and does not only number
    them."""
    if not column.read or column.type not in ("BIGINT", "VARCHAR") or found.nulls:
        return False
    rows = table.stored.rows
    unique = found.distinct == rows if found.exact else found.distinct > 0.9 * rows
    return unique and not codebook.numbers_rows(column.name)


def _confirmed(cursor: duckdb.DuckDBPyConnection, c: _Candidate) -> Relationship | None:
    if live(c.from_table.source) or live(c.to_table.source):
        # Their values are not read for this: the names alone must do.
        return _inferred(c, _WITHOUT_VALUES)
    column, key = quoted(c.from_column), quoted(c.to_column)
    source, target = quoted(c.from_table.name), quoted(c.to_table.name)
    values = f"(SELECT DISTINCT {column} AS value FROM {source} WHERE {column} IS NOT NULL)"
    total = count(cursor, f"SELECT count(*) FROM {values}")
    if total and c.to_table.stored.rows:
        if c.to_table.stored.rows != count(cursor, f"SELECT count(DISTINCT {key}) FROM {target}"):
            return None
        known = count(
            cursor, f"SELECT count(*) FROM {values} WHERE value IN (SELECT {key} FROM {target})"
        )
        share = known / total
        least = 1.0 if c.likeness == _EQUAL_NAME else _LEAST_INCLUSION
        weight = 0.4 + 0.6 * share if share >= least else 0.0
    else:
        weight = _WITHOUT_VALUES
    return _inferred(c, weight)


def _inferred(c: _Candidate, weight: float) -> Relationship | None:
    confidence = round(c.likeness * weight, 3)
    if confidence < _LEAST_CONFIDENCE:
        return None
    return Relationship(
        from_table=c.from_table.name,
        from_column=c.from_column,
        to_table=c.to_table.name,
        to_column=c.to_column,
        confidence=confidence,
        declared=False,
    )


def _best(inferred: list[Relationship]) -> list[Relationship]:
    """One target for each referring column, and one direction for each pair of columns."""
    kept: dict[tuple[str, str], Relationship] = {}
    for relation in sorted(inferred, key=lambda r: -r.confidence):
        source = (relation.from_table, relation.from_column)
        reverse = kept.get((relation.to_table, relation.to_column))
        backwards = reverse is not None and (reverse.to_table, reverse.to_column) == source
        if source not in kept and not backwards:
            kept[source] = relation
    return sorted(kept.values(), key=lambda r: (r.from_table, r.from_column))
