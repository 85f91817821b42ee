"""Names that have an order of their own: months, weekdays, and common steps of size."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONG_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_SHORT_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_OTHER_WEEKDAYS = ["mo", "tues", "we", "thur", "fr", "sa", "su"]

_SCALES: tuple[dict[str, int], ...] = (
    {name.lower(): i for names in (MONTHS, _LONG_MONTHS) for i, name in enumerate(names)}
    | {"sept": 8},
    {
        name: i
        for names in (_WEEKDAYS, _SHORT_WEEKDAYS, _OTHER_WEEKDAYS)
        for i, name in enumerate(names)
    }
    | {"thurs": 3},
    {f"q{i}": i for i in range(1, 5)},
    {"low": 0, "medium": 1, "high": 2},
    {"small": 0, "medium": 1, "large": 2},
    {"xs": 0, "s": 1, "m": 2, "l": 3, "xl": 4, "xxl": 5},
)


def ranks(names: Sequence[str]) -> dict[Hashable, float] | None:
    """The place of each name in the calendar or scale all of them belong to, if there is one."""
    folded = {name: name.strip().rstrip(".").lower() for name in names}
    if len(folded) < 2:
        return None
    for scale in _SCALES:
        if all(name in scale for name in folded.values()):
            return {name: float(scale[key]) for name, key in folded.items()}
    return None
