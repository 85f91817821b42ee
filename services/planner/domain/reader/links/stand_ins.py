"""Numbers that stand for no value: -999 among temperatures.

Instruments and old programs write them where nothing was measured, and any average of them is
false. That they are the least there is, far below nought, makes them likely; only people know.
"""

from __future__ import annotations

from services.planner.domain.catalogue import Column

_STAND_INS = (-999.0, -9999.0, -99999.0, -999999.0, -999.9, -99.99, -999.25)


def stand_in(column: Column) -> str:
    """The number that may stand for no value in a column; empty where there is none."""
    try:
        least = float(column.minimum or "nan")
        most = float(column.maximum or "nan")
    except ValueError:
        return ""
    return f"{least:g}" if least in _STAND_INS and most > least else ""
