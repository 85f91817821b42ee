"""Periods as people write them: "2024-01-01..2024-01-31", a month, a year. Pure."""

from __future__ import annotations

from datetime import date, timedelta


def days_of(text: str) -> tuple[date, date]:
    """The first and the last day of a period, both included.

    A day, a month (2024-01) or a year (2024) alone is all of itself. Raises ValueError for what is
    no period, and for one that ends before it begins.
    """
    first, dots, last = text.strip().partition("..")
    start, end = _first_day(first), _last_day(last if dots else first)
    if end < start:
        raise ValueError(f"it ends on {end} before it begins on {start}")
    return start, end


def _first_day(text: str) -> date:
    year, *rest = _numbers(text)
    return date(year, rest[0] if rest else 1, rest[1] if len(rest) > 1 else 1)


def _last_day(text: str) -> date:
    year, *rest = _numbers(text)
    if len(rest) == 2:
        return date(year, rest[0], rest[1])
    month = rest[0] if rest else 12
    following = date(year + month // 12, month % 12 + 1, 1)
    return following - timedelta(days=1)


def _numbers(text: str) -> list[int]:
    pieces = text.strip().split("-")
    if not 1 <= len(pieces) <= 3 or not all(piece.isdigit() for piece in pieces):
        raise ValueError("a day is written year-month-day")
    parts = [int(piece) for piece in pieces]
    if not 1 <= parts[0] <= 9998:
        raise ValueError(f"there is no year {parts[0]}")
    return parts
