"""What the tools of an investigation gave, row by row, as the rules read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from services.planner.domain.investigation.hypothesising import Segment
from services.planner.domain.reporting.evidence import EvidenceTable

ALPHA = 0.05
"""Chance of telling a cause where there is none, over a whole search."""


@dataclass(frozen=True)
class Row:
    """One row of a frame, with its place, so that what is said of it can be cited."""

    table: EvidenceTable
    number: int
    values: Mapping[str, Any]

    def __getitem__(self, column: str) -> Any:
        return self.values.get(column)

    def figure(self, column: str) -> float | None:
        """A number that is there and finite, or None."""
        value = self.values.get(column)
        if value is None or isinstance(value, str | bool) or value != value:
            return None
        return float(value)

    @property
    def segment(self) -> Segment:
        """The segment that the row is about; empty for none."""
        text = self.values.get("segment")
        return tuple(json.loads(text).items()) if text else ()

    @property
    def stands_out(self) -> bool:
        """Whether it is no chance, corrected for everything that was looked at."""
        p = self.figure("p_corrected")
        return p is not None and p <= ALPHA


def rows_of(table: EvidenceTable) -> list[Row]:
    """The rows of a small frame, in order."""
    return [Row(table, number, values) for number, values in enumerate(table.rows.to_pylist())]


def statistics_of(table: EvidenceTable) -> dict[str, Row]:
    """The rows of a frame that has one for each statistic, by its name."""
    return {str(row["statistic"]): row for row in rows_of(table)}


def ended(task_id: str) -> str:
    """What a task does: the last part of its id."""
    return task_id.partition("_")[2] or task_id
