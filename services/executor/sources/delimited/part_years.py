"""Cells that hold a part of a year: quarters and weeks. Each is read as its first day."""

from __future__ import annotations

from dataclasses import dataclass

_YEAR = r"(?:19|20)\d{2}"


@dataclass(frozen=True, slots=True)
class Part:
    """One way to write a part of a year: what it looks like with a dash between its pieces, the SQL
    of its first day with {0} for the text, and what such cells are called."""

    pattern: str
    first_day: str
    called: str


def _quarter(pattern: str, year: str, quarter: str, century: str = "") -> Part:
    number = f"{century}regexp_extract({{0}}, '{year}', 1)::INTEGER"
    month = f"regexp_extract({{0}}, '{quarter}', 1)::INTEGER * 3 - 2"
    return Part(pattern, f"make_date({number}, {month}, 1)::TIMESTAMP", "quarters")


def _week(pattern: str, year: str, week: str) -> Part:
    number = f"lpad(regexp_extract({{0}}, '{week}', 1), 2, '0')"
    iso = f"regexp_extract({{0}}, '{year}', 1) || '-W' || {number} || '-1'"
    day = f"try_strptime({iso}, '%G-W%V-%u')"
    # A year without a 53rd week has none, not the first one of the year after.
    there = f"strftime({day}, '%G-W%V-%u') = {iso}"
    return Part(pattern, f"(CASE WHEN {there} THEN {day} END)", "weeks")


_FOUR = r"(\d\d\d\d)"
PARTS = (
    _quarter(rf"[Qq][1-4]-?{_YEAR}", _FOUR + "$", "^[Qq]([1-4])"),
    _quarter(rf"[1-4][Qq]-?{_YEAR}", _FOUR + "$", "^([1-4])"),
    _quarter(rf"{_YEAR}-?[Qq][1-4]", "^" + _FOUR, "([1-4])$"),
    _quarter(r"[Qq][1-4]-?'?\d{2}", r"(\d\d)$", "^[Qq]([1-4])", "2000 + "),
    _quarter(r"[1-4][Qq]-?'?\d{2}", r"(\d\d)$", "^([1-4])", "2000 + "),
    _week(rf"{_YEAR}-?[Ww](?:0[1-9]|[1-4]\d|5[0-3])", "^" + _FOUR, r"(\d\d)$"),
    _week(
        rf"(?:[Ww]|KW|CW|[Ww]eek|[Ww]oche)-?(?:0?[1-9]|[1-4]\d|5[0-3])-{_YEAR}",
        _FOUR + "$",
        r"^\D*(\d+)",
    ),
)
# "2024-W05-3" is a day, and no part of a year.
WEEK_DAY = Part(
    rf"{_YEAR}-?[Ww](?:0[1-9]|[1-4]\d|5[0-3])-?[1-7]",
    "try_strptime(regexp_replace(regexp_replace({0}, '-', '', 'g'), "
    r"'^(\d\d\d\d)[Ww](\d\d)(\d)$', '\1-W\2-\3'), '%G-W%V-%u')",
    "",
)
SEEN = "|".join(
    part.pattern.replace("-?", "[-/ ]?").replace(")-(", ")[-/ ](") for part in (*PARTS, WEEK_DAY)
)
"""A pattern of cells that hold one, with what may stand between its pieces."""
