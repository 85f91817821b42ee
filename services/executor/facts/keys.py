"""Which columns tell the rows of a table apart."""

from __future__ import annotations

from collections.abc import Sequence

from services.executor.domain.description import (
    ColumnDescription,
    ColumnRole,
    DataType,
    TableDescription,
)
from services.executor.domain.facts import Key
from services.executor.facts.asking import Ask
from services.executor.sources.sql import quoted

_MOST_KEY_COLUMNS = 12
_MOST_KEYS = 12
_MOST_ROWS = 5_000_000
_COUNTED_ROWS = 50_000
"""Up to here a description counts different values; above it estimates many of them."""


def keys_of(table: TableDescription, ask: Ask) -> tuple[Key, ...]:
    """The declared key, single columns that tell filled rows apart, and where there is neither the
    fewest columns that together do. Raises UnansweredError."""
    declared = table.primary_key
    found = [Key(columns=declared, declared=True)] if declared else []
    if not table.rows or table.rows > _MOST_ROWS:
        return tuple(found)
    likely = [c for c in _candidates(table) if (c.name,) != declared and _may_be_unique(table, c)]
    for column in _unique(table, likely[:_MOST_KEYS], ask):
        found.append(Key(columns=(column.name,), nulls=column.nulls))
    if not any(key.declared or not key.nulls for key in found):
        together = _together(table, ask)
        found += [Key(columns=together)] if together else []
    return tuple(found[:_MOST_KEYS])


def _candidates(table: TableDescription) -> list[ColumnDescription]:
    """Columns that may name rows: what is measured differs from row to row by chance alone."""
    own = [c for c in table.columns if c.role is not ColumnRole.MEASURE]
    own = [c for c in own if c.data_type is not DataType.FLOAT]
    first = table.columns[0]
    numbered = [first] if first not in own and first.data_type is DataType.INTEGER else []
    return [*own, *numbered]


def _may_be_unique(table: TableDescription, column: ColumnDescription) -> bool:
    """Whether a description leaves it open: in large tables it estimates."""
    filled = table.rows - column.nulls
    least = filled if table.rows <= _COUNTED_ROWS else filled * 0.9
    return filled > 0 and least <= column.distinct


def _unique(
    table: TableDescription, columns: Sequence[ColumnDescription], ask: Ask
) -> list[ColumnDescription]:
    """Those whose filled rows all differ."""
    if not columns:
        return []
    terms = [
        f"count({name}) - count(DISTINCT {name}) AS again{number}"
        for number, name in enumerate(quoted(column.name) for column in columns)
    ]
    row = ask(f"SELECT {', '.join(terms)} FROM {quoted(table.name)}", 1)[0]
    return [column for column, again in zip(columns, row, strict=True) if not int(again)]


def _together(table: TableDescription, ask: Ask) -> tuple[str, ...]:
    """The fewest columns that tell rows apart, by leaving out one after another of all."""
    own = _candidates(table)[:_MOST_KEY_COLUMNS]
    kept = [column.name for column in own]
    if len(kept) < 2 or _different(table, kept, ask) != table.rows:
        return ()
    # What tells most apart is left out last: the fewer are left in the end.
    for column in sorted(own, key=lambda each: each.distinct):
        rest = [name for name in kept if name != column.name]
        if rest and _different(table, rest, ask) == table.rows:
            kept = rest
    return tuple(kept)


def _different(table: TableDescription, names: Sequence[str], ask: Ask) -> int:
    listed = ", ".join(map(quoted, names))
    sql = f"SELECT count(*) AS n FROM (SELECT DISTINCT {listed} FROM {quoted(table.name)}) AS kinds"
    return int(ask(sql, 1)[0][0])


def repeated_rows(table: TableDescription, ask: Ask) -> int:
    """How many rows are whole rows again. Raises UnansweredError."""
    return table.rows - _different(table, [column.name for column in table.columns], ask)
