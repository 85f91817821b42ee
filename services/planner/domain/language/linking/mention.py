"""What a phrase of the question may stand for, and what kind of column that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.planner.domain.catalogue import (
    Column,
    DataType,
)
from services.planner.domain.language.normalising.cues import TRUE_VALUES
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.lexicon.vocabulary import RATE_WORDS
from services.planner.domain.query.intent import Grain
from services.planner.domain.reader.links.semantics import Kind


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing a phrase may stand for. `kind`: table, column, value, grain or revenue.

    A value that is `written` was matched by nothing in the data and is taken as it stands.
    """

    kind: str
    table: str = ""
    column: str = ""
    value: str = ""
    grain: Grain | None = None
    score: float = 1.0
    reason: str = ""
    written: bool = False


@dataclass(slots=True)
class Mention:
    """Tokens `first` up to, not including, `last`, and what they may stand for, best first."""

    first: int
    last: int
    phrase: str
    stems: tuple[str, ...]
    candidates: tuple[Candidate, ...]

    @property
    def chosen(self) -> Candidate:
        """The candidate that resolution has put first."""
        return self.candidates[0]


GRAINS: dict[str, Grain] = {
    "year": Grain.YEAR,
    "annual": Grain.YEAR,
    "quarter": Grain.QUARTER,
    "month": Grain.MONTH,
    "week": Grain.WEEK,
    "day": Grain.DAY,
    "daili": Grain.DAY,
    "date": Grain.DAY,
    "weekday": Grain.WEEKDAY,
    "hour": Grain.HOUR,
    "hourli": Grain.HOUR,
}
_GRAIN_FORMS = {
    "yearly": "year",
    "annually": "year",
    "annual": "year",
    "quarterly": "quarter",
    "monthly": "month",
    "weekly": "week",
    "daily": "day",
    "weekdays": "weekday",
    "weekday": "weekday",
    "hourly": "hour",
}


def with_candidate_first(mention: Mention, candidate: Candidate) -> Mention:
    """The mention with that candidate chosen."""
    rest = tuple(c for c in mention.candidates if c is not candidate)
    return replace(mention, candidates=(candidate, *rest))


def flag_value(samples: Sequence[str]) -> str | None:
    """The value that means yes in a column of flags, or None if it is no such column."""
    present = [value for value in TRUE_VALUES if value in samples]
    return present[0] if present and len(set(samples)) <= 3 else None


def yes_of(column: Column) -> str | None:
    """How a column of flags says yes; None for any other column."""
    return "true" if column.data_type is DataType.BOOLEAN else flag_value(column.samples)


def averaged(column: Column) -> bool:
    """Whether several of its numbers come together as an average: rates do, amounts are added up.

    What a semantic model says goes before what the name tells.
    """
    if column.kind:
        return column.kind == Kind.INTENSIVE
    return bool(set(name_words(column.name)) & RATE_WORDS)
