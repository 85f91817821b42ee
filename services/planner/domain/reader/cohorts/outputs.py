"""The columns of an answer about cohorts, and the chart that shows them."""

from __future__ import annotations

from typing import Any

from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    ChartType,
    Cohort,
    CohortView,
    Derived,
    Dimension,
    Field,
    Intent,
    Measure,
    Order,
)


def outputs_of(cohort: Cohort, plural: str, split: Field | None, *, timed: bool) -> dict[str, Any]:
    """The columns of the answer, as dimensions, numbers and what is worked out from them."""
    dated = cohort.dated
    counted = Measure(aggregate=Aggregate.COUNT, table=cohort.dated.table, label=plural)
    active = counted.model_copy(update={"label": _active_label(cohort)})
    share = Derived(calculation=Calculation.SHARE, label=f"share {active.label}", of=1, against=0)
    unit = cohort.grain.value
    since = Dimension(expression=dated, label=f"{unit}s since start")
    time = Dimension(expression=dated, label=unit, grain=cohort.grain)
    rejected = () if split is None else (Dimension(expression=split, label=worded(split.column)),)
    if cohort.view is CohortView.RETENTION:
        begun = Dimension(expression=cohort.started or dated, label="cohort", grain=cohort.grain)
        numbers = (counted, active)
        order = (Order(target="dimension"), Order(target="dimension", index=1))
        return {
            "dimensions": (begun, since),
            "measures": numbers,
            "derived": (share,),
            "order": order,
            "series": 0,
        }
    if cohort.view is CohortView.CURVE:
        numbers = (counted, active)
        return {
            "dimensions": (since,),
            "measures": numbers,
            "derived": (share,),
            "order": (Order(target="dimension"),),
        }
    if cohort.view is CohortView.ACTIVE:
        number = counted.model_copy(
            update={
                "aggregate": Aggregate.COUNT_DISTINCT,
                "label": f"number of active {plural}",
                "additive": False,
            }
        )
        return {
            "dimensions": (time,),
            "measures": (number,),
            "order": (Order(target="dimension"),),
        }
    if cohort.view is CohortView.NEW_OR_RETURNING:
        kind = Dimension(expression=cohort.entity, label="new or returning")
        order = (Order(target="dimension"), Order(target="dimension", index=1))
        number = counted.model_copy(
            update={"aggregate": Aggregate.COUNT_DISTINCT, "label": f"number of {plural}"}
        )
        return {"dimensions": (time, kind), "measures": (number,), "order": order, "series": 1}
    if cohort.view is CohortView.NEW:
        new = counted.model_copy(update={"label": f"number of new {plural}"})
        shown = (time, *rejected) if timed else rejected
        along = tuple(Order(target="dimension", index=i) for i in range(len(shown)))
        return {
            "dimensions": shown,
            "measures": (new,),
            "order": along,
            "series": 1 if len(shown) > 1 else None,
        }
    order = (Order(target="measure", descending=True), Order(target="dimension"))
    return {
        "dimensions": rejected,
        "measures": (counted, active),
        "derived": (share,),
        "order": order if rejected else (),
    }


def _active_label(cohort: Cohort) -> str:
    if cohort.view is CohortView.RETURNED:
        return "not returned" if cohort.absent else "returned"
    return "active"


def cohort_chart(intent: Intent, asked: ChartType | None) -> ChartType | None:
    """The chart that was asked for where it suits the view, else the one that shows it best."""
    cohort = intent.cohort
    if cohort is None or not intent.dimensions or cohort.age is not None:
        return None
    if cohort.view is CohortView.RETENTION:
        lines = asked in (ChartType.LINE, ChartType.MULTI_LINE)
        return ChartType.MULTI_LINE if lines else ChartType.HEATMAP
    if cohort.view is CohortView.CURVE:
        return asked if asked in (ChartType.BAR, ChartType.AREA) else ChartType.LINE
    if cohort.view is CohortView.NEW_OR_RETURNING:
        return asked or ChartType.STACKED_BAR
    if cohort.view in (CohortView.NEW, CohortView.ACTIVE):
        single = ChartType.LINE if intent.series is None else ChartType.MULTI_LINE
        if intent.dimensions[0].grain is None:
            single = ChartType.BAR
        return asked or single
    return ChartType.BAR
