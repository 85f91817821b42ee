"""Names of months, weekdays and quarters, in their order."""

from __future__ import annotations

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONG_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_SHORT_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_OTHER_WEEKDAYS = ["mo", "tues", "we", "thur", "fr", "sa", "su"]

CALENDARS: tuple[dict[str, int], ...] = (
    {name.lower(): i for names in (MONTHS, _LONG_MONTHS) for i, name in enumerate(names)}
    | {"sept": 8},
    {
        name: i
        for names in (_WEEKDAYS, _SHORT_WEEKDAYS, _OTHER_WEEKDAYS)
        for i, name in enumerate(names)
    }
    | {"thurs": 3},
    {f"q{i}": i for i in range(1, 5)},
)
"""The place of each name of a month, a weekday or a quarter, in lower case."""
