"""The days that an investigation compares: as given, or as its question and the data tell."""

from __future__ import annotations

from dataclasses import dataclass

from mesh.errors import INVALID_DATE_RANGE, AssayError
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.investigation.covering import day_of
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.times import time_of
from services.planner.domain.investigation.why_times import periods_of
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.reader.times.dates import main_date


@dataclass(frozen=True, slots=True)
class Dated:
    """Both periods, the column that tells the time where one is preferred, and what was assumed."""

    baseline: DateRange
    comparison: DateRange
    time_column: str
    notes: tuple[str, ...] = ()


def in_days(
    request: InvestigationRequest, catalogue: Catalogue, base: str, near: set[str]
) -> Dated:
    """The periods of a request about the rows of the table `base`.

    A question in words goes by the time that belongs to a row, as any question does, and by the
    last day that it holds. Raises AssayError: INVALID_DATE_RANGE, NO_TIME_COLUMN.
    """
    if request.baseline_period is not None and request.comparison_period is not None:
        return Dated(request.baseline_period, request.comparison_period, request.time_column)
    wanted = request.time_column
    if not wanted:
        own = main_date(catalogue, graph_of(catalogue), base, ())
        wanted = f"{own.table}.{own.column}" if own is not None else ""
    time = time_of(catalogue, base, wanted, (), near)
    today = request.timestamp.date()
    found = periods_of(request.asked, today, day_of(time.last))
    if found is None:
        raise AssayError(
            INVALID_DATE_RANGE,
            f"{request.asked!r} does not say which two periods are to be compared",
            hint="Say when: why did revenue drop in March 2024, or … compared to March 2023.",
            fields={"investigation.question": "says no period"},
        )
    return Dated(found.baseline, found.comparison, wanted, found.notes)
