"""Figures that people write: numbers, exact ones among them, codes that only look like one, and
formulas."""

from __future__ import annotations

import re

_EXACT = 2**53
"""From here on a binary fraction holds not every whole number (IEEE 754, double)."""
FORMULA = re.compile(
    r"(?<![^\W_])((?:[CNOHSFP]\d{0,2}){2,4}(?<=\d)|[CNOHSFP]\d{1,2}(?:[CNOHSFP]\d{0,2}){1,3}"
    r"|O[23]|PM\d{1,2})(?![^\W_])"
)
"""What is one word in a name though letters and digits alternate: NO2, C6H6, PM10."""
_CODE = re.compile(r"0\d{2,}")


def number_in(figures: str) -> float | None:
    """The number of a text of figures: whole and exact where a fraction would round it. None of a
    code such as 00017, which is a name: a number has no noughts before it."""
    plain = figures.replace(",", "")
    if _CODE.fullmatch(plain):
        return None
    if plain.isdecimal() and int(plain) > _EXACT:
        return int(plain)
    return float(plain)
