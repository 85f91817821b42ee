"""A little of a reading's answer, for who is to choose between readings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from services.planner.domain.evidence import Outcome, ProbeState, Value
from services.planner.domain.query.intent import Intent

_MOST_ROWS, _MOST_CELLS, _LONGEST_CELL = 3, 4, 30


def glimpse_of(outcome: Outcome | None, intent: Intent) -> str:
    """For example "3 rows: France 12, Germany 9, Spain 4", "2,328.60" or "no rows".

    Empty for a reading that was not looked at.
    """
    if outcome is None or outcome.state is not ProbeState.OK:
        return ""
    if not outcome.rows:
        return "no rows"
    named = len(intent.dimensions)
    rows = _in_order(outcome, intent)
    shown = [_row(row, named) for row in rows[:_MOST_ROWS]]
    if outcome.rows == 1:
        return shown[0] if shown else ""
    more = ", …" if outcome.rows > len(shown) else ""
    many = f"more than {outcome.rows:,}" if outcome.more else f"{outcome.rows:,}"
    return f"{many} rows: {', '.join(shown)}{more}" if shown else f"{many} rows"


def _in_order(outcome: Outcome, intent: Intent) -> Sequence[tuple[Value, ...]]:
    """Its rows as the answer has them, where all are known: those with the highest total first."""
    rows = outcome.glimpse
    first = intent.order[0] if intent.order else None
    whole = len(rows) == outcome.rows and not outcome.more
    if first is None or first.target != "measure" or not whole:
        return rows
    at = len(intent.dimensions) + first.index
    numbers = [row[at] if at < len(row) else None for row in rows]
    if not all(isinstance(number, int | float) for number in numbers):
        return rows
    ranked = sorted(
        zip(numbers, rows, strict=True),
        key=lambda one: float(str(one[0])),
        reverse=first.descending,
    )
    return [row for _, row in ranked]


def _row(row: tuple[Value, ...], named: int) -> str:
    """The first `named` cells name things: a year has no thousands."""
    cells = [_cell(value, name=at < named) for at, value in enumerate(row[:_MOST_CELLS])]
    return " ".join(cells) + (" …" if len(row) > _MOST_CELLS else "")


def _cell(value: Value, *, name: bool) -> str:
    if value is None or value == "":
        return "(empty)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int):
        return str(value) if name else f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.3g}"
    if isinstance(value, datetime | date):
        return value.isoformat().removesuffix("T00:00:00")
    return value if len(value) <= _LONGEST_CELL else f"{value[: _LONGEST_CELL - 1]}…"
