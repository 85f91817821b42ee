"""Hold what a runner gave against what the script expects.

An expected object is met by one that has at least its members, a list by one of as many items, and
anything else by its equal; numbers that are not whole may differ by rounding. An object with a
single member that begins with "$" says more:

    {"$like": "pattern"}       a text that the regular expression is found in
    {"$has": [item, …]}        a list with an item that meets each of these
    {"$counted": 5}            a list of whole numbers that goes on from 5 without gaps or doubles
    {"$least": 3}              a number that is not less
    {"$filled": true}          anything but an empty text, list or null
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

JUDGES: dict[str, Callable[[Any, Any], bool]] = {
    "$like": lambda wanted, given: isinstance(given, str) and bool(re.search(wanted, given)),
    "$has": lambda wanted, given: isinstance(given, list) and all(
        any(not list(faults(item, one)) for one in given) for item in wanted
    ),
    "$counted": lambda wanted, given: isinstance(given, list) and bool(given) and all(
        one == number for one, number in zip(given, count(wanted), strict=False)
    ),
    "$least": lambda wanted, given: isinstance(given, int | float) and given >= wanted,
    "$filled": lambda wanted, given: given not in (None, "", [], {}) and wanted is True,
}  # fmt: skip


def faults(wanted: Any, given: Any, place: str = "") -> Iterator[str]:
    """What is not as it should be, by its place in the result; nothing where all is."""
    if isinstance(wanted, dict):
        judge = next(iter(wanted), "") if len(wanted) == 1 else ""
        if judge.startswith("$"):
            if not JUDGES[judge](wanted[judge], given):
                yield f"{place or 'result'}: {given!r} does not meet {wanted!r}"
        elif not isinstance(given, dict):
            yield f"{place or 'result'}: {given!r} in place of an object"
        else:
            for name, inner in wanted.items():
                where = f"{place}.{name}" if place else name
                if name in given:
                    yield from faults(inner, given[name], where)
                else:
                    yield f"{where} is missing from {given!r}"
    elif isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        for number, (inner, one) in enumerate(zip(wanted, given, strict=True)):
            yield from faults(inner, one, f"{place}[{number}]")
    elif not _equal(wanted, given):
        yield f"{place or 'result'}: {given!r} in place of {wanted!r}"


def _equal(wanted: Any, given: Any) -> bool:
    numbers = all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in (wanted, given)
    )
    if numbers and not (isinstance(wanted, int) and isinstance(given, int)):
        return math.isclose(wanted, given, rel_tol=1e-9)
    return bool(type(wanted) is type(given) and wanted == given)
