"""What one pass over a table tells of every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

from services.executor.domain.description import DataType
from services.executor.engines.workspace import FlatTable
from services.executor.sources.building import count, quoted

_EXACT_ROWS = 50_000
_SAMPLE_ROWS = 50_000
_FEW_VALUES = 20_000
_COLUMNS_PER_QUERY = 60
_SAMPLES = 5
_LONGEST_SAMPLE = 80
_BLOCKED = "[blocked:"


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """Counts are exact in tables of up to 50,000 rows; above, large `distinct` are estimates."""

    nulls: int
    distinct: int
    minimum: str | None
    maximum: str | None
    samples: tuple[str, ...]
    exact: bool


def data_type(stored_type: str) -> DataType:
    """The logical type of a stored one."""
    return {
        "BIGINT": DataType.INTEGER,
        "DOUBLE": DataType.FLOAT,
        "BOOLEAN": DataType.BOOLEAN,
        "DATE": DataType.DATE,
        "TIMESTAMP": DataType.DATETIME,
    }.get(stored_type, DataType.FLOAT if stored_type.startswith("DECIMAL") else DataType.STRING)


def statistics(cursor: duckdb.DuckDBPyConnection, table: FlatTable) -> dict[str, ColumnStatistics]:
    """Statistics of every column a policy leaves, by column name."""
    exact = table.stored.rows <= _EXACT_ROWS
    result: dict[str, ColumnStatistics] = {}
    names = [column.name for column in table.columns]
    for start in range(0, len(names), _COLUMNS_PER_QUERY):
        part = names[start : start + _COLUMNS_PER_QUERY]
        numbers = _row(cursor, table.name, [t for n in part for t in _terms(n, exact)])
        samples = _row(
            cursor,
            f"(SELECT * FROM {quoted(table.name)} LIMIT {_SAMPLE_ROWS})",
            [f"approx_top_k({quoted(name)}, {_SAMPLES + 3})" for name in part],
            is_query=True,
        )
        for position, name in enumerate(part):
            filled, distinct, low, high = numbers[position * 4 : position * 4 + 4]
            if not exact and distinct <= _FEW_VALUES:
                distinct = count(
                    cursor, f"SELECT count(DISTINCT {quoted(name)}) FROM {quoted(table.name)}"
                )
            result[name] = ColumnStatistics(
                nulls=table.stored.rows - filled,
                distinct=min(distinct, filled),
                minimum=_shown(low),
                maximum=_shown(high),
                samples=_samples(samples[position]),
                exact=exact,
            )
    return result


def _terms(name: str, exact: bool) -> list[str]:
    column = quoted(name)
    distinct = f"count(DISTINCT {column})" if exact else f"approx_count_distinct({column})"
    return [f"count({column})", distinct, f"min({column})", f"max({column})"]


def _row(
    cursor: duckdb.DuckDBPyConnection, source: str, terms: list[str], *, is_query: bool = False
) -> tuple[Any, ...]:
    name = source if is_query else quoted(source)
    row = cursor.execute(f"SELECT {', '.join(terms)} FROM {name}").fetchone()
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
