"""The step that draws an answer: what goes on its axes, in which words, and what may be added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.charts.choosing import Layout
from services.planner.domain.charts.labels import dimension_label, in_full, measure_label
from services.planner.domain.charts.table import LINES, TABLE, made_true, suited
from services.planner.domain.plan import Subtask
from services.planner.domain.query.along import (
    Along,
    adds_up_over,
    along_of,
    along_of_column,
    found_in,
)
from services.planner.domain.query.along import is_ordered_by_time as timely
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Derived,
    Dimension,
    Intent,
    Measure,
)
from services.planner.domain.query.planning.fractions import is_fraction
from services.planner.domain.query.planning.summary import title_of

CHART = "chart"
_SECONDS = 0.4
_MOST_MORE = 3
_TWO = 2
_SIDE_BY_SIDE = (ChartType.BAR, ChartType.LINE)
_BARS = (ChartType.BAR, ChartType.GROUPED_BAR, ChartType.STACKED_BAR)
_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
_BY_RANK = ("spearman", "kendall")


@dataclass(frozen=True)
class _Axes:
    """The dimensions along x and in series, and the numbers drawn, the first of them along y."""

    x: Dimension | None
    series: Dimension | None
    numbers: tuple[Measure | Derived, ...]


def chart_task(intent: Intent, place: Layout, catalogue: Catalogue, load: str) -> Subtask:
    """The step that draws the answer's rows, in the chart that is true of them."""
    axes = _axes(intent, place, catalogue)
    arguments: dict[str, Any] = {"input": load, "type": str(intent.chart), "x_col": place.x}
    if place.y is not None:
        arguments["y_col"] = place.y
    if place.series is not None:
        arguments["series_col"] = place.series
    if intent.cohort is None:
        arguments |= _along(intent, axes, place, catalogue)
    arguments |= {"title": _title(intent, axes, catalogue)} | _numbers(
        intent, axes, place, catalogue
    )
    numbered = arguments.get("x_meaning") == "name"
    if _has_order(intent, numbered=numbered) and place.y is not None:
        arguments["sort"] = "none"
    table = catalogue.table(intent.base)
    if table is not None:
        arguments["source"] = table.source_name
    return Subtask(
        task_id=CHART,
        description=f"{str(arguments['type']).replace('_', ' ')} chart",
        tool_name="plot.render",
        arguments=arguments,
        dependencies=(load,),
        invariants=("draws the rows as loaded",),
        estimated_cost_seconds=_SECONDS,
    )


def _axes(intent: Intent, place: Layout, catalogue: Catalogue) -> _Axes:
    """What the columns on the axes are; time goes along x where a line or level needs it."""
    by_label = {dimension.label: dimension for dimension in intent.dimensions}
    x, series = by_label.get(place.x), by_label.get(place.series or "")
    if series is None and x is not None and _lies_over_another(intent):
        series = next((d for d in intent.dimensions if d.label != x.label), None)
    numbers: tuple[Measure | Derived, ...] = intent.derived[:1] or _drawn(intent, place, series)
    if x is not None and series is not None and _turns(intent, x, series, catalogue):
        x, series = series, x
    return _Axes(x, series, numbers)


def _lies_over_another(intent: Intent) -> bool:
    """Whether a second split of what may be added up would be added up unseen."""
    whole = intent.grouped and len(intent.measures) == 1 and _additive(intent)
    picked = intent.limit or intent.limit_per_series or intent.derived or intent.cohort
    two = len(intent.dimensions) == _TWO and intent.chart in _SIDE_BY_SIDE
    return whole and two and not picked and not intent.chart_named


