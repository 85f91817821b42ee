"""Numbers and where they came from: whatever a person is shown is cited from a cell of a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from services.planner.domain.job import Claim


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

        `percent` prints a share between 0 and 1 as per cent.
        """
        value = table.value(row, column)
        text = shown(value, unit=unit, percent=percent)
        key = (table.digest, row, column, text)
        if key not in self._claims:
            self._claims[key] = Claim(
                claim_id=len(self._claims) + 1,
                value=exact(value),
                text=text,
                unit="%" if percent else unit,
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


def exact(value: Any) -> str:
    """A cell's value as text that loses nothing: what a verifier compares."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value)


def shown(value: Any, *, unit: str = "", percent: bool = False) -> str:
    """A value as people read it: thousands separators, few decimals, unit behind."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        whole = value.is_finite() and value == value.to_integral_value()
        value = int(value) if whole else float(value)
    if isinstance(value, int | float):
        return _number(value, unit, percent)
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date().isoformat()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return value.isoformat() if isinstance(value, date) else str(value)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _number(value: float, unit: str, percent: bool) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if percent:
        share = value * 100
        return f"{share:.0f} %" if abs(share) >= 10 else f"{share:.1f} %"
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e15):
        text = f"{int(value):,}"
    elif abs(value) >= 10_000:
        text = f"{value:,.0f}"
    elif abs(value) >= 1:
        text = f"{value:,.2f}"
    else:
        digits, _, power = f"{value:.3g}".partition("e")
        text = f"{digits}×10{str(int(power)).translate(_RAISED)}" if power else digits
    return f"{text} {unit}".rstrip()
