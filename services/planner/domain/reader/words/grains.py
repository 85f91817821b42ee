"""Words for units of time, by which dates may be grouped."""

from __future__ import annotations

from services.planner.domain.query.intent import Grain

_BY_STEM: dict[str, Grain] = {
    "year": Grain.YEAR,
    "quarter": Grain.QUARTER,
    "month": Grain.MONTH,
    "week": Grain.WEEK,
    "day": Grain.DAY,
    "date": Grain.DAY,
    "weekday": Grain.WEEKDAY,
    "hour": Grain.HOUR,
}
PACES = {
    "yearly": "year",
    "annually": "year",
    "annual": "year",
    "quarterly": "quarter",
    "monthly": "month",
    "weekly": "week",
    "daily": "day",
    "hourly": "hour",
}
_FORMS = {**PACES, "weekdays": "weekday"}


def grain_of(word: str, stem: str) -> Grain | None:
    """The unit that a lower-case word, of that stem, stands for."""
    return _BY_STEM.get(_FORMS.get(word, stem))
