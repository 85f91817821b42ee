"""Numbers along an axis: where ticks go and how values are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

LARGEST = 1e100
MINUS = "\N{MINUS SIGN}"
_SUFFIXES = ((1e12, "T"), (1e9, "B"), (1e6, "M"))
_FAR_APART = 1e5
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def limits(
    low: float, high: float, *, zero: bool, pad_low: float = 0.04, pad_high: float = 0.06
) -> tuple[float, float]:
    """An axis range around the data; from zero where `zero`, never of no width."""
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    span = high - low
    if span <= 1e-12 * max(abs(low), abs(high)) or span < 1e-90:
        half = max(abs(low), abs(high)) * 0.5 or 0.5
        return (low, high + half) if zero else (low - half, high + half)
    bottom = low if zero and low == 0 else low - span * pad_low
    top = high if zero and high == 0 else high + span * pad_high
    return bottom, top


def starts_near_zero(low: float, high: float, *, additive: bool = False) -> bool:
    """Whether an axis of points should begin at zero: it nearly does so anyway.

    Amounts are held to zero sooner than averages, since people compare their heights.
    """
    return low >= 0 and (low <= (0.75 if additive else 0.35) * high or (additive and low == high))


def ticks(low: float, high: float, *, most: int = 6, integer: bool = False) -> list[float]:
    """Round values inside the range, about `most` of them."""
    from matplotlib.ticker import MaxNLocator

    locator = MaxNLocator(nbins=most, steps=list(_STEPS), integer=integer, min_n_ticks=2)
    slack = (high - low) * 1e-9
    inside = [float(v) for v in locator.tick_values(low, high) if low - slack <= v <= high + slack]
    return inside or [low]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten inside the range, with 2 and 5 between them where they are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    step = max(1, (last - first) // 8)
    powers = range(first, last + 1, step)
    mantissas = (1, 2, 5) if last - first <= 3 else (1,)
    inside = [m * 10.0**p for p in powers for m in mantissas]
    return [v for v in inside if low <= v <= high] or [low]


def tick_texts(values: Sequence[float], unit: str | None = None) -> list[str]:
    """One style for all ticks of an axis: separators up to 999,999, then M, B, T."""
    biggest = max((abs(v) for v in values), default=0.0)
    sign = " %" if unit == "%" else ""
    if biggest >= 1e15 or 0 < biggest < 1e-4:
        power = math.floor(math.log10(biggest))
        parts = [v / 10.0**power for v in values]
        places = next((p for p in range(7) if _distinct(parts, p)), 6)
        return [_powered(v, places, power) + sign for v in parts]
    divisor, suffix = next(((d, s) for d, s in _SUFFIXES if biggest >= d), (1.0, ""))
    scaled = [v / divisor for v in values]
    places = next((p for p in range(7) if _distinct(scaled, p)), 6)
    return [
        f"{v:,.{places if v else 0}f}{suffix if v else ''}{sign}".replace("-", MINUS)
        for v in (0.0 if v == 0 else v for v in scaled)
    ]


def _distinct(values: Sequence[float], places: int) -> bool:
    """Whether rounding to so many places moves no tick visibly."""
    if len(values) < 2:
        return all(math.isclose(round(v, places), v, rel_tol=1e-3) for v in values)
    step = min(abs(b - a) for a, b in pairwise(values)) or 1.0
    return all(abs(round(v, places) - v) <= step * 0.01 for v in values)


def value_texts(values: Sequence[float], unit: str | None = None) -> list[str]:
    """Values beside their marks, alike in decimals and in M, B or T; nothing for NaN."""
    sizes = [abs(v) for v in values if v]
    shared = _shared_divisor([size for size in sizes if not math.isnan(size)])
    if shared is None:
        places = _places([abs(v) for v in values if not math.isnan(v)])
        return ["" if math.isnan(v) else _value_text(v, places, unit) for v in values]
    divisor, suffix = shared
    small = [size for v in values if (size := abs(v) / divisor) < 1000]
    places = min(_places(small), 2) if any(small) else 0
    sign = " %" if unit == "%" else ""
    return [
        "" if math.isnan(v) else f"{v / divisor:,.{places}f}{suffix}{sign}".replace("-", MINUS)
        for v in values
    ]


def _shared_divisor(sizes: Sequence[float]) -> tuple[float, str] | None:
    """The largest of M, B and T that leaves every value digits enough; None where none does."""
    if not sizes or not 1e6 <= max(sizes) < 1e15:
        return None
    if max(sizes) >= _FAR_APART * min(sizes):
        return None  # in one unit the small ones are nothing, or the large ones endless
    fitting = ((d, s) for d, s in _SUFFIXES if max(sizes) >= d and min(sizes) >= d / 10)
    return next(fitting, None)


def value_text(value: float, unit: str | None = None) -> str:
    """One value on its own: three or four digits that count."""
    return value_texts([value], unit)[0]


def _places(sizes: Sequence[float]) -> int:
    if all(size == int(size) for size in sizes) or max(sizes) >= 1000:
        return 0
    smallest = min(size for size in sizes if size)
    wanted = 3 if smallest < 1 else 2 if smallest < 10 else 1
    return next((p for p in range(wanted) if all(_close(s, p) for s in sizes)), wanted)


def _close(size: float, places: int) -> bool:
    return abs(round(size, places) - size) <= 1e-9 * max(size, 1.0)


def _value_text(value: float, places: int, unit: str | None) -> str:
    size, sign = abs(value), " %" if unit == "%" else ""
    if size >= 1e15 or 0 < size < 0.0005:
        digits, _, power = f"{value:.2e}".partition("e")
        return _powered(float(digits), 2, int(power)) + sign
    elif size >= 1e6:
        divisor, suffix = next((d, s) for d, s in _SUFFIXES if size >= d)
        text = f"{value / divisor:,.2f}".rstrip("0").rstrip(".") + suffix
    else:
        text = f"{value:,.{places}f}"
    return text.replace("-", MINUS) + sign


def _powered(value: float, places: int, power: int) -> str:
    """A value with its power of ten: "9.59×10⁻⁸"; zero stands alone."""
    if not value:
        return "0"
    return f"{value:.{places}f}×10{str(power).translate(_RAISED)}".replace("-", MINUS)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
