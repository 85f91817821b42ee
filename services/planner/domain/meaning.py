"""What the author of a statement declares that it means."""

from __future__ import annotations

from pydantic import Field

from services.planner.domain.catalogue import Frozen

LONGEST = 500
MOST = 20


class Meaning(Frozen):
    """The parts of a declaration, in names of the data: tables, columns and declared metrics.

    `metric` is a declared metric, or aggregates over columns ("sum(lines.quantity * price)"). `by`
    are columns that rows are split by, `filter` conditions in SQL that rows have to fulfil. `time`
    is the column that says when, `period` the days that count ("1997", "1997-03", or
    "1997-01-01..1997-06-30", both ends included), `grain` the unit of time that the result is
    split by: year, quarter, month, week or day.
    """

    metric: str = Field(default="", max_length=LONGEST)
    by: tuple[str, ...] = Field(default=(), max_length=MOST)
    filter: tuple[str, ...] = Field(default=(), max_length=MOST)
    time: str = Field(default="", max_length=LONGEST)
    period: str = Field(default="", max_length=LONGEST)
    grain: str = Field(default="", max_length=LONGEST)

    @property
    def is_declared(self) -> bool:
        """Whether anything is."""
        return self != Meaning()

    @property
    def words(self) -> tuple[str, ...]:
        """All that is written in it."""
        every = (self.metric, *self.by, *self.filter, self.time, self.period, self.grain)
        return tuple(filter(None, every))


class NotCompiledError(Exception):
    """Why a declaration is no statement, in words for people that say what to declare."""
