"""The day or the period that is said beside a word of business: "headcount at the end of 2023"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from services.planner.domain.lexicon.moments import MOMENT, range_of
from services.planner.domain.query.calendar import STEPS, floor_of

_BESIDE = r"(?P<lead>(?:as (?:of|at)|at|on|in|by|during|for|of|within)\s+)?(?:the\s+)?"
_MOMENT = re.compile(
    rf"\s*\b{_BESIDE}(?:(?P<side>end|close|beginning|start) of\s+(?:the\s+)?)?"
    rf"(?:(?P<moment>{MOMENT})|(?P<back>last|previous|this) (?P<unit>year|quarter|month)"
    r"|(?P<now>today|now|present))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Moment:
    """Days from `start` up to, not including, `end`, or one day, with where the words stand."""

    start: date
    end: date
    first: int
    last: int

    @property
    def day(self) -> date:
        """The day at which it is counted: the last of it."""
        return self.end - timedelta(days=1)


def find_moments(question: str, today: date) -> tuple[Moment, ...]:
    """All moments in the question, in order."""
    return tuple(_read(match, today) for match in _MOMENT.finditer(question))


def _read(match: re.Match[str], today: date) -> Moment:
    if match["now"]:
        start, end = today, today + timedelta(days=1)
    elif match["unit"]:
        unit = match["unit"].lower()
        start = floor_of(today, unit)
        if match["back"].lower() != "this":
            start -= STEPS[unit]
        end = start + STEPS[unit]
    else:
        start, end = range_of(match["moment"])
    side = (match["side"] or "").lower()
    if side in ("end", "close"):
        start = end - timedelta(days=1)
    elif side:
        end = start + timedelta(days=1)
    return Moment(start, end, *match.span())


def written(day: date) -> str:
    """A day as people write it: 28 November 2026."""
    return f"{day.day} {day:%B %Y}"
