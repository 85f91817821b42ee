"""The century of years that were written with two digits."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

_USUAL = 1930
"""As spreadsheets read them: 30 to 99 as 1930 to 1999, 00 to 29 as 2000 to 2029."""
_LATEST = _USUAL + 99
_FREE = 15
"""So many years in a row that no cell has part the last year from the first."""
_BIRTH = re.compile(
    r"birth|born|(?<![a-z])dob(?![a-z])|geb(?:urt|oren)|naissance|nacimiento", re.IGNORECASE
)
_AHEAD = re.compile(
    r"expir|matur|(?<![a-z])due|until|valid|(?<![a-z])ends?(?![a-z])|ablauf|fällig|échéance",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Century:
    """Years lie in the hundred from `start`, and may as well in those from each of `others`."""

    start: int
    others: tuple[int, ...] = ()

    def year(self, digits: int) -> int:
        """The year of two digits."""
        return self.start + (digits - self.start) % 100


def century_of(years: Collection[int], name: str) -> Century:
    """In which hundred years the two-digit `years` of a column called `name` lie.

    As usual where the years keep away from the border of what is usual, on either side of it; else
    they follow one another around the longest run of years that none of them is, and the other
    hundred years are on offer.
    """
    digits = sorted({year % 100 for year in years})
    usual = sorted(map(Century(_USUAL).year, digits))
    ahead = bool(_AHEAD.search(name))
    if usual[0] + 100 - usual[-1] > _FREE:
        late = ahead and usual[-1] < _USUAL + 70
        return Century(_USUAL, (_USUAL + 100,) if late else ())
    first, last = _run(digits)
    start = 1900 + first // 10 * 10
    if 1900 + first + (last - first) % 100 > _LATEST:
        start -= 100
    past, next_one = start, start + 100
    birth = bool(_BIRTH.search(name))
    return Century(past, (next_one,)) if birth else Century(next_one, (past,))


def _run(years: list[int]) -> tuple[int, int]:
    """The first and the last of years that go around once, with the longest gap between them."""
    gaps = [(later - year, year, later) for year, later in pairwise(years)]
    gaps.append((years[0] + 100 - years[-1], years[-1], years[0]))
    _, last, first = max(gaps)
    return first, last


def moved(moment: str, start: int) -> str:
    """SQL: the moment with its year in the hundred years from `start`."""
    by = f"floor(({start + 99} - year({moment})) / 100.0)::INTEGER * 100"
    return f"({moment} + to_years({by}))"
