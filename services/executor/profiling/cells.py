"""The tidy frame a profile is: one row for each statistic of each column."""

from __future__ import annotations

import math

import pyarrow as pa

SCHEMA = pa.schema(
    [
        pa.field("column", pa.string(), nullable=False),
        pa.field("statistic", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("text", pa.string()),
    ]
)

# Statistics of the frame as a whole stand under this name.
WHOLE_TABLE = "(table)"


class Cells:
    """Collects statistics in the order in which they are shown."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._statistics: list[str] = []
        self._values: list[float | None] = []
        self._texts: list[str | None] = []

    def __len__(self) -> int:
        return len(self._columns)

    def number(
        self, column: str, statistic: str, value: float | None, text: str | None = None
    ) -> None:
        """A number; None and what is not finite are null. `text` says it exactly or adds to it."""
        known = value is not None and math.isfinite(value)
        self._add(column, statistic, float(value) if known and value is not None else None, text)

    def text(self, column: str, statistic: str, text: str) -> None:
        """A statistic that is no number."""
        self._add(column, statistic, None, text)

    def table(self) -> pa.Table:
        """All statistics so far."""
        return pa.table([self._columns, self._statistics, self._values, self._texts], schema=SCHEMA)

    def _add(self, column: str, statistic: str, value: float | None, text: str | None) -> None:
        self._columns.append(column)
        self._statistics.append(statistic)
        self._values.append(value)
        self._texts.append(text)
