"""Time in a question: spans such as "Q1 2021" or "last 6 months", as half-open date ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from services.planner.domain.language.clauses import take
from services.planner.domain.language.normalise import Token
from services.planner.domain.language.vocabulary import NUMBER_WORDS

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "may" else "may" for name in _MONTHS)
_YEAR = r"(?:19|20)\d{2}"
_COUNT = r"(?P<count>\d+|" + "|".join(NUMBER_WORDS) + ")"
_UNIT = r"(?P<unit>day|week|month|quarter|year)s?"
_LEADING = re.compile(r"^(?:in|during|for|of|on|at|over)?\s*(?:the )?(?:year )?", re.IGNORECASE)
_ORDINAL = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
_MOMENT = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{4}}-\d{{2}}|Q[1-4],?\s*(?:of\s+)?{_YEAR}|{_YEAR}[ -]?Q[1-4]|"
    rf"(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter (?:of |in )?{_YEAR}|"
    rf"(?:{_MONTH})\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+(?:of\s+)?{_YEAR}|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH}),?\s+{_YEAR}|"
    rf"(?:the year |year )?{_YEAR}"
)
_STEPS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "quarter": relativedelta(months=3),
    "year": relativedelta(years=1),
}


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Dates from `start` up to, not including, `end`; None is open.

    With `last` set, the span is that many units up to the latest date in the data, and `start`
    and `end` are not known yet. `years` holds the plain years when only years were said.
    `first_token` says where in the question it stands.
    """

    text: str
    start: date | None = None
    end: date | None = None
    last: tuple[int, str] | None = None
    years: tuple[int, ...] = ()
    first_token: int = 0
    alternatives: tuple[tuple[date, date], ...] = ()


def time_spans(question: str, tokens: Sequence[Token], today: date) -> list[TimeSpan]:
    """All spans of time in the question; their words are marked as used."""
    found: list[TimeSpan] = []
    for finder in (_between, _list_of_years, _relative, _one_sided, _plain):
        for match, span in finder(question, today):
            covered = [i for i, t in enumerate(tokens) if match.start() <= t.start < match.end()]
            if not covered or any(tokens[i].used or tokens[i].quoted for i in covered):
                continue
            if span.years and _is_amount(question, match, tokens, covered):
                continue
            take(tokens, match.start(), match.end(), "time")
            text = _LEADING.sub("", match.group().strip())
            found.append(replace(span, text=text, first_token=covered[0]))
    return sorted(found, key=lambda span: span.first_token)


_Found = list[tuple[re.Match[str], TimeSpan]]


def _between(question: str, today: date) -> _Found:
    pattern = rf"\b(?:between|from)\s+({_MOMENT})\s+(?:and|to|until|till|through|-)\s+({_MOMENT})\b"
    found: _Found = []
    for match in re.finditer(pattern, question, re.I):
        start, end = _range(match.group(1)), _range(match.group(2))
        years = tuple(range(start[0].year, end[1].year)) if _only_year(match) else ()
        found.append((match, TimeSpan("", start[0], end[1], years=years)))
    return found


def _only_year(match: re.Match[str]) -> bool:
    return all(re.fullmatch(rf"(?:the year |year )?{_YEAR}", g, re.I) for g in match.groups())


def _list_of_years(question: str, today: date) -> _Found:
    pattern = (
        r"\b(?:in|during|for|either|of)?\s*(?:either\s+)?(?:the\s+)?(?:years?\s+)?"
        rf"({_YEAR})\s*(?:,|or|and|,\s*or|vs\.?|versus|with|compared (?:to|with)|against)"
        rf"(?:\s+in)?\s+({_YEAR})\b"
    )
    found: _Found = []
    for match in re.finditer(pattern, question, re.I):
        years = (int(match.group(1)), int(match.group(2)))
        spans = tuple((date(y, 1, 1), date(y + 1, 1, 1)) for y in years)
        found.append((match, TimeSpan("", spans[0][0], spans[1][1], None, years, 0, spans)))
    return found


def _relative(question: str, today: date) -> _Found:
    found: _Found = []
    pattern = (
        r"\b(?:in|over|during|for)?\s*(?:the\s+)?(?:last|past|previous|latest|recent)\s+"
        rf"(?:{_COUNT}\s+)?{_UNIT}\b"
    )
    for match in re.finditer(pattern, question, re.I):
        words = match.group("count") or "1"
        count = int(words) if words.isdigit() else int(NUMBER_WORDS[words.lower()])
        found.append((match, TimeSpan("", last=(count, match.group("unit").lower()))))
    now = r"\b(?:in |during )?(?:this (month|quarter|year)|year to date|ytd)\b"
    for match in re.finditer(now, question, re.I):
        unit = (match.group(1) or "year").lower()
        start = _floor(today, unit)
        found.append((match, TimeSpan("", start, start + _STEPS[unit])))
    return found


