"""Time in a question: spans such as "Q1 2021" or "last 6 months", as half-open date ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from services.planner.domain.lexicon.moments import MOMENT, MONTH, YEAR, range_of
from services.planner.domain.lexicon.normalise import Token, take
from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS
from services.planner.domain.query.calendar import STEPS, floor_of
from services.planner.domain.reader.times.time_parts import describe_part, parts

_COUNT = r"(?P<count>\d+|" + "|".join(NUMBER_WORDS) + ")"
_UNIT = r"(?P<unit>day|week|month|quarter|year)s?"
_YEARLESS = rf"(?:{MONTH})\.?|Q[1-4]"
# "The last year" may be the last twelve months; "last year" is one of the calendar.
_BEFORE_THIS = re.compile(
    r"(?:(?:in|during|for) )?(?:last|previous) (?:month|quarter|year)", re.IGNORECASE
)
_UP_TO = ("until", "till", "up to", "up until", "by")
_LEADING = re.compile(
    r"^(?:in|during|for|of|on|at|over|within)?\s*(?:the )?(?:year (?!to))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Moment:
    """Days from `start` up to, not including, `end`, as they are said."""

    text: str
    start: date
    end: date


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Dates from `start` up to, not including, `end`; None is open.

    With `last` set, the span is that many units up to the latest date in the data, and `start`
    and `end` are not known yet. `years` holds the plain years when only years were said.
    `first_token` says where in the question it stands. `ends` are the two moments of a span that
    names two, in their order: "from 1996 to 1997", "May and June 1997". `calendar` is the unit that
    is told by the calendar, and how many units back: "this year", "last month".
    """

    text: str
    start: date | None = None
    end: date | None = None
    last: tuple[int, str] | None = None
    years: tuple[int, ...] = ()
    first_token: int = 0
    alternatives: tuple[tuple[date, date], ...] = ()
    ends: tuple[Moment, ...] = ()
    calendar: tuple[str, int] | None = None


def time_spans(question: str, tokens: Sequence[Token], today: date) -> list[TimeSpan]:
    """All spans of time in the question; their words are marked as used."""
    found: list[TimeSpan] = []
    for finder in (_between, _parts, _and_later, _either, _relative, _one_sided, _plain):
        for match, span in finder(question, today):
            covered = [i for i, t in enumerate(tokens) if match.start() <= t.start < match.end()]
            if not covered or any(tokens[i].used or tokens[i].quoted for i in covered):
                continue
            if span.years and _is_amount(question, match, tokens, covered):
                continue
            take(tokens, match.start(), match.end(), "time")
            text = _LEADING.sub("", match.group().strip())
            text = describe_part(text, span.start, span.end) if finder is _parts else text
            found.append(replace(span, text=text, first_token=covered[0]))
    return sorted(found, key=lambda span: span.first_token)


_Found = list[tuple[re.Match[str], TimeSpan]]


def _parts(question: str, today: date) -> _Found:
    return [
        (match, TimeSpan("", start, end, years=_whole_years(start, end)))
        for match, start, end in parts(question)
    ]


def _whole_years(start: date | None, end: date | None) -> tuple[int, ...]:
    """The years of a decade; none for what is shorter, or open."""
    if start is None or end is None or end.year - start.year < 2:
        return ()
    return tuple(range(start.year, end.year))


def _between(question: str, today: date) -> _Found:
    pattern = (
        rf"\b(?:between|from)\s+(?:the\s+)?({MOMENT}|{_YEARLESS})"
        rf"\s+(?:and|to|until|till|through|-)\s+(?:the\s+)?({MOMENT})\b"
    )
    found: _Found = []
    for match in re.finditer(pattern, question, re.I):
        ends = _ends(match)
        years: tuple[int, ...] = ()
        if _only_year(match):
            years = tuple(range(ends[0].start.year, ends[1].end.year))
        found.append((match, TimeSpan("", ends[0].start, ends[1].end, years=years, ends=ends)))
    return found


def _ends(match: re.Match[str]) -> tuple[Moment, Moment]:
    """The two moments; one without a year is in the year of the other: "May and June 1997"."""
    first, second = match.group(1).strip(), match.group(2).strip()
    if not re.search(YEAR, first) and (year := re.search(YEAR, second)):
        first = f"{first.rstrip('.')} {year.group()}"
    return Moment(first, *range_of(first)), Moment(second, *range_of(second))


def _only_year(match: re.Match[str]) -> bool:
    return all(re.fullmatch(rf"(?:the year |year )?{YEAR}", g, re.I) for g in match.groups())


