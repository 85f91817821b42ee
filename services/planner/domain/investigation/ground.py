"""What an investigation stands on: metric, time, dimensions, and the SELECT that gives its rows."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from pydantic import Field

from services.planner.domain.catalogue import Frozen
from services.planner.domain.investigation.period import DateRange

TIME, NUMERATOR, DENOMINATOR = "assay_time", "assay_numerator", "assay_denominator"

WHOLE = "assay_whole"
"""Stands for a dimension where none splits the rows: it is the same in all of them."""

YEAR = timedelta(days=364)
"""How far back what is usual is looked for: 52 weeks reach both periods of a year earlier, by the
same weekdays."""


REAL, PREDICTED = "assay_real", "assay_predicted"
REAL_DENOMINATOR, PREDICTED_DENOMINATOR = "assay_real_denominator", "assay_predicted_denominator"


class LeafColumns(Frozen):
    """Which columns of leaves hold what was real and what was forecast; the denominators are those
    of a ratio, else empty. `complete` says that a leaf is told by its dimensions: no column was
    left out that tells leaves apart."""

    real: str
    predicted: str
    real_denominator: str = ""
    predicted_denominator: str = ""
    complete: bool = True

    @property
    def ratio(self) -> bool:
        """Whether each value is a quotient of two columns."""
        return bool(self.real_denominator)

    @property
    def named(self) -> dict[str, str]:
        """The columns by the names that the relation of leaves has for them."""
        names = {REAL: self.real, PREDICTED: self.predicted}
        if self.ratio:
            names |= {
                REAL_DENOMINATOR: self.real_denominator,
                PREDICTED_DENOMINATOR: self.predicted_denominator,
            }
        return names


class Ground(Frozen):
    """Everything that the calls of an investigation are made of.

    `relation` is one SELECT whose columns are TIME, NUMERATOR, DENOMINATOR (of a ratio) and
    `dimensions`, or WHOLE where there are none. `proposed` are those that a model would look at, by
    "table.column". `said` tells what was taken for granted, for people. `first` and `last` are the
    days that the data covers, where they are known.

    With `leaf` the data are leaves: a forecast stands for the baseline, there are no periods and no
    time, and the columns of `relation` are `dimensions` and those of `LeafColumns.named`.
    """

    metric: str
    label: str
    unit: str = ""
    ratio: bool = False
    level: bool = False
    distinct: bool = False
    table: str
    source_name: str
    time: str = ""
    relation: str
    dimensions: tuple[str, ...]
    suspected: tuple[str, ...] = ()
    proposed: dict[str, str] = Field(default_factory=dict)
    cardinalities: tuple[int, ...] = ()
    tables: tuple[str, ...] = ()
    baseline: DateRange | None = None
    comparison: DateRange | None = None
    leaf: LeafColumns | None = None
    first: date | None = None
    last: date | None = None
    said: tuple[str, ...] = ()

    @property
    def periods(self) -> dict[str, Any]:
        """Both periods as tools take them; none of leaves."""
        both = (("baseline", self.baseline), ("comparison", self.comparison))
        return {name: period.model_dump(mode="json") for name, period in both if period is not None}

    @property
    def history_start(self) -> date | None:
        """The first day that a search is told of what is usual; None where no day is before both
        periods, or days say nothing of periods (distinct things are counted once in each)."""
        if self.baseline is None or self.comparison is None:
            return None
        begins = min(self.baseline.start, self.comparison.start)
        if self.first is None or self.first >= begins or self.distinct:
            return None
        return max(self.first, begins - YEAR)

    @property
    def rows(self) -> dict[str, Any]:
        """The arguments that every tool over the rows of the metric takes."""
        return {
            "relation": self.relation,
            "time": TIME,
            "numerator": NUMERATOR,
            "denominator": DENOMINATOR if self.ratio else None,
            "dimensions": list(self.dimensions) or [WHOLE],
            **self.periods,
        }

    @property
    def leaves(self) -> dict[str, Any]:
        """The arguments that every tool over leaves takes."""
        return {
            "relation": self.relation,
            "dimensions": list(self.dimensions),
            "real": REAL,
            "predicted": PREDICTED,
            "real_denominator": REAL_DENOMINATOR if self.ratio else None,
            "predicted_denominator": PREDICTED_DENOMINATOR if self.ratio else None,
        }
