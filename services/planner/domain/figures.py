"""Figures that people write: numbers, exact ones among them, and codes that only look like one."""

from __future__ import annotations

import re

_EXACT = 2**53
"""From here on a binary fraction holds not every whole number (IEEE 754, double)."""
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
