"""Periods in the names of files and sheets: `sales_2025_01`, `Jan`, `2024 Q3`."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

_MONTHS = (
    "jan(?:uary|uar|vier)?|ene(?:ro)?|gen(?:naio)?",
    "feb(?:ruary|ruar|rero|braio)?|f[eé]v(?:rier)?",
    "mar(?:ch|s|zo)?|m[aä]r(?:z)?|mrz",
    "apr(?:il|ile)?|avr(?:il)?|abr(?:il)?",
    "may|mai|mayo|mag(?:gio)?",
    "june?|juni?|juin|junio|giu(?:gno)?",
    "july?|juli?|juil(?:let)?|julio|lug(?:lio)?",
    "aug(?:ust)?|ao[uû]t|ago(?:sto)?",
    "sept?(?:ember|embre|iembre)?|set(?:tembre)?",
    "o[ck]t(?:ober|obre|ubre)?|ott(?:obre)?",
    "nov(?:ember|embre|iembre)?",
    "de[cz](?:ember|embre)?|d[eé]c(?:embre)?|dic(?:iembre|embre)?",
)
_YEAR, _SEP = r"(?P<year>(?:19|20)\d\d)", r"[-_. ]*"
_MONTH, _DAY = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_NAME = "|".join(f"(?P<m{number}>{forms})" for number, forms in enumerate(_MONTHS, 1))
_QUARTER = r"[qQ](?P<quarter>[1-4])"


class Grain(StrEnum):
    """How long a period is, which is also what a column of such is called."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


_FORMS: tuple[tuple[Grain, re.Pattern[str]], ...] = tuple(
    (grain, re.compile(rf"(?<![^\W_]){form}(?![^\W_])", re.IGNORECASE))
    for grain, form in (
        (Grain.DAY, _YEAR + _SEP + _MONTH + _SEP + _DAY),
        (Grain.DAY, _DAY + "[-_. ]" + _MONTH + "[-_. ]" + _YEAR),
        (Grain.MONTH, _YEAR + _SEP + _MONTH),
        (Grain.MONTH, _MONTH + "[-_. ]" + _YEAR),
        (Grain.MONTH, f"(?:{_NAME}){_SEP}{_YEAR}"),
        (Grain.MONTH, f"{_YEAR}{_SEP}(?:{_NAME})"),
        (Grain.QUARTER, _YEAR + _SEP + _QUARTER),
        (Grain.QUARTER, _QUARTER + _SEP + _YEAR),
        (Grain.YEAR, _YEAR),
        (Grain.MONTH, f"(?:{_NAME})"),
        (Grain.QUARTER, _QUARTER),
    )
)


@dataclass(frozen=True, slots=True)
class Named:
    """A period in a name: its `first` day where the year is known, and the `words` for it; `rest`
    is the name without them."""

    grain: Grain
    words: str
    rest: str
    first: datetime.date | None


def periods_in(names: Sequence[str], around: str) -> list[Named]:
    """The period that each of several names has, all of one length, each another, with the rest of
    the names the same; else nothing. The name `around` them may tell the year."""
    year = re.search(rf"(?<!\d){_YEAR}(?!\d)", around)
    found = [_period_in(name, int(year["year"]) if year else None) for name in names]
    known = [one for one in found if one is not None]
    alike = {(one.grain, one.rest, one.first is None) for one in known}
    if len(known) < len(names) or len(alike) != 1:
        return []
    different = {one.first or one.words.casefold() for one in known}
    return known if len(different) == len(known) else []


def _period_in(name: str, year: int | None) -> Named | None:
    for grain, form in _FORMS:
        if match := form.search(name):
            parts = {key: text for key, text in match.groupdict().items() if text}
            rest = (name[: match.start()] + " " + name[match.end() :]).casefold()
            rest = " ".join(re.findall(r"[^\W_]+", rest))
            try:
                first = _first(grain, parts, year)
            except ValueError:  # 31 February
                return None
            return Named(grain, match[0], rest, first)
    return None


def _first(grain: Grain, parts: dict[str, str], year: int | None) -> datetime.date | None:
    of = int(parts["year"]) if "year" in parts else year
    if of is None:
        return None
    if grain is Grain.YEAR:
        return datetime.date(of, 1, 1)
    if grain is Grain.QUARTER:
        return datetime.date(of, int(parts["quarter"]) * 3 - 2, 1)
    named = next((int(key[1:]) for key in parts if re.fullmatch(r"m\d+", key)), 0)
    return datetime.date(of, named or int(parts["month"]), int(parts.get("day", "1")))


def after(first: datetime.date, grain: Grain) -> datetime.date:
    """The first day after a period."""
    if grain is Grain.DAY:
        return first + datetime.timedelta(days=1)
    months = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12}[grain]
    months += first.year * 12 + first.month - 1
    return datetime.date(months // 12, months % 12 + 1, 1)
