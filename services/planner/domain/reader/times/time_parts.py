"""Parts of a named time: "the first half of 1997", "the last week of March 1997", "the 1990s"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from services.planner.domain.lexicon.moments import MOMENT, range_of
from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS
from services.planner.domain.query.intent import (
    Against,
    Condition,
    Field,
    Filter,
    Group,
    Intent,
    Operator,
)

_PLACES = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "fifth": 5,
    "5th": 5,
    "last": -1,
    "final": -1,
    "closing": -1,
    "opening": 1,
}
_STEPS = {
    "half": relativedelta(months=6),
    "quarter": relativedelta(months=3),
    "month": relativedelta(months=1),
    "week": relativedelta(days=7),
    "day": relativedelta(days=1),
}
_COUNT = r"\d{1,3}|" + "|".join(NUMBER_WORDS)
_PART = re.compile(
    rf"\b(?:(?:in|during|for|over|of|on|(?P<side>since|after|before|until|till|from)) )?(?:the )?"
    rf"(?P<place>{'|'.join(_PLACES)})"
    rf"(?: (?P<count>{_COUNT}))? (?P<unit>half|quarter|month|week|day)s?"
    rf",? (?:of |in )?(?:the )?(?P<whole>{MOMENT})\b",
    re.IGNORECASE,
)
_PLAIN_PART = rf"(?:the )?(?:{'|'.join(_PLACES)}) (?:{'|'.join(_STEPS)})s? (?:of |in )?(?:{MOMENT})"
_RANGE = re.compile(
    rf"\b(?:between|from) {_PLAIN_PART} (?:and|to|through|till|until)\b"
    rf"|\b(?:from|between) .{{1,40}} (?:to|and|through|till|until) {_PLAIN_PART}",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"\b(?:in |during |for |of )?(?:the )?(?:H(?P<half>[12]),? (?:of |in )?(?P<year>(?:19|20)\d\d)"
    r"|(?P<first>(?:19|20)\d\d)[ -]?H(?P<later>[12]))\b",
    re.IGNORECASE,
)
_DECADE = re.compile(
    r"\b(?:in |during |of |from )?(?:the )?(?:(?P<full>(?:19|20)\d0)['\u2019]?s"
    r"|['\u2019]?(?P<short>[1-9]0)['\u2019]?s)(?!\w)",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    rf"\b(?P<vague>(?:early|mid|late|middle of|(?:the )?(?:beginning|start|end|middle) of)[ -]"
    rf"(?:the )?(?:{MOMENT}|(?:19|20)?\d0s))\b",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:from|since|until|till|by|before|after)\s*(?:the\s*)?$", re.IGNORECASE)
_Range = tuple[date, date]


_Open = tuple[date | None, date | None]


def parts(question: str) -> list[tuple[re.Match[str], date | None, date | None]]:
    """Every part of a named time, with its first day and the first day after it; None is open."""
    found: list[tuple[re.Match[str], date | None, date | None]] = []
    for match in _PART.finditer(question):
        number = match.group("count") or "1"
        count = int(number) if number.isdigit() else int(NUMBER_WORDS[number.lower()])
        whole = range_of(match.group("whole"))
        part = _part(match.group("place").lower(), count, match.group("unit").lower(), whole)
        if part is not None:
            found.append((match, *_bounded(match.group("side"), *part)))
    for match in _HALF.finditer(question):
        start = date(int(match.group("year") or match.group("first")), 1, 1)
        half = match.group("half") or match.group("later")
        start = start if half == "1" else start + _STEPS["half"]
        found.append((match, start, start + _STEPS["half"]))
    for match in _DECADE.finditer(question):
        year = int(match.group("full") or 0)
        year = year or int(match.group("short")) + (2000 if match.group("short") < "20" else 1900)
        found.append((match, date(year, 1, 1), date(year + 10, 1, 1)))
    return found


def _part(place: str, count: int, unit: str, whole: _Range) -> _Range | None:
    """The part, of whole units counted from the start, or back from the end; None for none."""
    start, end = whole
    step = _STEPS[unit] * count
    if _PLACES[place] < 0:
        part = end - step, end
    else:
        first = start + step * (_PLACES[place] - 1)
        part = first, first + step
    return part if start <= part[0] and part[1] <= end else None


def _bounded(side: str | None, start: date, end: date) -> _Open:
    """The time since, after, before or until a part, where that is said."""
    word = (side or "").lower()
    if word in ("since", "from"):
        return start, None
    if word == "after":
        return end, None
    if word == "before":
        return None, start
    return (None, end) if word in ("until", "till") else (start, end)


def describe_part(text: str, start: date | None, end: date | None) -> str:
    """The part in its words, with its days where a week may be counted in other ways."""
    if start is None or end is None or "week" not in text.lower():
        return text
    last = end - timedelta(days=1)
    return f"{text}: {start.isoformat()} to {last.isoformat()}"


def vague_time(question: str) -> str:
    """Why "the end of 1997" is not read; nothing where no such time is said."""
    between = _RANGE.search(question)
    if between is not None and not re.search(
        r"Q[1-4]|(?:first|second|third|fourth) quarter", between.group(), re.IGNORECASE
    ):
        return f'"{between.group()}" is better said as two dates, or as months of a year.'
    match = _VAGUE.search(question)
    before = question[: match.start()] if match is not None else ""
    if match is None or _BOUND.search(before):
        return ""
    return (
        f'How much of the time "{match.group("vague")}" is, is not plain: '
        'say, for instance, "the last quarter of 1997" or two dates.'
    )


def why_no_day(intent: Intent) -> str:
    """Why times that are asked for together have no day in common, so that no row can be in all."""
    for one in intent.filters:
        for other in intent.filters:
            field, ranges = _ranges(one)
            another, others = _ranges(other)
            if one == other or field is None or field != another:
                continue
            if not any(a[0] < b[1] and b[0] < a[1] for a in ranges for b in others):
                names = " and ".join(f'"{_note(wanted)}"' for wanted in (one, other))
                return f"{names} have no day in common: ask for one of them."
    return ""


def _ranges(wanted: Filter) -> tuple[Field | None, list[_Range]]:
    """The date that a filter is on and the spans that it leaves; None for any other filter."""
    if isinstance(wanted, Group):
        inner = [_ranges(member) for member in wanted.members]
        fields = {field for field, _ in inner}
        if len(fields) != 1 or None in fields:
            return None, []
        field = next(iter(fields))
        if wanted.connective == "or":
            return field, [span for _, spans in inner for span in spans]
        return field, [_together([span for _, spans in inner for span in spans])]
    if not isinstance(wanted, Condition) or not wanted.note:
        return None, []
    day = wanted.values[0] if wanted.values else None
    if isinstance(day, date) and wanted.operator is Operator.AT_LEAST:
        return wanted.field, [(day, date.max)]
    if isinstance(day, date) and wanted.operator is Operator.LESS:
        return wanted.field, [(date.min, day)]
    return None, []


def _together(spans: Sequence[_Range]) -> _Range:
    return max(start for start, _ in spans), min(end for _, end in spans)


def _note(wanted: Filter) -> str:
    if isinstance(wanted, Group):
        return _note(wanted.members[0])
    return "" if isinstance(wanted, Against) else wanted.note
