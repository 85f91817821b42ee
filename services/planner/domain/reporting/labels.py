"""How the things of an answer are called: months, quarters, names, empty names."""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime
from typing import Any

from services.planner.domain.evidence import shown

LONGEST_LABEL = 60
_GRAINS = ("", "year", "quarter", "month", "week", "day", "month_of_year", "hour")
_SINGULAR = frozenset({"gas", "lens", "news", "atlas", "bias", "canvas", "series", "species"})
_SPACE = re.compile(r"\s+")


def label_text(value: Any, grain: str = "", *, short: bool = False) -> str:
    """A dimension's value for a sentence; `grain` is one of language.intent.Grain or empty.

    `short` leaves the year out of a month.
    """
    if value is None or value == "":
        return "(missing)"
    if isinstance(value, datetime | date):
        return _moment(value, grain, short)
    if isinstance(value, bool):
        return shown(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _ordinal(value, grain)
    return shortened(str(value))


def spellings(value: Any) -> frozenset[str]:
    """Every way in which `label_text` may write the value, also at the head of a sentence."""
    texts = {label_text(value, grain, short=short) for grain in _GRAINS for short in (False, True)}
    return frozenset(texts | {capitalised(text) for text in texts})


def capitalised(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def shortened(text: str, longest: int = LONGEST_LABEL) -> str:
    """One line of at most `longest` characters."""
    line = _SPACE.sub(" ", text[: 4 * longest]).strip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _moment(value: date, grain: str, short: bool) -> str:
    if grain == "year":
        return f"{value.year}"
    if grain == "quarter":
        quarter = f"Q{(value.month + 2) // 3}"
        return quarter if short else f"{quarter} {value.year}"
    if grain == "month":
        month = calendar.month_name[value.month]
        return month if short else f"{month} {value.year}"
    day = f"{value.day} {calendar.month_name[value.month]} {value.year}"
    if grain == "week":
        return f"the week of {day}"
    clock = (value.hour, value.minute) if isinstance(value, datetime) else (0, 0)
    if clock != (0, 0) and grain != "day":
        return f"{day}, {clock[0]:02}:{clock[1]:02}"
    return day


def _ordinal(value: float, grain: str) -> str:
    whole = float(value).is_integer()
    if grain == "month_of_year" and whole and 1 <= value <= 12:
        return calendar.month_name[int(value)]
    if grain == "hour" and whole:
        return f"{int(value):02}:00"
    exact = isinstance(value, int) or (whole and abs(value) < 1e15)
    return str(int(value)) if exact else f"{value:g}"


def singular(noun: str) -> str:
    """The singular of a plural that follows the rules: "orders", "categories", "boxes"."""
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun[:-1]
    return noun


def is_plural(name: str) -> bool:
    """Whether a name is of several things: "total sales", but not "share of sales" or "gas"."""
    head = re.split(r" (?:of|per|in|for|from|to|by) ", name.casefold())[0].split()
    words = [word for word in head if not word.isdigit()]
    last = words[-1] if words else ""
    return len(last) > 3 and singular(last) != last and last not in _SINGULAR


def plural(noun: str) -> str:
    """The plural by the rules; what ends in s already is left as it is."""
    if noun.endswith("s"):
        return noun
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("x", "ch", "sh", "z")) else "s")


def preposition(grain: str) -> str:
    """What stands before a time: in December, on 4 July, at 14:00."""
    return {"day": "on", "weekday": "on", "hour": "at", "": "on"}.get(grain, "in")
