"""How many values are missing, of rows at hand or counted where the data is."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import pyarrow as pa

from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import chosen


def missing(data: pd.DataFrame, columns: tuple[str, ...]) -> Outcome:
    """How many values of each column are missing, and which share of the rows that is."""
    some = int(data[list(columns)].isna().any(axis=1).sum())
    return _build_outcome({name: int(data[name].isna().sum()) for name in columns}, len(data), some)


def counted(frame: pa.Table, columns: tuple[str, ...], total: str, complete: str | None) -> Outcome:
    """The same from one row of counts. Raises ToolError for a column that is not there."""
    counts = chosen(frame, [total, *([complete] if complete else []), *columns]).iloc[0]
    rows = int(counts[total])
    some = rows - int(counts[complete]) if complete else None
    return _build_outcome({name: rows - int(counts[name]) for name in columns}, rows, some)


def _build_outcome(counts: Mapping[str, int], rows: int, some: int | None) -> Outcome:
    outcome = Outcome()
    outcome.add_sentence("test", "missing values")
    most = max(counts, key=lambda name: counts[name])
    if len(counts) > 1:
        text = f"{most} misses the most values" if counts[most] else "no value is missing"
    else:
        text = f"{most} has {'' if counts[most] else 'no '}missing values"
    outcome.add_sentence("conclusion", text)
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        outcome.add("missing", count, name)
        outcome.add("share missing", count / rows if rows else 0.0, name)
    if len(counts) > 1:
        outcome.add("missing in all columns", sum(counts.values()))
        if some is not None:
            outcome.add("rows with a missing value", some)
    outcome.add("rows", rows)
    return outcome
