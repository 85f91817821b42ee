"""Which chart shows an answer best when none was named, and what goes on its axes."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue, DataType, Frozen
from services.planner.domain.charts.table import suited
from services.planner.domain.query.along import Along, along_of
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Dimension,
    Field,
    Grain,
    Intent,
)
from services.planner.domain.query.joining.entities import naming
from services.planner.domain.query.planning.natural_order import in_natural_order
from services.planner.domain.query.planning.units_apart import units_apart

_TWO = 2


class Layout(Frozen):
    """Columns of the answer on the axes; no `y` for a histogram."""

    x: str
    y: str | None = None
    series: str | None = None


def charted(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent with a chart that suits its shape, respecting what was asked for."""
    if intent.cohort is not None:
        return intent  # its view says what is drawn
    intent = in_natural_order(units_apart(intent, catalogue), catalogue)
    chart = intent.chart
    if chart is None or not _fits(chart, intent, catalogue):
        chart = _default(intent, catalogue)
    if intent.series is not None and len(intent.measures) == 1:
        chart = (
            {
                ChartType.BAR: _bars_of_series(intent),
                ChartType.LINE: ChartType.MULTI_LINE,
                ChartType.HISTOGRAM: ChartType.STACKED_BAR,
            }.get(chart, chart)
            if chart
            else None
        )
    elif intent.series is None:
        chart = (
            {
                ChartType.STACKED_BAR: ChartType.BAR,
                ChartType.GROUPED_BAR: ChartType.BAR,
                ChartType.MULTI_LINE: ChartType.LINE,
            }.get(chart, chart)
            if chart
            else None
        )
    return intent.model_copy(update={"chart": chart})


def _bars_of_series(intent: Intent) -> ChartType:
    """Parts of a whole stand on each other, what is compared beside each other."""
    whole = bool(intent.measures) and intent.measures[0].additive
    compared = any(dimension.periods for dimension in intent.dimensions)
    return ChartType.STACKED_BAR if whole and not compared else ChartType.GROUPED_BAR


def layout(intent: Intent) -> Layout | None:
    """Where the answer's columns go, or None when there is nothing to draw."""
    if intent.cohort is not None:
        return _of_cohorts(intent)
    dimensions = [d.label for d in intent.dimensions]
    measures = [d.label for d in intent.derived] + [m.label for m in intent.measures]
    alone = intent.chart is ChartType.BOX and not dimensions
    if measures and (alone or intent.chart is ChartType.HISTOGRAM):
        return Layout(x=measures[0])
    if len(measures) >= 2 and not intent.derived:
        series = dimensions[intent.series] if intent.series is not None and dimensions else None
        if intent.chart is ChartType.SCATTER or not dimensions:
            return Layout(x=measures[0], y=measures[1], series=series)
    if dimensions and measures:
        series = dimensions[1] if intent.series == 1 else None
        return Layout(x=dimensions[0], y=measures[0], series=series)
    if len(dimensions) >= 2:
        return Layout(x=dimensions[0], y=dimensions[1])
    return None


def _of_cohorts(intent: Intent) -> Layout | None:
    """Cohorts are rows of a heat map, and lines along the time since they began."""
    shown = [d.label for d in intent.dimensions]
    if not shown:
        return None
    money = [m.label for m in intent.measures if m.expression is not None]
    numbers = [d.label for d in intent.derived] + [m.label for m in intent.measures]
    y = (money or numbers)[0]
    if intent.series == 0:
        return Layout(x=shown[1], y=y, series=shown[0])
    return Layout(x=shown[0], y=y, series=shown[1] if intent.series == 1 else None)


def _fits(chart: ChartType, intent: Intent, catalogue: Catalogue) -> bool:
    if chart is ChartType.HISTOGRAM:
        return _is_distribution(intent, catalogue)
    if chart is ChartType.LINE and not intent.chart_named:
        return bool(intent.dimensions) and _ordered(intent.dimensions[0], catalogue)
    if chart is ChartType.SCATTER and not intent.chart_named:
        return len(intent.measures) >= 2 or _numeric_axis(intent, catalogue)
    return True


def _is_distribution(intent: Intent, catalogue: Catalogue) -> bool:
    raw = [m for m in intent.measures if m.aggregate is None]
    return len(raw) == 1 and len(intent.measures) == 1 and not _named_rows(intent, catalogue)


def _named_rows(intent: Intent, catalogue: Catalogue) -> bool:
    """Whether a column was asked for beside the number, other than the name of what it is of."""
    if not intent.dimensions:
        return False
    first = intent.dimensions[0]
    table = catalogue.table(first.identity.table) if first.identity is not None else None
    return table is None or naming(table) != first.expression


def _numeric_axis(intent: Intent, catalogue: Catalogue) -> bool:
    if not intent.dimensions:
        return False
    first = intent.dimensions[0].expression
    return isinstance(first, Field) and _type(first, catalogue) in (
        DataType.INTEGER,
        DataType.FLOAT,
    )


def _type(target: Field, catalogue: Catalogue) -> DataType | None:
    table = catalogue.table(target.table)
    column = table.column(target.column) if table else None
    return column.data_type if column else None


def _ordered(dimension: Dimension, catalogue: Catalogue) -> bool:
    if dimension.periods:
        return False
    if dimension.grain is not None:
        return dimension.grain is not Grain.WEEKDAY
    if not isinstance(dimension.expression, Field):
        return False
    kind = _type(dimension.expression, catalogue)
    numeric_year = kind is DataType.INTEGER and "year" in dimension.label
    return kind in (DataType.DATE, DataType.DATETIME) or numeric_year


def _default(intent: Intent, catalogue: Catalogue) -> ChartType | None:
    if not intent.dimensions and not intent.limit and _is_distribution(intent, catalogue):
        return ChartType.HISTOGRAM
    one_row = intent.grouped and not intent.dimensions
    if layout(intent) is None or intent.limit == 1 or one_row:
        return None
    if not intent.measures and len(intent.dimensions) > _TWO:
        return None
    if len(intent.measures) >= 2 and (len(intent.dimensions) == 0 or not intent.grouped):
        return ChartType.SCATTER
    if not intent.dimensions:
        return None
    if not intent.measures:
        return ChartType.LINE if _ordered(intent.dimensions[0], catalogue) else None
    if len(intent.dimensions) > _TWO and not intent.measures[0].additive:
        return None  # no two axes and a series show the third, and nothing may be added up over it
    along = along_of(intent.dimensions[0], catalogue)
    if _ordered(intent.dimensions[0], catalogue):
        return ChartType.LINE
    if intent.series is not None and along not in (Along.CYCLE, Along.NUMBER):
        return _bars_of_series(intent)
    if intent.grouped and (along is Along.NUMBER or intent.series is not None):
        additive = intent.measures[0].additive
        return suited(along, series=intent.series is not None, additive=additive)
    measure = intent.measures[0]
    if (
        intent.chart is ChartType.PIE
        and measure.additive
        and measure.aggregate is not Aggregate.AVERAGE
    ):
        return ChartType.PIE
    return ChartType.BAR
