"""Two moments set against each other: as two numbers in one row, or as bars of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.planner.domain.language.conditions.conditions import is_comparison
from services.planner.domain.language.work import Work, only_counted
from services.planner.domain.query.intent import (
    Calculation,
    Derived,
    Dimension,
    Field,
    Filter,
    Grain,
    Intent,
    Period,
)
from services.planner.domain.reader.times.dates import span_column
from services.planner.domain.reader.times.times import Moment, two_moments

_ALONG = (Grain.YEAR, Grain.QUARTER, Grain.MONTH, Grain.WEEK, Grain.DAY)


@dataclass(frozen=True, slots=True)
class Compared:
    """The two periods, the earlier first, and whether each group is told for both."""

    periods: tuple[Period, Period]
    years: bool
    grouped: bool


def split_by_periods(work: Work) -> None:
    """Adds the two periods as a series where groups are to be compared between them.

    Months of two years are set beside each other by their names. What is told along time in any
    other way keeps its time alone.
    """
    compared = periods_to_compare(work)
    if compared is None or not compared.grouped:
        return
    for place, dimension in enumerate(work.draft.dimensions):
        if dimension.grain is Grain.MONTH:
            named = dimension.model_copy(update={"grain": Grain.MONTH_OF_YEAR})
            work.draft.dimensions[place] = named
    label = "year" if compared.years else "period"
    dated = compared.periods[0].dated
    made = Dimension(expression=dated, label=label, periods=compared.periods)
    work.draft.dimensions.append(made)
    work.draft.series = made


def periods_to_compare(work: Work) -> Compared | None:
    """The two periods that a question compares; None where it compares none."""
    wish = work.wishes.calculation
    asked = wish is not None and wish.between
    moments = two_moments(work.wishes.spans)
    if moments is None or not (asked or is_comparison(work.scene)):
        return None
    groups = [d for d in work.draft.dimensions if not d.periods]
    timed = [d for d in groups if d.grain in _ALONG]
    years = all(_is_year(moment) for moment in moments)
    if timed and not (years and not asked and [d.grain for d in timed] == [Grain.MONTH]):
        return None
    if not groups and years and not asked:
        return None  # two rows, one for each year
    span = work.wishes.spans[0]
    counted = only_counted(work.draft)
    dated = span_column(span, work.catalogue, work.graph, work.draft.base, work.date_stems(),
                        work.draft.dated, counted=counted)  # fmt: skip
    if dated is None:
        return None
    first, second = sorted(moments, key=lambda moment: moment.start)
    periods = (_period(first, dated), _period(second, dated))
    return Compared(periods, years, bool(groups))


def _is_year(moment: Moment) -> bool:
    return (moment.end.year - moment.start.year, moment.start.month, moment.start.day) == (1, 1, 1)


def _period(moment: Moment, dated: Field) -> Period:
    said = str(moment.start.year) if _is_year(moment) else moment.text
    return Period(label=said, dated=dated, start=moment.start, end=moment.end)


def set_against(intent: Intent, compared: Compared | None, spans: Sequence[Filter]) -> Intent:
    """The intent with its periods in the place of the conditions that their spans became.

    Without groups the first number is told for either period, with what lies between them.
    """
    split = any(dimension.periods for dimension in intent.dimensions)
    if compared is None or compared.grouped != split:
        return intent
    kept = tuple(wanted for wanted in intent.filters if wanted not in spans)
    if compared.grouped:
        return intent.model_copy(update={"filters": kept, "derived": ()})
    if not intent.measures or intent.measures[0].aggregate is None:
        return intent
    number = intent.measures[0]
    both = tuple(
        number.model_copy(update={"during": period, "label": f"{number.label} in {period.label}"})
        for period in compared.periods
    )
    derived = (
        Derived(calculation=Calculation.DIFFERENCE, label="difference", of=1, against=0),
        Derived(calculation=Calculation.GROWTH, label="growth", of=1, against=0),
    )
    return intent.model_copy(
        update={"filters": kept, "measures": both, "derived": derived, "order": (), "limit": None,
                "series": None, "chart": None}
    )  # fmt: skip