def _drawn(intent: Intent, place: Layout, series: Dimension | None) -> tuple[Measure, ...]:
    """The measures that the chart shows: all of a few beside each other, else those of its axes."""
    shown = [measure for measure in intent.measures if measure.shown]
    on_axes = [m for m in shown if m.label in (place.x, place.y)]
    if intent.chart not in _SIDE_BY_SIDE or series is not None or not intent.dimensions:
        return tuple(on_axes)
    first = [m for m in shown if m.label == place.y]
    return tuple(first + [m for m in shown if m.label != place.y][:_MOST_MORE])


def _turns(intent: Intent, x: Dimension, series: Dimension, catalogue: Catalogue) -> bool:
    """Whether the series is of time and the axis of names, and bars of times would be no parts.

    Someone who names stacked bars of what may be added gets them the way they were asked for.
    """
    if not timely(along_of(series, catalogue)) or timely(along_of(x, catalogue)):
        return False
    if intent.chart in (ChartType.HEATMAP, ChartType.SCATTER, ChartType.BOX):
        return False
    as_asked = intent.chart_named and intent.chart not in LINES
    measure = intent.measures[0] if intent.measures else None
    if not as_asked or measure is None or not measure.additive or intent.derived:
        return True
    return not adds_up_over(series, measure.expression, catalogue)


def _along(intent: Intent, axes: _Axes, place: Layout, catalogue: Catalogue) -> dict[str, Any]:
    """The kind of chart and what is said of the columns along x and in series."""
    values: dict[str, Any] = {}
    if axes.x is None:
        return values | _of_two_numbers(intent, place, catalogue)
    along = along_of(axes.x, catalogue)
    label, unit = dimension_label(axes.x, catalogue)
    values |= {"x_col": axes.x.label, "x_label": label}
    if unit:
        values["x_unit"] = unit
    kind = intent.chart
    if kind is not None and axes.numbers:
        values |= _true_kind(kind, intent, axes, along, label)
    meaning = TABLE[along].meaning
    if meaning is not None and not _is_text(axes.x, along, catalogue):
        values["x_meaning"] = meaning
    if axes.series is not None:
        of_series = along_of(axes.series, catalogue)
        values |= {
            "series_col": axes.series.label,
            "series_label": dimension_label(axes.series, catalogue)[0],
        }
        of_meaning = TABLE[of_series].meaning
        if of_meaning is not None and not _is_text(axes.series, of_series, catalogue):
            values["series_meaning"] = of_meaning
    elif kind in _SIDE_BY_SIDE and len(intent.dimensions) == _TWO and not _additive(intent):
        other = next((d for d in intent.dimensions if d.label != axes.x.label), None)
        if other is not None:
            label = dimension_label(other, catalogue)[0]
            values |= {"split_col": other.label, "series_label": label}
    first = axes.numbers[0] if axes.numbers else None
    if isinstance(first, Measure) and intent.chart is not ChartType.HISTOGRAM:
        label, unit = measure_label(first, catalogue)
        values |= {"y_label": label} | ({"unit": unit} if unit else {})
    elif first is not None:
        values["y_label"] = in_full(first.label)
    return values


def _true_kind(
    kind: ChartType, intent: Intent, axes: _Axes, along: Along, x: str
) -> dict[str, Any]:
    """The kind that is drawn, and why it is not the one that was asked for."""
    series = axes.series is not None
    drawn, why = made_true(kind, along, x, series=series, additive=_additive(intent))
    if series and timely(along) and not intent.chart_named and drawn in _BARS:
        drawn = ChartType.MULTI_LINE
    elif series and intent.series is None and not intent.chart_named:
        drawn = suited(along, series=True, additive=_additive(intent))
    values: dict[str, Any] = {"type": str(drawn)}
    return values | ({"remark": why} if why and intent.chart_named else {})


def _is_text(dimension: Dimension, along: Along, catalogue: Catalogue) -> bool:
    """Whether its values show by themselves that they are names, which may have an order."""
    found = found_in(dimension.expression, catalogue)
    if along is not Along.NAME:
        return False
    return found is None or found[0].data_type.value not in ("integer", "float")


