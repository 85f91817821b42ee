"""Numbers and days that are written where there is no value: -999, 9999, 1900-01-01. Pure."""

from __future__ import annotations

import re

_KNOWN = re.compile(r"-9{3,6}(\.9+|\.0+)?|-99\.99|-999\.25")
_LIKELY = re.compile(r"-?9{2,}(\.9+|\.0)?|-?\d0{2,}(\.0)?|-1(\.0)?")
_AT_SIGHT = re.compile(r"-9{2,}(\.9+|\.0+)?|9{4,}(\.0+)?|(1900-01-01|1970-01-01|9999-12-31).*")
CODES = (-9, -8, -7, -99, -98, -97, -88, -77, -66)
"""What surveys write for several reasons to have no answer: refused, not known, not asked."""
FIRST_DAYS = ("0001-01-01", "1753-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01")
LAST_DAYS = ("2099-12-31", "2999-12-31", "9999-12-31")
_FEWEST = 2
"""A stand-in comes again and again; one cell may be a slip, but for the numbers that all know."""
_FAR = 2.0
"""How many times the span of all other values one must lie from them, where these are on both sides
of nought."""
MOST_OF_ALL = 0.9
"""The most of all values that stand for none."""
_LOWEST_ABOVE = 99.0


def may_be_number(written: str, end: str) -> bool:
    """Whether the `minimum` or the `maximum` of a column, as it is written, looks like one."""
    if not _LIKELY.fullmatch(written):
        return False
    return float(written) < 0 if end == "minimum" else float(written) >= _LOWEST_ABOVE


def is_code(written: str) -> bool:
    """Whether a number is a code that surveys write for no answer."""
    return written.removesuffix(".0") in map(str, CODES)


def may_be_day(written: str, end: str) -> bool:
    """Whether the `minimum` or the `maximum` of a column of days, in ISO form, looks like one."""
    return written[:10] in (FIRST_DAYS if end == "minimum" else LAST_DAYS)


def is_known(written: str) -> bool:
    """Whether everybody writes this number for no value."""
    return _KNOWN.fullmatch(written) is not None


def is_one_at_sight(written: str) -> bool:
    """Whether an end of a column's range is likely one whatever the others are."""
    return _AT_SIGHT.fullmatch(written) is not None


def is_far(value: float, low: float, high: float) -> bool:
    """Whether a number lies far from all others, which go from `low` to `high`."""
    gap = low - value if value < low else value - high
    return gap > _FAR * max(high - low, 1e-9)


def stands_apart(written: str, count: float, every: float, low: float, high: float) -> bool:
    """Whether a number that `count` of `every` value have, all others being from `low` to `high`,
    is likely to stand for no value."""
    value = float(written)
    apart = (value < low and low >= 0) or is_far(value, low, high)
    return apart and count >= (1 if is_known(written) else _FEWEST) and count <= MOST_OF_ALL * every
