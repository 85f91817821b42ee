"""A fragment: which dimensions, numbers, conditions and forms its words name."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.planner.domain.query.intent import Aggregate, ChartType, Grain
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.times.times import TimeSpan


class EditError(Exception):
    """A reading cannot be changed so; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Split:
    """What numbers are to be split by: a column, or a unit of time (then of the reading's date)."""

    place: Place | None
    grain: Grain | None = None


@dataclass(eq=False)
class Fragment:
    """What the words of a fragment name, and which `unread` ones name nothing.

    `gone` are columns that were not meant, `lifted` those whose conditions are taken away. With
    `adds` dimensions and numbers stand beside those that are there. `aggregate` is one that no
    column is named with; `bare` columns are named and no more, `dates` beside spans of time.
    `descending` tells which end comes first. `counts` is the table whose rows are to be counted,
    `limits` are comparisons of the number in sight ("those with more than 10"). With `altogether`
    it is asked for over all groups, with `every` for each of them, however many;
    `listed` wants the rows that were counted. `notes` are to be told with what comes of it, and
    `doubts` as what it may be wrong in.
    """

    words: str
    splits: list[Split] = field(default_factory=list[Split])
    numbers: list[Number] = field(default_factory=list[Number])
    aggregate: Aggregate | None = None
    conditions: list[Proposal] = field(default_factory=list[Proposal])
    spans: list[TimeSpan] = field(default_factory=list[TimeSpan])
    gone: list[Place] = field(default_factory=list[Place])
    lifted: list[Place] = field(default_factory=list[Place])
    bare: list[Place] = field(default_factory=list[Place])
    dates: list[Place] = field(default_factory=list[Place])
    chart: ChartType | None = None
    limit: int | None = None
    descending: bool | None = None
    adds: bool = False
    counts: str = ""
    limits: list[Proposal] = field(default_factory=list[Proposal])
    altogether: bool = False
    every: bool = False
    listed: bool = False
    notes: list[str] = field(default_factory=list[str])
    doubts: list[str] = field(default_factory=list[str])
    unread: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing was named that a reading could be changed by."""
        return (
            not (
                self.splits
                or self.numbers
                or self.aggregate
                or self.conditions
                or self.spans
                or self.lifted
                or self.bare
                or self.chart
                or self.limit
                or self.counts
                or self.limits
                or self.altogether
                or self.every
                or self.listed
                or self.gone
            )
            and self.descending is None
        )
