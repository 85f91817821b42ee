"""How the values of numbers and times are spread: counts in spans of equal length."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from math import ceil, floor
from typing import Any

from services.executor.domain.description import Bin, ColumnDescription, DataType
from services.executor.sources.sql import quoted

BINS = 20
_TOGETHER = 12
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_TIMES = (DataType.DATE, DataType.DATETIME)
Rows = Callable[[str, int], Sequence[dict[str, Any]]]
"""The rows of a statement, at most so many."""


def spread(
    table: str, columns: Sequence[ColumnDescription], rows: Rows
) -> dict[str, tuple[Bin, ...]]:
    """The bins of each column of numbers or times that has two values or more, by its name."""
    found: dict[str, tuple[Bin, ...]] = {}
    wanted = [
        (column, _edges(column, *ends)) for column in columns if (ends := _ends(column)) is not None
    ]
    for start in range(0, len(wanted), _TOGETHER):
        part = wanted[start : start + _TOGETHER]
        asked = " UNION ALL ".join(
            _counted(number, column, edges, table) for number, (column, edges) in enumerate(part)
        )
        counts: dict[int, Counter[int]] = defaultdict(Counter)
        for row in rows(asked, (BINS + 2) * len(part)):
            place = int(row["place"])
            last = len(part[place][1]) - 2  # the greatest value itself lies on the last edge
            counts[place][min(int(row["bin"]), last)] += int(row["n"])
        for number, (column, edges) in enumerate(part):
            found[column.name] = _bins(column, edges, counts[number])
    return found


def _ends(column: ColumnDescription) -> tuple[float, float] | None:
    """Least and greatest as numbers: of times, days since the beginning of 1970."""
    if column.minimum is None or column.maximum is None:
        return None
    try:
        if column.data_type in _NUMBERS:
            low, high = float(column.minimum), float(column.maximum)
        elif column.data_type in _TIMES:
            low, high = (_days(text) for text in (column.minimum, column.maximum))
        else:
            return None
    except ValueError:
        return None
    return (low, high) if high > low else None


def _days(text: str) -> float:
    return (datetime.fromisoformat(text).replace(tzinfo=None) - _EPOCH) / timedelta(days=1)


_EPOCH = datetime(1970, 1, 1)


def _edges(column: ColumnDescription, low: float, high: float) -> list[float]:
    """Where spans begin, and where the last one ends: of whole numbers and days at whole ones, so
    that each holds as many of them."""
    if column.data_type is DataType.FLOAT:
        return [low + (high - low) / BINS * number for number in range(BINS + 1)]
    first, beyond = floor(low), floor(high) + 1
    width = ceil((beyond - first) / BINS)
    return [float(edge) for edge in range(first, beyond + width, width)][: BINS + 1]


def _counted(number: int, column: ColumnDescription, edges: Sequence[float], table: str) -> str:
    name, width = quoted(column.name), edges[1] - edges[0]
    value = f"CAST({name} AS DOUBLE)"
    if column.data_type in _TIMES:
        value = f"CAST(date_diff('day', DATE '1970-01-01', CAST({name} AS DATE)) AS DOUBLE)"
    at = f"CAST(floor(({value} - {edges[0]!r}) / {width!r}) AS BIGINT)"
    return (
        f"SELECT {number} AS place, {at} AS bin, count(*) AS n FROM {quoted(table)} "
        f"WHERE {name} IS NOT NULL GROUP BY {at}"
    )


def _bins(
    column: ColumnDescription, edges: Sequence[float], counts: Counter[int]
) -> tuple[Bin, ...]:
    texts = [_describe_edge(column, edge) for edge in edges]
    return tuple(Bin(*ends, counts[at]) for at, ends in enumerate(pairwise(texts)))


def _describe_edge(column: ColumnDescription, edge: float) -> str:
    if column.data_type in _TIMES:
        return (_EPOCH + timedelta(days=edge)).date().isoformat()
    return f"{edge:.6g}"
