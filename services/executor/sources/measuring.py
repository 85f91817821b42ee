"""What one pass over a table tells of every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from services.executor.sources.manifest import ColumnStatistics, StoredColumn, StoredTable
from services.executor.sources.sql import literal, quoted

_EXACT_ROWS = 50_000
_SAMPLE_ROWS = 10_000
_COUNTED_ROWS = 100_000
_FEW_VALUES = 20_000
_NEARLY_UNIQUE = 0.9
_COLUMNS_PER_QUERY = 60
_SAMPLES = 5
_LONGEST_SAMPLE = 80
_BLOCKED = "[blocked:"


def measured(
    connection: duckdb.DuckDBPyConnection, table: StoredTable, folder: Path
) -> StoredTable:
    """The table with statistics of every column, from the database or folder being built."""
    footer = (
        _from_footer(connection, table, folder / table.file)
        if table.file and table.rows > _EXACT_ROWS
        else {}
    )
    return table.model_copy(
        update={
            "statistics": column_statistics(
                connection, table.name, table.columns, table.rows, footer
            )
        }
    )


def _from_footer(
    connection: duckdb.DuckDBPyConnection, table: StoredTable, file: Path
) -> dict[str, tuple[Any, ...]]:
    """Filled cells, minimum and maximum by column, where the Parquet footer says them all."""
    found: dict[str, tuple[Any, ...]] = {}
    for kind in sorted({column.type for column in table.columns} - {"BOOLEAN"}):
        positions = [i for i, column in enumerate(table.columns) if column.type == kind]
        rows = connection.execute(
            f"SELECT column_id, sum(stats_null_count), min(stats_min_value::{kind}), "
            f"max(stats_max_value::{kind}), bool_and(stats_null_count IS NOT NULL AND "
            "(stats_min_value IS NOT NULL OR stats_null_count = num_values)) "
            f"FROM parquet_metadata({literal(str(file))}) WHERE column_id IN "
            f"({', '.join(map(str, positions))}) GROUP BY 1"
        ).fetchall()
        for position, nulls, low, high, complete in rows:
            if complete:
                found[table.columns[position].name] = (table.rows - nulls, low, high)
    return found


def column_statistics(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[StoredColumn],
    rows: int,
    known: Mapping[str, tuple[Any, ...]] | None = None,
) -> dict[str, ColumnStatistics]:
    """Statistics of the columns of a relation of that name.

    In large tables distinct values are counted in the first 100,000 rows: where nearly all are,
    their number is estimated from that, else from all rows, and counted where they are few. `known`
    are filled cells, minimum and maximum of columns that need not be looked at for these.
    """
    exact = rows <= _EXACT_ROWS
    share = min(1.0, _COUNTED_ROWS / rows) if rows else 1.0
    result: dict[str, ColumnStatistics] = {}
    names = [column.name for column in columns]
    for start in range(0, len(names), _COLUMNS_PER_QUERY):
        part = names[start : start + _COLUMNS_PER_QUERY]
        unknown = [name for name in part if name not in (known or {})]
        numbers = _row(cursor, quoted(table), [t for n in unknown for t in _terms(n)])
        ends = {n: numbers[i * 3 : i * 3 + 3] for i, n in enumerate(unknown)} | dict(known or {})
        counts = _row(
            cursor,
            f"(SELECT * FROM {quoted(table)} LIMIT {_COUNTED_ROWS})",
            [_distinct(n, exact=exact) for n in part],
        )
        samples = _row(
            cursor,
            f"(SELECT * FROM {quoted(table)} LIMIT {_SAMPLE_ROWS})",
            [f"approx_top_k({quoted(name)}, {_SAMPLES + 3})" for name in part],
        )
        again = [
            name
            for position, name in enumerate(part)
            if not exact and counts[position] < _NEARLY_UNIQUE * _COUNTED_ROWS
        ]
        few = {n for n in again if counts[part.index(n)] <= _FEW_VALUES}
        counted = _row(cursor, quoted(table), [_distinct(n, exact=n in few) for n in again])
        recounted = dict(zip(again, counted, strict=True))
        for position, name in enumerate(part):
            filled, low, high = ends[name]
            distinct = recounted.get(name, round(counts[position] / share))
            result[name] = ColumnStatistics(
                nulls=rows - filled,
                distinct=min(distinct, filled),
                minimum=_shown(low),
                maximum=_shown(high),
                samples=_samples(samples[position]),
                exact=exact,
            )
    return result


def _distinct(name: str, *, exact: bool) -> str:
    return f"{'count(DISTINCT ' if exact else 'approx_count_distinct('}{quoted(name)})"


def _terms(name: str) -> list[str]:
    column = quoted(name)
    return [f"count({column})", f"min({column})", f"max({column})"]


def _row(cursor: duckdb.DuckDBPyConnection, source: str, terms: list[str]) -> tuple[Any, ...]:
    if not terms:
        return ()
    row = cursor.execute(f"SELECT {', '.join(terms)} FROM {source}").fetchone()
    return row or ()


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    text = _text(value)
    return None if _BLOCKED in text else text[:_LONGEST_SAMPLE]


def _samples(values: list[Any] | None) -> tuple[str, ...]:
    texts = [_text(value) for value in values or [] if value is not None]
    clean = [text[:_LONGEST_SAMPLE] for text in texts if text.strip() and _BLOCKED not in text]
    return tuple(clean[:_SAMPLES])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.isoformat() if hasattr(value, "isoformat") else value)