def _of_two_numbers(intent: Intent, place: Layout, catalogue: Catalogue) -> dict[str, Any]:
    """The labels of points of two measures, or of the one whose spread is shown."""
    by_label = {measure.label: measure for measure in intent.measures}
    values: dict[str, Any] = {}
    x, y = by_label.get(place.x), by_label.get(place.y or "")
    if x is not None:
        label, unit = measure_label(x, catalogue)
        values["x_label"] = label
        if unit:
            values["unit" if y is None else "x_unit"] = unit
        found = found_in(x.expression, catalogue) if y is not None else None
        if found is not None and along_of_column(*found) is Along.FLAG:
            values["x_meaning"] = "flag"
    if y is not None:
        label, unit = measure_label(y, catalogue)
        values |= {"y_label": label} | ({"unit": unit} if unit else {})
    return values


def _numbers(intent: Intent, axes: _Axes, place: Layout, catalogue: Catalogue) -> dict[str, Any]:
    """What may be done with the numbers: added, filled with nought, told in per cent, fitted."""
    values: dict[str, Any] = {}
    if place.y is not None and is_fraction(intent, place.y, catalogue):
        values["fraction"] = True
    if not intent.measures:
        return values
    values["additive"] = _additive(intent)
    if not intent.grouped and intent.dimensions:
        values["each_row"] = True
    counted = intent.measures[0].aggregate in _COUNTS and place.y == intent.measures[0].label
    if place.series is not None and counted:
        values["absent_is_zero"] = True
    more = [number.label for number in axes.numbers if number.label not in (place.y, place.x)]
    if more and intent.chart in _SIDE_BY_SIDE:
        values["more_cols"] = more
    if _has_trend(intent):
        values["trend"] = True
    if intent.chart is ChartType.BOX and intent.statistic is not None and place.y is not None:
        values["named_only"] = True  # no test compares the rows of no group
    return values


def _additive(intent: Intent) -> bool:
    """Whether the first number may be added up: of single rows, never to fewer than they are."""
    return bool(intent.measures) and intent.measures[0].additive


def _has_trend(intent: Intent) -> bool:
    """Whether points get their line: single rows, or pairs whose relation was asked for."""
    if intent.chart is not ChartType.SCATTER or intent.series is not None:
        return False
    statistic = intent.statistic
    if statistic is not None:
        return statistic.method not in _BY_RANK
    return not intent.grouped


def _has_order(intent: Intent, *, numbered: bool) -> bool:
    """Whether the rows come in an order that was asked for, rather than the usual one.

    Usual is by value, and by itself what is a number; but numbers that name things are names.
    """
    if len(intent.dimensions) != 1 or not intent.order:
        return False
    targets = [order.target for order in intent.order]
    usual = targets == ["measure", "dimension"] and intent.order[0].descending
    usual |= numbered and targets == ["dimension"] and not intent.order[0].descending
    return not usual or intent.limit is not None


def _title(intent: Intent, axes: _Axes, catalogue: Catalogue) -> str:
    """What the chart shows, of all that the answer tells."""
    if intent.cohort is not None:
        return title_of(intent)
    shown = {number.label for number in axes.numbers} or {m.label for m in intent.measures}
    split = () if intent.chart is ChartType.HISTOGRAM else intent.dimensions
    renamed = [(m, measure_label(m, catalogue)[0]) for m in intent.measures if m.label in shown]
    derived = [(d, in_full(d.label)) for d in intent.derived if d.label in shown]
    by = [(d, dimension_label(d, catalogue)[0]) for d in split]
    drawn = intent.model_copy(
        update={"measures": _named(renamed), "derived": _named(derived), "dimensions": _named(by)}
    )
    return title_of(drawn)


def _named(labelled: Sequence[tuple[Any, str]]) -> tuple[Any, ...]:
    """The same under these names."""
    return tuple(one.model_copy(update={"label": label}) for one, label in labelled)