def _either(question: str, today: date) -> _Found:
    pattern = (
        r"\b(?:in|during|for|either|of)?\s*(?:either\s+)?(?:the\s+)?(?:years?\s+)?"
        rf"({MOMENT}|{_YEARLESS})"
        r"\s*(?:,|or|and|,\s*or|vs\.?|versus|with|compared (?:to|with)|against)"
        rf"(?:\s+in)?\s+({MOMENT})\b"
    )
    found: _Found = []
    for match in re.finditer(pattern, question, re.I):
        ends = _ends(match)
        years = tuple(end.start.year for end in ends) if _only_year(match) else ()
        spans = tuple((end.start, end.end) for end in ends)
        start, end = min(s for s, _ in spans), max(e for _, e in spans)
        found.append((match, TimeSpan("", start, end, None, years, 0, spans, ends)))
    return found


def _relative(question: str, today: date) -> _Found:
    found: _Found = []
    pattern = (
        r"\b(?:in|over|during|for|within)?\s*(?:the\s+)?(?:last|past|previous|latest|recent)\s+"
        rf"(?:{_COUNT}\s+)?{_UNIT}\b"
    )
    for match in re.finditer(pattern, question, re.I):
        unit = match.group("unit").lower()
        if _BEFORE_THIS.fullmatch(match.group().strip()):
            start = floor_of(today, unit) - STEPS[unit]
            span = TimeSpan("", start, start + STEPS[unit], calendar=(unit, 1))
            found.append((match, span))
            continue
        words = match.group("count") or "1"
        count = int(words) if words.isdigit() else int(NUMBER_WORDS[words.lower()])
        found.append((match, TimeSpan("", last=(count, unit))))
    now = r"\b(?:in |during )?(?:this (month|quarter|year)|year to date|ytd)\b"
    for match in re.finditer(now, question, re.I):
        unit = (match.group(1) or "year").lower()
        start = floor_of(today, unit)
        found.append((match, TimeSpan("", start, start + STEPS[unit], calendar=(unit, 0))))
    return found


_AND_LATER = re.compile(
    rf"\b(?:in|during|from|of|since)?\s*(?:the\s+)?({MOMENT})"
    r"(?:,?\s+(?:or|and)\s+(?:(?P<later>later|after(?:wards?)?|newer|onwards?|since)"
    r"|(?:earlier|before|older))|\s+(?P<onwards>onwards?))\b",
    re.IGNORECASE,
)


def _and_later(question: str, today: date) -> _Found:
    """ "In 2000 or later", "1995 and before": the moment said is one of them."""
    found: _Found = []
    for match in _AND_LATER.finditer(question):
        start, end = range_of(match.group(1))
        open_end = match.group("later") or match.group("onwards")
        found.append((match, TimeSpan("", start, None) if open_end else TimeSpan("", None, end)))
    return found


def _one_sided(question: str, today: date) -> _Found:
    pattern = (
        r"\b(since|after|before|until|till|up to|up until|by|from|prior to|later than|earlier than"
        r"|starting)\s+(?:(?:and\s+including|from)\s+)?"
        rf"(?:the\s+(?P<edge>end|beginning|start)\s+of\s+)?(?:the\s+)?({MOMENT})\b"
    )
    found: _Found = []
    for match in re.finditer(pattern, question, re.I):
        start, end = range_of(match.group(3))
        word = match.group(1).lower()
        edge = (match.group("edge") or "").lower()
        if word == "by" and edge != "end":
            continue  # "by 1997" may be groups
        if edge:  # of a time, both of whose sides are this day
            start = end = end if edge == "end" else start
        if word in ("since", "from", "starting"):
            span = TimeSpan("", start, None)
        elif word in ("after", "later than"):
            span = TimeSpan("", end, None)
        else:
            span = TimeSpan("", None, end if word in _UP_TO else start)
        found.append((match, span))
    return found


def _plain(question: str, today: date) -> _Found:
    found: _Found = []
    pattern = rf"\b(?:in|during|for|on|of|at)?\s*(?:the\s+)?({MOMENT})\b"
    for match in re.finditer(pattern, question, re.I):
        start, end = range_of(match.group(1))
        bare = re.fullmatch(rf"(?:the year |year )?({YEAR})", match.group(1), re.I)
        found.append((match, TimeSpan("", start, end, years=(start.year,) if bare else ())))
    return found


def _is_amount(
    question: str, match: re.Match[str], tokens: Sequence[Token], covered: list[int]
) -> bool:
    """A bare number like "more than 2000" is no year unless a word of time goes with it."""
    before = question[: match.start()].rstrip().lower()
    texts = match.group().lower().split()
    cued = texts[0] in ("in", "during", "for", "either", "between", "from", "of") or "year" in texts
    if re.search(
        r"(?:\b(?:than|at least|at most|above|below|over|under|to|exceeds?|id|code)|[=<>])$", before
    ):
        return True
    if match.group().lower().startswith("between") and "year" not in question.lower():
        return all(int(y) % 100 == 0 for y in re.findall(YEAR, match.group()))
    return not cued and re.search(r"\b(?:top|first|last|id|number|code)$", before) is not None
