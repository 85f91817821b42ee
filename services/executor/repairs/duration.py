"""Durations that are written as texts: 1:20:00, 1h 20m, PT1H20M, 90 min, 2 days 03:04:05."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, refused, text_column_of
from services.executor.sources.delimited.plain import MISSING
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

_WEEK, _DAY, _HOUR, _MINUTE = 604_800.0, 86_400.0, 3_600.0, 60.0
UNITS = {"days": _DAY, "hours": _HOUR, "minutes": _MINUTE, "seconds": 1.0}
"""What a duration can be told in, with how many seconds that is."""
_SHORT = {"days": "days", "hours": "h", "minutes": "min", "seconds": "s"}


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write durations: a pattern whose groups, but the first for the sign, are numbers
    of so many seconds."""

    name: str
    pattern: str
    seconds: Sequence[float]


_N = r"(\d+(?:[.,]\d+)?)"
_SIGN = r"([-+−]?)"
_DAYS = r"(?:d|days?|tage?n?|jours?|d[ií]as?|giorn[oi]|dag(?:en)?)"
_WEEKS = r"(?:wks?|weeks?|wochen?|semaines?|semanas?)"
_HOURS = r"(?:h|hrs?|hours?|std\.?|stunden?|heures?|horas?|or[ae]|uur|uren)"
_MINUTES = r"(?:m|mins?\.?|minutes?|minuten?|minutos?|minut[oi]|mn|[’′'])"
_SECONDS = r"(?:s|secs?\.?|seconds?|sek\.?|sekunden?|secondes?|segundos?|second[oi]|[”″\"]|'')"
_MILLIS = r"(?:ms|msecs?|milliseconds?|millis)"
_AND = r"(?:\s*(?:,|and|und|et|y)?\s*)"
CLOCK = Form(
    "h:mm:ss",
    rf"{_SIGN}(?:(\d+)\s*(?:d|days?|tage?)[\s,]+)?(\d+):([0-5]\d):([0-5]\d(?:[.,]\d+)?)",
    (_DAY, _HOUR, _MINUTE, 1.0),
)
HOURS_MINUTES = Form("h:mm", rf"{_SIGN}(\d+):([0-5]\d)", (_HOUR, _MINUTE))
MINUTES_SECONDS = Form("m:ss", rf"{_SIGN}(\d+):([0-5]\d(?:[.,]\d+)?)", (_MINUTE, 1.0))
IN_WORDS = Form(
    "1h 20m",
    rf"{_SIGN}(?:{_N}\s*{_WEEKS})?{_AND}(?:{_N}\s*{_DAYS})?{_AND}(?:{_N}\s*{_HOURS})?{_AND}"
    rf"(?:{_N}\s*{_MINUTES})?{_AND}(?:{_N}\s*{_SECONDS})?{_AND}(?:{_N}\s*{_MILLIS})?",
    (_WEEK, _DAY, _HOUR, _MINUTE, 1.0, 0.001),
)
ISO = Form(
    "PT1H20M",
    rf"{_SIGN}p(?:{_N}w)?(?:{_N}d)?(?:t(?:{_N}h)?(?:{_N}m)?(?:{_N}s)?)?",
    (_WEEK, _DAY, _HOUR, _MINUTE, 1.0),
)
"""ISO 8601-1:2019, 5.5.2, without years and months, which have no length."""
FORMS = (CLOCK, ISO, IN_WORDS, HOURS_MINUTES)


def fits(form: Form, sql: str) -> str:
    """SQL: whether a text is a duration of a form."""
    whole = f"regexp_full_match({_bare(sql)}, {literal(form.pattern)})"
    return f"({whole} AND regexp_matches({sql}, '[0-9]'))"


def length(form: Form, sql: str) -> str:
    """SQL: the seconds that a text of a form says."""
    found = f"regexp_extract({_bare(sql)}, {literal(form.pattern)}, "
    parts = " + ".join(
        f"coalesce(try_cast(replace({found}{group}), ',', '.') AS DOUBLE), 0) * {seconds}"
        for group, seconds in enumerate(form.seconds, 2)
    )
    return f"(CASE WHEN {found}1) IN ('-', '−') THEN -1 ELSE 1 END * ({parts}))"


def stands_for_nothing(sql: str) -> str:
    """SQL: whether a text is no value but a mark for none."""
    return f"trim({sql}) IN ({', '.join(map(literal, ('', *sorted(MISSING))))})"


def _bare(sql: str) -> str:
    return f"lower(trim({sql}))"


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    if repair.value not in UNITS:
        raise refused(repair, f"it takes {', '.join(UNITS)}")
    name = quoted(column.name)
    short = MINUTES_SECONDS if repair.value == "seconds" else HOURS_MINUTES
    cases = " ".join(
        f"WHEN {fits(form, name)} THEN {length(form, name)}"
        for form in (CLOCK, ISO, IN_WORDS, short)
    )
    cell = f"round((CASE {cases} END) / {UNITS[repair.value]}, 6)"
    return Mended(
        f"column {column.name} has durations as texts in {{}}, read as {repair.value}",
        {column.name: cell},
        comments={column.name: f"unit: {_SHORT[repair.value]}"},
    )


DURATION = Kind(
    "duration",
    "Texts of a column such as 1:20:00, 1h 20m, PT1H20M or 90 min are read as durations, in a "
    "unit; what is none is read as no value. Told in seconds 3:45 is three minutes and 45 seconds, "
    "else three hours and 45 minutes.",
    "seconds, minutes, hours or days",
    "duration.runtime=minutes",
    of_column=True,
    mend=_mend,
)
