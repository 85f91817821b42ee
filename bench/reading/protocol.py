"""What the bench asks of a reader, old or new: one question over one database, one `Answered`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal, Protocol

from bench.reading.running import BoundedRun
from services.planner.domain.catalogue import Catalogue, ValueLookup

Outcome = Literal["answered", "asked", "refused"]
Word = Literal["sure", "likely", "doubtful"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart: its kind in the data sets' words (Bar, Pie, Line, Scatter, Stacked Bar, Grouping
    Line, Grouping Scatter; another word for any other), and the columns on its axes.
    """

    kind: str
    x: str
    y: str | None = None
    series: str | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """An answer's rows under its columns; `cut` where there were more than the bound.

    `chart` says what of them is drawn; without one the first columns are x, y and series.
    `statistics` are those of a test, one a row: about, statistic, value and text.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    cut: bool = False
    chart: Drawn | None = None
    statistics: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """What a reader said to one question.

    `rows` are those of the answer that it would give; where it asks, those of its likelier option,
    if it knows one. `doubts` are the assumptions and left-out words that stand before the number.
    `candidates` are rows of all its readings in its own order, worked out when they are looked at.
    `executing_seconds` is the part of the time that went into running queries, not into reading.
    """

    outcome: Outcome
    rows: Rows | None = None
    chart: Drawn | None = None
    confidence: float = 0.0
    word: Word = "doubtful"
    doubts: tuple[str, ...] = ()
    candidates: Iterable[Rows | None] = ()
    sql: str = ""
    reply: str = ""
    executing_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Opened:
    """One database as the planner sees it, and a bounded way to run SQL over it."""

    name: str
    paths: tuple[Path, ...]
    catalogue: Catalogue
    lookup: ValueLookup
    run: BoundedRun
    today: date = field(default=date(2025, 1, 1))


class Reader(Protocol):
    """Answers questions. Whatever it raises counts as a crash."""

    async def ask(self, question: str, database: Opened, after: Sequence[str] = ()) -> Answered:
        """What it says to the question, which follows on those of `after`."""
        ...
