"""Numbers and where they came from: whatever a person is shown is cited from a cell of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mesh.proof.claims import cell_text
from mesh.text.spelling import POINTS, shown
from services.planner.domain.answer import Claim


@dataclass(frozen=True)
class EvidenceTable:
    """The rows a completed step gave, with the call that made them."""

    task_id: str
    call_id: str
    digest: str
    rows: pa.Table

    def value(self, row: int, column: str) -> Any:
        """The cell as a Python value; None where it is null.

        Raises KeyError for an unknown column.
        """
        return self.rows.column(column)[row].as_py()

    def has(self, column: str) -> bool:
        """Whether there is such a column."""
        return column in self.rows.column_names


class ClaimBook:
    """Collects the claims of one answer. Citing a cell twice in one form is one claim."""

    def __init__(self) -> None:
        self._claims: dict[tuple[str, int, str, str], Claim] = {}

    def cite(
        self,
        table: EvidenceTable,
        row: int,
        column: str,
        *,
        unit: str = "",
        percent: bool = False,
    ) -> str:
        """The cell's value as people read it; remembers the claim. Raises KeyError.

        `percent` prints a share between 0 and 1 as per cent, and with the unit POINTS a difference
        of two as percentage points.
        """
        value = table.value(row, column)
        text = shown(value, unit=unit, percent=percent)
        key = (table.digest, row, column, text)
        if key not in self._claims:
            self._claims[key] = Claim(
                claim_id=len(self._claims) + 1,
                value=cell_text(value),
                text=text,
                unit=unit if unit == POINTS or not percent else "%",
                frame_digest=table.digest,
                row=row,
                column=column,
                call_id=table.call_id,
            )
        return text

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim, in the order first cited."""
        return tuple(self._claims.values())
