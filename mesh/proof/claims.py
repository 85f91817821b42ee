"""Numbers that an answer cites, and whether the cells they cite hold them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from mesh.text.spelling import POINTS, shown

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A number as the answer cites it: its exact value and the cell it came from."""

    claim_id: int
    value: str
    text: str
    frame_digest: str
    row: int
    column: str
    call_id: str
    unit: str = ""

    @property
    def place(self) -> str:
        """The claim and its cell, for people."""
        cell = f"row {self.row}, column {self.column!r}"
        return f"claim {self.claim_id} (frame {self.frame_digest[:8]}, {cell})"


def claim_record(claim: Mapping[str, Any]) -> ClaimRecord:
    """A claim as chains record it. Raises KeyError, TypeError or ValueError when it is none."""
    return ClaimRecord(
        claim_id=int(claim["claim_id"]),
        value=str(claim["value"]),
        text=str(claim["text"]),
        frame_digest=str(claim["frame_digest"]),
        row=int(claim["row"]),
        column=str(claim["column"]),
        call_id=str(claim["call_id"]),
        unit=str(claim["unit"]),
    )


def unrecorded_claim(claims: Iterable[ClaimRecord], recorded: frozenset[ClaimRecord]) -> str | None:
    """The first claim of the answer that the chain does not record just so, or None."""
    for claim in claims:
        if claim not in recorded:
            return f"{claim.place}: the chain records no such claim"
    return None


def frame_fault(claims: Sequence[ClaimRecord], rows: pa.Table) -> str | None:
    """The first claim on a frame, whose rows these are, that does not hold, or None."""
    for claim in claims:
        if claim.column not in rows.column_names:
            return f"{claim.place}: the frame has no such column"
        if not 0 <= claim.row < rows.num_rows:
            return f"{claim.place}: the frame has {rows.num_rows:,} rows"
        value = rows.column(claim.column)[claim.row].as_py()
        cell = cell_text(value)
        if cell != claim.value:
            return f"{claim.place}: the answer says {claim.value}, the frame {cell}"
        if fault := _printed_fault(claim, value):
            return fault
    return None


def _printed_fault(claim: ClaimRecord, value: Any) -> str | None:
    """Whether a claim is printed otherwise than its cell is. A unit of "%" may be a share's."""
    texts = [shown(value, percent=True)] if claim.unit == "%" else []
    texts += [shown(value, percent=True, unit=POINTS)] if claim.unit == POINTS else []
    texts.append(shown(value, unit=claim.unit))
    if claim.text in texts:
        return None
    return f"{claim.place}: the answer prints {claim.text!r}, the cell is printed {texts[0]!r}"


def cell_text(value: Any) -> str:
    """A cell as claims write it: exact, as decimal text or ISO date."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)
