"""What goes on which axis: the x axis first, then the series; two numbers against each other."""

from __future__ import annotations

from services.planner.domain.language.dimensions.dimensions import against_each_other
from services.planner.domain.language.dimensions.time_groups import holds_years
from services.planner.domain.language.work import Work, field_of
from services.planner.domain.query.intent import (
    ChartType,
    Dimension,
    Field,
)
from services.planner.domain.query.joining.joins import unique
from services.planner.domain.query.tables import table_of

_SERIES_WORDS = frozenset("color colour group grouping groups categorized".split())
_COLOURING = frozenset("color colour colored coloured colors colours".split())
_OPPOSING = frozenset("versus vs against".split())
_AXIS_REACH = 25


def arrange(work: Work) -> None:
    """Puts the x axis first: the one named so, else time, else the first that is no series."""
    draft = work.draft
    dimensions = draft.dimensions
    best_of_each = work.parts.top is not None and work.parts.top.per_group
    if len(dimensions) < 2 or best_of_each:
        return
    named = _axis_column(work, "x") or (None if _grouped_by(work) else draft.counted)
    first = next((d for d in dimensions if named is not None and d.expression == named), None)
    if first is None:
        first = next((d for d in dimensions if d.grain is not None), None)
    if first is None and work.over_time:
        first = next((d for d in dimensions if holds_years(work, d)), None)
    if first is None and draft.series is not None:
        first = next((d for d in dimensions if d is not draft.series), None)
    if first is not None:
        dimensions.remove(first)
        dimensions.insert(0, first)
    timed = dimensions[0].grain is not None  # time stays on the x axis
    if _grouped_by(work) and draft.series in dimensions and named is None and not timed:
        dimensions.sort(key=lambda d: d is not draft.series)
    elif draft.series is not None and draft.series in dimensions[1:]:
        dimensions.remove(draft.series)
        dimensions.insert(1, draft.series)
    fixed = work.over_time or any(d.periods for d in dimensions)
    if named is None and not fixed and _reads_better_turned(work):
        dimensions[0], dimensions[1] = dimensions[1], dimensions[0]


def _grouped_by(work: Work) -> bool:
    """ "The number of grades split by house": houses are the groups, grades are stacked."""
    coloured = _COLOURING & {token.lower for token in work.scene.tokens}
    return work.draft.counted is not None and work.draft.series is not None and not coloured


def _reads_better_turned(work: Work) -> bool:
    """Whether the series would have more values than the x axis: few colours, many places."""
    draft = work.draft
    plain = all(d.grain is None and d.bins is None for d in draft.dimensions[:2])
    coloured = bool(_COLOURING & {token.lower for token in work.scene.tokens})
    if len(draft.measures) != 1 or not draft.aggregated or not plain or coloured:
        return False
    x, series = (_values_of(work, dimension) for dimension in draft.dimensions[:2])
    return 0 < x < series


def _values_of(work: Work, dimension: Dimension) -> int:
    """How many values a dimension has, as far as the catalogue knows."""
    if isinstance(dimension.expression, Field) and dimension.identity is None:
        column = work.column(dimension.expression)
        return column.distinct if column is not None else 0
    table = work.catalogue.table(table_of(dimension))
    return table.rows if table is not None else 0


def arrange_numbers(work: Work) -> None:
    """Two columns "in relation" go on the axes in the order of their table, however worded.

    The words do not say which goes where, so that the same pair always gives the same chart;
    "versus" and named axes do say it.
    """
    draft = work.draft
    said = {token.lower for token in work.scene.tokens} & _OPPOSING
    if work.wishes.chart.chart is not ChartType.SCATTER or work.wishes.axes or said:
        return
    fields = [m.expression for m in draft.measures if isinstance(m.expression, Field)]
    table = work.catalogue.table(fields[0].table) if fields else None
    if table is None or len(fields) != len(draft.measures) or work.wishes.calculation is not None:
        return
    places = {column.name: place for place, column in enumerate(table.columns)}
    if all(field.table == table.name for field in fields):
        draft.measures.sort(
            key=lambda m: places[m.expression.column] if isinstance(m.expression, Field) else 0
        )


def _axis_column(work: Work, axis: str) -> Field | None:
    scene = work.scene
    for name, _, end in work.wishes.axes:
        if name != axis:
            continue
        after = [m for m in scene.mentions if scene.tokens[m.first].start >= end]
        near = after and scene.tokens[after[0].first].start - end < _AXIS_REACH
        if near and after[0].chosen.kind == "table" and len(after) > 1:
            after = after[1:]
        if near and after[0].chosen.column:
            return field_of(after[0])
    return None


def _one_point_each(work: Work) -> bool:
    """Whether the things are the rows themselves, so that each would have a colour of its own."""
    first, table = work.draft.dimensions[0], work.catalogue.table(work.draft.base)
    field = first.identity or (first.expression if isinstance(first.expression, Field) else None)
    if table is None or field is None or field.table != table.name:
        return False
    own = first.identity is not None or unique(table, field.column)
    return work.wishes.chart.chart is ChartType.SCATTER and own and not work.draft.aggregated


def series_index(work: Work) -> int | None:
    """Which dimension tells the series apart, if any."""
    draft = work.draft
    if work.parts.top is not None and work.parts.top.per_group:
        return 1
    if len(draft.measures) >= 2 and draft.dimensions:
        said = any(token.lower in _SERIES_WORDS for token in work.scene.tokens)
        if not said and draft.series is None and _one_point_each(work):
            return None
        if against_each_other(work):
            return 0
        drawn = draft.aggregated or work.wishes.chart.chart is ChartType.SCATTER
        return 0 if (said or draft.series is not None) and drawn else None
    return 1 if len(draft.dimensions) >= 2 and draft.measures else None