def _one_sided(question: str, today: date) -> _Found:
    pattern = (
        r"\b(since|after|before|until|till|from|prior to|later than|earlier than|starting)\s+"
        rf"(?:the\s+)?({_MOMENT})\b"
    )
    found: _Found = []
    for match in re.finditer(pattern, question, re.I):
        start, end = _range(match.group(2))
        word = match.group(1).lower()
        if word in ("since", "from", "starting"):
            span = TimeSpan("", start, None)
        elif word in ("after", "later than"):
            span = TimeSpan("", end, None)
        else:
            span = TimeSpan("", None, end if word in ("until", "till") else start)
        found.append((match, span))
    return found


def _plain(question: str, today: date) -> _Found:
    found: _Found = []
    pattern = rf"\b(?:in|during|for|on|of|at)?\s*(?:the\s+)?({_MOMENT})\b"
    for match in re.finditer(pattern, question, re.I):
        start, end = _range(match.group(1))
        bare = re.fullmatch(rf"(?:the year |year )?({_YEAR})", match.group(1), re.I)
        found.append((match, TimeSpan("", start, end, years=(start.year,) if bare else ())))
    return found


def _is_amount(
    question: str, match: re.Match[str], tokens: Sequence[Token], covered: list[int]
) -> bool:
    """A bare number like "more than 2000" is no year unless a word of time goes with it."""
    before = question[: match.start()].rstrip().lower()
    said = match.group().lower().split()
    cued = said[0] in ("in", "during", "for", "either", "between", "from", "of") or "year" in said
    if re.search(
        r"\b(?:than|at least|at most|above|below|over|under|to|exceeds?|=|>|<|id|code)$", before
    ):
        return True
    if match.group().lower().startswith("between") and "year" not in question.lower():
        return all(int(y) % 100 == 0 for y in re.findall(_YEAR, match.group()))
    return not cued and re.search(r"\b(?:top|first|last|id|number|code)$", before) is not None


def _range(text: str) -> tuple[date, date]:
    """The first day of a moment as written, and the first day after it."""
    lower = text.lower()
    if iso := re.fullmatch(r"(\d{4})-(\d{2})(?:-(\d{2}))?", lower):
        year, month, day = int(iso[1]), int(iso[2]), int(iso[3] or 0)
        return _day(year, month, day) if day else _month(year, min(max(month, 1), 12))
    year_found = re.search(_YEAR, lower)
    year = int(year_found.group()) if year_found else 1970
    if quarter := re.search(r"q([1-4])", lower):
        return _quarter(year, int(quarter[1]))
    if "quarter" in lower:
        return _quarter(year, _ORDINAL[lower.split()[0]])
    for number, name in enumerate(_MONTHS, start=1):
        if re.search(rf"\b{name[:3]}(?:{name[3:]})?\b", lower):
            day_found = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", lower.replace(str(year), ""))
            return _day(year, number, int(day_found[1])) if day_found else _month(year, number)
    return date(year, 1, 1), date(year + 1, 1, 1)


def _day(year: int, month: int, day: int) -> tuple[date, date]:
    first = date(year, min(max(month, 1), 12), 1)
    start = min(first + timedelta(days=max(day, 1) - 1), first + relativedelta(months=1, days=-1))
    return start, start + timedelta(days=1)


def _month(year: int, month: int) -> tuple[date, date]:
    start = date(year, month, 1)
    return start, start + relativedelta(months=1)


def _quarter(year: int, quarter: int) -> tuple[date, date]:
    start = date(year, 3 * quarter - 2, 1)
    return start, start + relativedelta(months=3)


def _floor(day: date, unit: str) -> date:
    if unit == "year":
        return day.replace(month=1, day=1)
    if unit == "quarter":
        return day.replace(month=3 * ((day.month - 1) // 3) + 1, day=1)
    return day.replace(day=1) if unit == "month" else day


def last_range(count: int, unit: str, latest: date) -> tuple[date, date]:
    """The `count` units that end with the day `latest`: whole calendar units from months up."""
    if unit in ("day", "week"):
        end = latest + timedelta(days=1)
        return end - timedelta(days=count * (7 if unit == "week" else 1)), end
    end = _floor(latest, unit) + _STEPS[unit]
    start = end
    for _ in range(count):
        start -= _STEPS[unit]
    return start, end
