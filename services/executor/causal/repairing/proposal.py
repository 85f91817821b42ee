"""A repair as it is proposed: what is wrong, what would be done, and how it is taken back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("repair_id", pa.string()),
        ("column", pa.string()),
        ("kind", pa.string()),
        ("mechanism", pa.string()),
        ("p_value", pa.float64()),
        ("method", pa.string()),
        ("parameters", pa.string()),
        ("rows", pa.int64()),
        ("before", pa.string()),
        ("after", pa.string()),
        ("applied", pa.bool_()),
        ("reason", pa.string()),
        ("reversal", pa.string()),
    ]
)

CELLS = "take the column from the loaded frame at the same _row"
ROWS = "take the rows from the loaded frame whose _row is not here"
NOTHING = "nothing is changed"


@dataclass(frozen=True)
class Proposal:
    """One repair. `before` and `after` show a few cells or counts; `applied` says whether the
    repair changes anything, or only flags."""

    column: str
    kind: str
    method: str
    rows: int
    reason: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mechanism: str = ""
    p_value: float | None = None
    applied: bool = True
    reversal: str = CELLS

    def row(self, number: int) -> dict[str, Any]:
        """The row of the frame that lists repairs."""
        return {
            "repair_id": f"rep_{number:03d}",
            "column": self.column,
            "kind": self.kind,
            "mechanism": self.mechanism,
            "p_value": self.p_value,
            "method": self.method,
            "parameters": _text(self.parameters),
            "rows": self.rows,
            "before": _text(self.before),
            "after": _text(self.after),
            "applied": self.applied,
            "reason": self.reason,
            "reversal": self.reversal if self.applied else NOTHING,
        }


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, default=str)
