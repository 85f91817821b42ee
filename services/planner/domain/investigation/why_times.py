"""The times that a question why sets beside each other, and the two periods that they are.

They are read twice: with the question, to know that it says a time, and with the data, which alone
knows which March is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from services.planner.domain.investigation.period import DateRange
from services.planner.domain.lexicon.moments import MONTH, YEAR, range_of
from services.planner.domain.lexicon.normalise import tokenise
from services.planner.domain.query.calendar import STEPS, floor_of, last_range
from services.planner.domain.reader.times.calendar_spans import by_the_data
from services.planner.domain.reader.times.times import TimeSpan, time_spans

_AGAINST = re.compile(
    r"[, ]*\b(?:(?:as )?compared (?:to|with)|(?:in comparison|relative) (?:to|with)|versus|vs\.?|"
    r"against|than)"
    r"\s+(?:(?:it (?:was|had been|did)|those|that)\s+)?(?:in |during |for |of )?(?:the )?",
    re.IGNORECASE,
)
_UNIT = r"(?P<unit>day|week|month|quarter|year)"
_EARLIER = re.compile(
    rf"(?:(?:previous|prior|preceding|last) {_UNIT}|"
    rf"{_UNIT.replace('unit', 'unit2')} (?:before|earlier)|"
    rf"(?:an?|one) {_UNIT.replace('unit', 'unit3')} (?:before|earlier|ago)|"
    rf"same (?:day|week|month|quarter|period|time|days|months) (?:of |in )?(?:the )?"
    rf"(?:last|previous|prior) {_UNIT.replace('unit', 'unit4')})(?![\w-])",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"[, ]*\b(?P<unit>day|week|month|quarter|year)[- ](?:over|on)[- ](?P=unit)\b", re.I
)
# A month or a quarter without its year, behind a word of time: "may" is no month else.
_BARE = re.compile(
    r"\b(?P<lead>(?:in|during|for|of|since|from|to|and|between|until|than|with|last|this|vs\.?|"
    rf"versus|against)\s+)(?P<name>(?:{MONTH})|Q[1-4])\b(?!\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?,?)?\s+(?:of\s+)?{YEAR})"
    r"(?!\s+\d{1,2}\b)(?!,?\s+(?:19|20)\d\d)",
    re.IGNORECASE,
)
# "From January to February 2024": the year at the end is that of both.
_SHARED = re.compile(
    rf"\b((?:between|from|in|during|for)\s+)({MONTH}|Q[1-4])"
    rf"(\s+(?:and|to|until|through)\s+(?:{MONTH}|Q[1-4])\s+({YEAR}))",
    re.IGNORECASE,
)
MOST_UNSEEN = 3
"""Days without data at the end of a period that may be a weekend's."""


@dataclass(frozen=True, slots=True)
class Times:
    """What was said of time: the period that is looked into, and the one to compare with, if said.

    `comparison` and `baseline` are spans whose open ends the data fill in. `earlier` is how far
    back from the comparison the baseline lies, where that was said so ("than a year earlier"): a
    unit. `bare` says that a month or quarter came without its year.
    """

    comparison: TimeSpan
    baseline: TimeSpan | None = None
    earlier: str = ""
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Periods:
    """The periods of a question, and what was taken for granted, for people."""

    baseline: DateRange
    comparison: DateRange
    notes: tuple[str, ...]


def times_in(text: str, today: date, latest: date | None = None) -> tuple[Times, str] | None:
    """What a text says of time, and its other words; None where it says none, or not which two.

    A month without a year is the last one that had begun on `latest` (or today).
    """
    text, bare = _with_years(text, latest or today)
    earlier = ""
    if over := _OVER.search(text):
        earlier, text = over["unit"].lower(), text[: over.start()] + " " + text[over.end() :]
    main, against, rest = _parted(text, today)
    if against is None and rest is not None:
        found = _EARLIER.match(rest)
        assert found is not None
        unit = next(u for u in found.groupdict().values() if u)
        earlier, rest = unit.lower(), rest[found.end() :]
    spans, left = _spans_of(main, today)
    if len(spans) == 1 and len(spans[0].ends) == 2 and against is None and not earlier:
        pair = _pair(spans[0])
        if pair is None:
            return None
        return replace(pair, bare=bare), left
    left = f"{left} {rest or ''}"
    if len(spans) != 1 or (spans[0].start is None and spans[0].last is None):
        return None
    if spans[0].alternatives and not _adjoining(spans[0]):
        return None
    return Times(spans[0], against, earlier, bare), left


