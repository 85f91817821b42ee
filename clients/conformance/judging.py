"""Hold what a runner gave against what the script expects.

An expected object is met by one that has at least its members, a list by one of as many items, and
anything else by its equal; numbers that are not whole may differ by rounding. An object with a
single member that begins with "$" says more:

    {"$like": "pattern"}       a text that the regular expression is found in
    {"$has": [item, …]}        a list with an item that meets each of these
    {"$counted": 5}            a list of whole numbers that goes on from 5 without gaps or doubles
    {"$same": "name.member"}   what an earlier step of the case gave and was saved
    {"$least": 3}              a number that is not less
    {"$filled": true}          anything but an empty text, list, object or null
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any


def refused(script: Mapping[str, Any], results: Mapping[tuple[str, int], Any]) -> list[str]:
    """What is not as the script expects, by case and step; nothing where all is.

    `results` has what each step gave, by the name of its case and its number from 0.
    """
    found = []
    for case in script["cases"]:
        saved: dict[str, Any] = {}
        for number, step in enumerate(case["steps"]):
            place = f"{case['name']}, step {number} ({step['call']})"
            if (case["name"], number) not in results:
                found.append(f"{place}: not performed")
                continue
            result = results[case["name"], number]
            if "save" in step:
                saved[step["save"]] = result
            if isinstance(result, dict) and "error" in result and "error" not in step["expect"]:
                found.append(f"{place}: {result['error']}")
            else:
                found += [f"{place}: {one}" for one in faults(step["expect"], result, saved)]
    return found


def faults(wanted: Any, given: Any, saved: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """What is not as it should be, by its place in the result; nothing where all is."""
    judge = next(iter(wanted)) if isinstance(wanted, dict) and len(wanted) == 1 else ""
    if judge.startswith("$"):
        if not _meets(judge, wanted[judge], given, saved):
            yield f"{place or 'result'}: {given!r} does not meet {wanted!r}"
    elif isinstance(wanted, dict) and isinstance(given, dict):
        for name, inner in wanted.items():
            where = f"{place}.{name}" if place else name
            if name in given:
                yield from faults(inner, given[name], saved, where)
            else:
                yield f"{where} is missing from {given!r}"
    elif isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        for number, (inner, one) in enumerate(zip(wanted, given, strict=True)):
            yield from faults(inner, one, saved, f"{place}[{number}]")
    elif not _equal(wanted, given):
        yield f"{place or 'result'}: {given!r} in place of {wanted!r}"


def _meets(judge: str, wanted: Any, given: Any, saved: Mapping[str, Any]) -> bool:
    match judge:
        case "$like":
            return isinstance(given, str) and re.search(wanted, given) is not None
        case "$has":
            return isinstance(given, list) and all(
                any(not list(faults(item, one, saved)) for one in given) for item in wanted
            )
        case "$counted":
            return bool(given) and given == list(range(wanted, wanted + len(given)))
        case "$same":
            name, member = wanted.split(".")
            known = saved.get(name)
            return isinstance(known, dict) and member in known and _equal(known[member], given)
        case "$least":
            return isinstance(given, int | float) and given >= wanted
        case "$filled":
            return given not in (None, "", [], {})
    raise ValueError(f"the script has no {judge}")


def _equal(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, float) and isinstance(given, int | float):
        return math.isclose(wanted, given, rel_tol=1e-9)
    return type(wanted) is type(given) and bool(wanted == given)
