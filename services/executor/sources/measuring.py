"""What one pass over a table tells of every column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from mesh.pseudonym import HIDDEN
from services.executor.sources.digits import judged
from services.executor.sources.manifest import ColumnStatistics, StoredColumn, StoredTable
from services.executor.sources.sql import literal, quoted

_EXACT_ROWS = 50_000
_SAMPLE_ROWS = 10_000
_COUNTED_ROWS = 100_000
_FEW_OF_SAMPLE = 2_000
_NEARLY_UNIQUE = 0.9
_LISTED_ROWS = 20_000
# A query over a wide table costs as much for its columns as for its rows; memory sets the limit.
_COLUMNS_PER_QUERY, _MOST_COLUMNS_PER_QUERY, _CELLS_PER_QUERY = 100, 500, 2_000_000
_SAMPLES = 5
_LONGEST_SAMPLE = 80
_HIDDEN = re.compile(HIDDEN)


def measured(
    connection: duckdb.DuckDBPyConnection, table: StoredTable, folder: Path
) -> StoredTable:
    """The table with statistics of every column, and what its columns of digits hold, from the
    database or folder being built."""
    footer = (
        _from_footer(connection, table, folder / table.file)
        if table.file and table.rows > _EXACT_ROWS
        else {}
    )
    # A view is taken apart for every query of it, column by column; its file need not be.
    file = literal(str(folder / table.file))
    relation = f"read_parquet({file})" if table.file else quoted(table.name)
    found = column_statistics(connection, relation, table.columns, table.rows, footer)
    return judged(connection, table.model_copy(update={"statistics": found}), relation)


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
    relation: str,
    columns: Sequence[StoredColumn],
    rows: int,
    known: Mapping[str, tuple[Any, ...]] | None = None,
) -> dict[str, ColumnStatistics]:
    """Statistics of the columns of what SQL calls `relation`.

    `known` are filled cells, minimum and maximum of columns that need not be looked at for these.
    """
    result: dict[str, ColumnStatistics] = {}
    names = [column.name for column in columns]
    fitting = _CELLS_PER_QUERY // max(1, rows)
    width = max(_COLUMNS_PER_QUERY, min(_MOST_COLUMNS_PER_QUERY, fitting))
    for start in range(0, len(names), width):
        part = names[start : start + width]
        unknown = [name for name in part if name not in (known or {})]
        numbers = _row(cursor, relation, [t for n in unknown for t in _terms(n)])
        ends = {n: numbers[i * 3 : i * 3 + 3] for i, n in enumerate(unknown)} | dict(known or {})
        first = _first(relation, part, _SAMPLE_ROWS)
        samples = _row(
            cursor, first, [f"approx_top_k({quoted(name)}, {_SAMPLES + 3})" for name in part]
        )
        distinct = _distinct_values(cursor, relation, part, rows)
        for position, name in enumerate(part):
            filled, low, high = ends[name]
            result[name] = ColumnStatistics(
                nulls=rows - filled,
                distinct=min(distinct[name], filled),
                minimum=_shown(low),
                maximum=_shown(high),
                samples=_samples(samples[position]),
                exact=rows <= _EXACT_ROWS,
            )
    return result


def _distinct_values(
    cursor: duckdb.DuckDBPyConnection, relation: str, names: Sequence[str], rows: int
) -> dict[str, int]:
    """How many values each column has: counted, in large tables only where they look few.

    There, a column whose first 100,000 rows nearly all differ is taken to go on like that; what is
    neither few nor nearly all is estimated from all rows (HyperLogLog).
    """
    if rows <= _EXACT_ROWS:
        exactly = _listed if rows <= _LISTED_ROWS else _exactly
        counted = _row(cursor, relation, [exactly(name) for name in names])
        return dict(zip(names, counted, strict=True))
    terms = [term for name in names for term in (_exactly(name), f"count({quoted(name)})")]
    sample = _row(cursor, _first(relation, names, _SAMPLE_ROWS), terms)
    seen = {name: sample[2 * i : 2 * i + 2] for i, name in enumerate(names)}
    few = {name for name, (values, _) in seen.items() if values <= _FEW_OF_SAMPLE}
    many = [n for n, (values, filled) in seen.items() if values > _NEARLY_UNIQUE * filled > 0]
    many = [name for name in many if name not in few]
    share = min(1.0, _COUNTED_ROWS / rows)
    counts = _row(cursor, _first(relation, many, _COUNTED_ROWS), [_exactly(name) for name in many])
    result = {
        name: round(values / share)
        for name, values in zip(many, counts, strict=True)
        if values >= _NEARLY_UNIQUE * _COUNTED_ROWS
    }
    rest = [name for name in names if name not in result]
    found = _row(cursor, relation, [_exactly(n) if n in few else _about(n) for n in rest])
    return result | dict(zip(rest, found, strict=True))


def _first(relation: str, names: Sequence[str], rows: int) -> str:
    return f"(SELECT {', '.join(map(quoted, names))} FROM {relation} LIMIT {rows})"


def _exactly(name: str) -> str:
    return f"count(DISTINCT {quoted(name)})"


def _listed(name: str) -> str:
    """Costs an eighth of what a hash table for each of many columns does."""
    return f"coalesce(list_unique(list({quoted(name)})), 0)"


def _about(name: str) -> str:
    return f"approx_count_distinct({quoted(name)})"


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
    return None if _HIDDEN.search(text) else text[:_LONGEST_SAMPLE]


def _samples(values: list[Any] | None) -> tuple[str, ...]:
    texts = [_text(value) for value in values or [] if value is not None]
    clean = [text[:_LONGEST_SAMPLE] for text in texts if text.strip() and not _HIDDEN.search(text)]
    return tuple(clean[:_SAMPLES])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.isoformat() if hasattr(value, "isoformat") else value)