def periods_of(text: str, today: date, latest: date | None) -> Periods | None:
    """The two periods that a question means in data whose last day is `latest`.

    Where no baseline is said, it is the period of the same length before the comparison: the month
    before a month, the year before a year. None where the text says no period.
    """
    known = min(latest, today) if latest is not None else today
    found = times_in(text, today, known)
    if found is None:
        return None
    times = found[0]
    texts: list[str] = []
    comparison = _closed(times.comparison, today, known, texts)
    if times.baseline is not None:
        baseline = _closed(times.baseline, today, known, texts)
        while times.bare and baseline.start > comparison.start:
            baseline = _moved(baseline, "year")
    elif times.earlier:
        baseline = _earlier(comparison, times.earlier)
    else:
        baseline = _before(comparison)
        texts.append(f"the baseline is {baseline}, the period before: the question says none")
    if comparison.start <= known < comparison.end - timedelta(days=MOST_UNSEEN):
        comparison = DateRange(start=comparison.start, end=known)
        texts.append(f"the comparison goes to {known}, where the data ends")
    named = times.comparison.text or "the comparison"
    if str(comparison) not in named:
        texts.insert(0, f"{named} is read as {comparison}")
    return Periods(baseline, comparison, tuple(texts))


def _with_years(text: str, latest: date) -> tuple[str, bool]:
    """Months and quarters without a year, each with that of the last one begun on `latest`."""

    def dated(match: re.Match[str]) -> str:
        name = match["name"]
        start, _ = range_of(f"{name} {latest.year}")
        year = latest.year if start <= latest else latest.year - 1
        lead = "" if match["lead"].strip().lower() in ("last", "this") else match["lead"]
        return f"{lead}{name} {year}"

    text = _SHARED.sub(r"\1\2 \4\3", text)
    changed = _BARE.sub(dated, text)
    return changed, changed != text


def _parted(text: str, today: date) -> tuple[str, TimeSpan | None, str | None]:
    """What stands before a comparison, the span it names, and the words after that; where it names
    one by the way back ("than a year earlier"), no span but the words that do."""
    for match in _AGAINST.finditer(text):
        rest = text[match.end() :]
        if _EARLIER.match(rest):
            return text[: match.start()], None, rest
        spans, left = _spans_of(rest, today)
        if len(spans) == 1 and spans[0].first_token == 0 and not spans[0].ends:
            return text[: match.start()], spans[0], left
    return text, None, None


def _spans_of(text: str, today: date) -> tuple[list[TimeSpan], str]:
    """The spans of a text, and its other words."""
    tokens = tokenise(text)
    spans = time_spans(text, tokens, today)
    kept = list(text)
    for token in tokens:
        if token.used == "time":
            kept[token.start : token.end] = " " * (token.end - token.start)
    return spans, "".join(kept)


def _pair(span: TimeSpan) -> Times | None:
    """ "From January to February": the second beside the first; days are the ends of one period."""
    first, second = span.ends
    if span.alternatives:  # "May and June": one period of both
        return Times(span) if _adjoining(span) else None
    if all(end.end - end.start == timedelta(days=1) for end in span.ends):
        return Times(span)
    one, other = (
        TimeSpan(m.text, m.start, m.end) for m in sorted((first, second), key=lambda m: m.start)
    )
    if first.start > second.start:  # "from December to January" without years
        one, other = other, one
    return Times(other, one)


def _adjoining(span: TimeSpan) -> bool:
    one, other = sorted(span.alternatives)
    return one[1] == other[0]


def _closed(span: TimeSpan, today: date, latest: date, texts: list[str]) -> DateRange:
    """The days of a span, its open end filled in by the data."""
    if span.last is not None:
        start, end = last_range(*span.last, latest)
        texts.append(f"{span.text} is counted back from {latest.isoformat()}, the end of the data")
    else:
        span, text = by_the_data(span, latest, "day")
        if text:
            texts.append(text)
        assert span.start is not None
        start = span.start
        end = span.end or max(latest, start) + timedelta(days=1)
    return DateRange(start=start, end=end - timedelta(days=1))


def _before(period: DateRange) -> DateRange:
    """The period of the same length before: whole months, quarters and years go by the calendar."""
    following = period.end + timedelta(days=1)
    if period.start.day == 1 and following.day == 1:
        apart = relativedelta(following, period.start)
        months = apart.years * 12 + apart.months
        start = period.start - relativedelta(months=months)
    else:
        start = period.start - timedelta(days=period.days)
    return DateRange(start=start, end=period.start - timedelta(days=1))


def _earlier(period: DateRange, unit: str) -> DateRange:
    """The same days a unit earlier, or the whole unit before where the period is as long as one."""
    if (
        period.start == floor_of(period.start, unit)
        and period.end + timedelta(days=1) == period.start + STEPS[unit]
    ):
        return DateRange(start=period.start - STEPS[unit], end=period.start - timedelta(days=1))
    return _moved(period, unit)


def _moved(period: DateRange, unit: str) -> DateRange:
    following = period.end + timedelta(days=1) - STEPS[unit]
    return DateRange(start=period.start - STEPS[unit], end=following - timedelta(days=1))


__all__ = ["Periods", "Times", "periods_of", "times_in"]
