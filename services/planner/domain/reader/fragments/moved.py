"""A period told by the one in sight: "and the year before?" after a question about 1997."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from services.planner.domain.lexicon.vocabulary import NUMBER_WORDS
from services.planner.domain.query.calendar import STEPS, floor_of
from services.planner.domain.query.intent import Condition, Filter, Group, Intent, Operator
from services.planner.domain.reader.fragments.fragment import EditError
from services.planner.domain.reader.times.times import TimeSpan

_PERIOD = re.compile(
    r"\b(?:(?:in|for|of|during) )?(?:the )?(?:(?P<many>\w+) )?(?P<unit>year|quarter|month)s? "
    r"(?P<way>before|earlier|after|later)(?: (?:that|this|it))?(?=\W*$)|"
    r"\b(?:(?:in|for|of|during) )?the (?P<way2>previous|preceding|prior|following|next) "
    r"(?P<unit2>year|quarter|month)\b",
    re.IGNORECASE,
)
_MOST = 400
_BACK = frozenset(("before", "earlier", "previous", "preceding", "prior"))


def moved_span(sentence: str, intent: Intent) -> tuple[int, int, TimeSpan] | None:
    """Where words name the period before or after the one in sight, and its dates; None where they
    do not. Raises EditError where no such period is in sight, or several are."""
    match = _PERIOD.search(sentence)
    if match is None:
        return None
    unit = (match["unit"] or match["unit2"]).lower()
    back = (match["way"] or match["way2"]).lower() in _BACK
    seen = set(filter(None, map(_period, intent.filters)))
    if len(seen) != 1:
        raise EditError(f"no {unit} is in sight that “{match.group().strip()}” could be told by")
    start, end = seen.pop()
    step = STEPS[unit]
    if floor_of(start, unit) != start or start + step != end:
        raise EditError(f"what is in sight is no one {unit}")
    first = start
    for _ in range(_many(match["many"])):
        first = first - step if back else first + step
    years = (first.year,) if unit == "year" else ()
    text = str(first.year) if years else f"{first:%B %Y}" if unit == "month" else _quarter(first)
    return match.start(), match.end(), TimeSpan(text, first, first + step, years=years)


def _many(text: str | None) -> int:
    """How many units: one, unless a number is said. Raises EditError where it is none."""
    word = (text or "the").lower()
    word = "1" if word in ("the", "one") else f"{NUMBER_WORDS.get(word, word)}".removesuffix(".0")
    many = int(word) if word.isdigit() else 0
    if not 1 <= many <= _MOST:
        raise EditError(f"“{text}” is no number of them")
    return many


def _quarter(first: date) -> str:
    return f"Q{(first.month + 2) // 3} {first.year}"


def _period(one: Filter) -> tuple[date, date] | None:
    """The days of a condition on a time, up to, not including, the second; None of any other."""
    if isinstance(one, Group):
        return _between(one.members) if one.connective == "and" else None
    if not isinstance(one, Condition) or one.operator is not Operator.EQUAL:
        return None
    [value, *others] = one.values
    if not isinstance(value, int) or others or one.note != str(value):
        return None
    return date(value, 1, 1), date(value + 1, 1, 1)


def _between(members: Sequence[Filter]) -> tuple[date, date] | None:
    ends = {
        one.operator: str(one.values[0])[:10]
        for one in members
        if isinstance(one, Condition) and len(one.values) == 1
    }
    try:
        return tuple(  # type: ignore[return-value]  # of two
            date.fromisoformat(ends[which]) for which in (Operator.AT_LEAST, Operator.LESS)
        )
    except (KeyError, ValueError):
        return None
