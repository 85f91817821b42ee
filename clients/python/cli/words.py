"""Figures, times and places as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

SHORT_ID = 8


def short_id(identifier: str) -> str:
    """The beginning of an id that every command takes for the whole."""
    return identifier[:SHORT_ID]


def duration(seconds: float) -> str:
    """A span of time with its unit: "38 ms", "1.4 s", "2 min 5 s"."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 row", "1,204 rows"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(words: Iterable[str], joint: str = "and") -> str:
    """Words as a list in a sentence: "1, 2 or 3"."""
    *first, last = words
    return f"{', '.join(first)} {joint} {last}" if first else last


def short_path(path: Path) -> str:
    """A path as short as it can be typed from here."""
    here, home = Path.cwd(), Path.home()
    if path.is_relative_to(here):
        return str(path.relative_to(here))
    if path.is_relative_to(home):
        return f"~/{path.relative_to(home)}"
    return str(path)


def ordinal(number: int) -> str:
    """Which one: "2nd"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0)
    return f"{number}{ending or 'th'}"


def moment(time: datetime) -> str:
    """A moment in local time, to the minute."""
    return local(time).strftime("%Y-%m-%d %H:%M")


def local(time: datetime) -> datetime:
    """The same moment on this machine's clock."""
    return time.astimezone()
