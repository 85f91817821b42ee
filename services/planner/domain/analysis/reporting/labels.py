"""Names of things in sentences: singular, plural, and what stands before a time."""

from __future__ import annotations

import re

_SINGULAR = frozenset({"gas", "lens", "news", "atlas", "bias", "canvas", "series", "species"})


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
