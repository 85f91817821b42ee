"""How facts are asked of the data: plain statements, and what is left of the time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from services.executor.domain.description import TableDescription
from services.executor.sources.sql import quoted

Rows = Sequence[tuple[Any, ...]]
Ask = Callable[[str, int], Rows]
"""The rows of a statement, at most so many. Raises UnansweredError."""

EXACT_ROWS = 2_000_000
"""Tables of more rows are measured by a sample, of as many rows as `SAMPLE_ROWS`."""
SAMPLE_ROWS = 200_000
_SEED = 42


class UnansweredError(Exception):
    """No time is left, or the engine cannot say it."""


def is_exact(table: TableDescription) -> bool:
    """Whether all rows of a table are measured."""
    return table.rows <= EXACT_ROWS


def rows_of(table: TableDescription, *, sampled: bool) -> str:
    """What SQL calls the rows that are measured: the table, or the same sample each time."""
    name = quoted(table.name)
    if is_exact(table) or not sampled:
        return name
    return (
        f"(SELECT * FROM {name} USING SAMPLE reservoir({SAMPLE_ROWS} ROWS) "
        f"REPEATABLE ({_SEED})) AS sampled"
    )
