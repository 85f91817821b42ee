"""What the numbers are split by, and in which order: the x axis first, then the series."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, ColumnRole, DataType
from services.planner.domain.language.conditions import is_comparison
from services.planner.domain.language.dates import main_date, time_axis
from services.planner.domain.language.entities import entity_dimension, naming, singular
from services.planner.domain.language.intent import (
    Aggregate,
    ChartType,
    Dimension,
    Field,
    Grain,
    Measure,
)
from services.planner.domain.language.joins import unique
from services.planner.domain.language.measures import column_dimension
from services.planner.domain.language.mention import Mention, holds_numbers
from services.planner.domain.language.normalise import name_words, readable
from services.planner.domain.language.roles import is_text
from services.planner.domain.language.vocabulary import RATE_WORDS
from services.planner.domain.language.work import Work, field_of, measure_label, table_of

_SERIES_WORDS = frozenset("color colour group grouping groups categorized".split())
_AXIS_REACH = 25


def add_dimensions(work: Work) -> None:
    """Groups first, then what was named beside the numbers, then the series."""
    draft, parts = work.draft, work.parts
    for index in parts.groups:
        made = dimension_of(work, work.mention(index))
        if parts.top is not None and parts.top.per_group:
            draft.dimensions += [made] if made is not None else []
        else:
            add_dimension(work, made)
    for target in work.split:
        add_dimension(work, _split_by(work, target))
    if _compares_years(work) and not any(d.grain for d in draft.dimensions):
        add_dimension(work, _time_dimension(work, Grain.YEAR))
    if _only_over_time(work):
        add_time(work)
    if draft.measures:
        for index in parts.targets:
            add_dimension(work, dimension_of(work, work.mention(index)))
    else:
        _add_rows(work)
    for index in parts.series:
        made = dimension_of(work, work.mention(index))
        if made is not None:
            add_dimension(work, made)
            draft.series = next((d for d in draft.dimensions if _alike(d, made)), None)
    _drop_counted_entity(work)
    draft.context += [work.mention(index).chosen.table for index in parts.tables]


def _split_by(work: Work, target: Field) -> Dimension:
    """A column of which values were named; called like the thing where it is the thing's name."""
    made = column_dimension(work, target)
    table = work.catalogue.table(target.table)
    several = len(work.catalogue.tables) > 1
    if several and table is not None and naming(table) == target and table.name != work.draft.base:
        return made.model_copy(update={"label": singular(table.name)})
    return made


def _compares_years(work: Work) -> bool:
    """ "Compare revenue in 1996 and 1997": the years are told apart."""
    return is_comparison(work.scene) and any(len(span.years) > 1 for span in work.wishes.spans)


def _only_over_time(work: Work) -> bool:
    """ "Temperature over time", "the trend of orders": nothing else to split by is named."""
    texts = [i for i in work.parts.targets if is_text(work.scene, work.mention(i))]
    wish = work.wishes.chart
    return wish.chart is ChartType.LINE and not (work.draft.dimensions or texts)


def add_time(work: Work, wanted: Grain | None = None) -> None:
    """Splits by time, by the unit that is wanted or that suits the dates."""
    found = time_axis(work.catalogue, work.graph, work.draft.base)
    if found is None:
        return
    target, grain = found
    grain = wanted if grain is not None and wanted is not None else grain
    label = grain.value if grain is not None else readable(target.column)
    work.over_time = True
    work.draft.dimensions.append(Dimension(expression=target, label=label, grain=grain))


def _alike(one: Dimension, other: Dimension) -> bool:
    return one.expression == other.expression and one.grain == other.grain


def add_dimension(work: Work, dimension: Dimension | None) -> None:
    """Adds it, or lets a column of a thing take the place of the thing ("its name", "its id")."""
    dimensions = work.draft.dimensions
    if dimension is None or any(_alike(other, dimension) for other in dimensions):
        return
    for position, other in enumerate(dimensions):
        if _says_more(work, dimension, other):
            dimensions[position] = _in_place_of(dimension, other)
            return
        if _says_more(work, other, dimension) or _refers_to(work, other, dimension):
            return
        if _refers_to(work, dimension, other):
            dimensions[position] = dimension
            return
    dimensions.append(dimension)


def _says_more(work: Work, column: Dimension, thing: Dimension) -> bool:
    """Whether `column` is a plain column of, or a reference to, the thing."""
    if column.identity is not None:
        return False
    if thing.identity is None:
        return _is_code_of(work, thing, table_of(column))
    expression = column.expression
    refers = isinstance(expression, Field) and work.graph.parent_of(expression) == thing.identity
    return refers or table_of(column) == thing.identity.table


def _refers_to(work: Work, one: Dimension, other: Dimension) -> bool:
    """Whether one column refers to the other, so that both always hold the same."""
    plain = isinstance(one.expression, Field) and one.grain is None and other.identity is None
    return (
        plain
        and isinstance(one.expression, Field)
        and work.graph.parent_of(one.expression) == other.expression
    )


def _is_code_of(work: Work, thing: Dimension, table: str) -> bool:
    """Whether a thing stands there by its code, though nobody spoke of a code."""
    if not isinstance(thing.expression, Field) or "code" in work.stems():
        return False
    parent = work.graph.parent_of(thing.expression)
    words = name_words(thing.expression.column)
    return parent is not None and parent.table == table and words[-1:] == ("code",)


def _in_place_of(column: Dimension, thing: Dimension) -> Dimension:
    if thing.identity is None or table_of(column) != thing.identity.table:
        return column
    if column.expression == thing.identity:
        return column
    return column.model_copy(update={"identity": thing.identity})


def _drop_counted_entity(work: Work) -> None:
    """Counting students "for each student" says nothing once there is another grouping."""
    draft = work.draft
    counts = any(m.aggregate is Aggregate.COUNT and m.table == draft.base for m in draft.measures)
    others = [d for d in draft.dimensions if d.identity is None or d.identity.table != draft.base]
    if counts and others:
        draft.dimensions = others
    if counts:
        draft.dimensions = [_without_identity(d, draft.base) for d in draft.dimensions]


def _without_identity(dimension: Dimension, base: str) -> Dimension:
    """Counted rows are grouped by what they share, not one by one."""
    if dimension.identity is None or dimension.identity.table != base:
        return dimension
    return dimension.model_copy(update={"identity": None})


def dimension_of(work: Work, mention: Mention) -> Dimension | None:
    """The dimension that a mention stands for: a column, a unit of time, or a thing."""
    chosen = mention.chosen
    if chosen.kind == "grain" and chosen.grain is not None:
        return _time_dimension(work, chosen.grain)
    if chosen.kind == "table":
        table = work.catalogue.table(chosen.table)
        shown = _shown_as(work, chosen.table)
        if shown is not None:
            return column_dimension(work, shown)
        key = _numeric_key(work, chosen.table)
        if key is not None:
            return column_dimension(work, key)
        return entity_dimension(table, work.draft.base, work.graph) if table else None
    return column_dimension(work, field_of(mention)) if chosen.kind == "column" else None


def _numeric_key(work: Work, table: str) -> Field | None:
    """The number that stands for a thing where the axis has to be one: in a scatter chart."""
    wish = work.wishes.chart
    relation = work.graph.direct(work.draft.base, table)
    if wish.chart is not ChartType.SCATTER or not wish.certain or relation is None:
        return None
    if relation.fans_out or work.data_type(relation.left) is not DataType.INTEGER:
        return None
    return relation.left


def _time_dimension(work: Work, grain: Grain) -> Dimension | None:
    found = main_date(work.catalogue, work.graph, work.draft.base, work.stems())
    label = grain.value.replace("_", " ")
    return Dimension(expression=found, label=label, grain=grain) if found else None


def _shown_as(work: Work, table: str) -> Field | None:
    """The column named right after the thing elsewhere: "each instructor … instructor's name"."""
    scene = work.scene
    for index, mention in enumerate(scene.mentions[:-1]):
        following = scene.mentions[index + 1]
        named = scene.roles.get(index) == "owner" and mention.chosen.table == table
        if (
            named
            and scene.roles.get(index + 1) in ("group", "target")
            and is_text(scene, following)
        ):
            return field_of(following)
    return None


def _add_rows(work: Work) -> None:
    """Without an aggregate: columns side by side, or a number by a group."""
    numbers: list[tuple[Field, Column]] = []
    names: list[int] = []
    for index in work.parts.targets:
        column = work.scene.column(work.mention(index))
        among = len(work.parts.targets) > 1 or bool(work.parts.groups)
        several = column is not None and holds_numbers(column) and among
        if column is not None and (column.role is ColumnRole.MEASURE or several):
            numbers.append((field_of(work.mention(index)), column))
        else:
            names.append(index)
    if not work.draft.dimensions and not names:
        numbers.sort(key=lambda pair: pair[1].role is not ColumnRole.ID)
    elif not work.draft.dimensions:
        numbers.sort(key=lambda pair: pair[1].role is ColumnRole.ID)
    for index in names:
        add_dimension(work, dimension_of(work, work.mention(index)))
    for target, _ in numbers:
        work.draft.add_measure(_row_measure(work, target))


def _row_measure(work: Work, target: Field) -> Measure:
    """A number as it stands in each row, or summed or averaged where there are many a group."""
    if not work.draft.dimensions or _row_per_group(work):
        label = readable(target.column)
        return Measure(aggregate=None, table=target.table, expression=target, label=label)
    rate = bool(set(name_words(target.column)) & RATE_WORDS)
    aggregate = Aggregate.AVERAGE if rate else Aggregate.SUM
    label = measure_label(aggregate, target.column)
    return Measure(
        aggregate=aggregate, table=target.table, expression=target, label=label, additive=not rate
    )


def _row_per_group(work: Work) -> bool:
    """Whether the rows are wanted one by one: no grouping word, or one row a group anyway."""
    if not work.grouped or against_each_other(work):
        return True
    base = work.draft.base
    for dimension in work.draft.dimensions:
        if dimension.identity is not None and dimension.identity.table == base:
            return True
        expression = dimension.expression
        if isinstance(expression, Field) and expression.table == base:
            table = work.catalogue.table(base)
            if table is not None and unique(table, expression.column):
                return True
    return False


def against_each_other(work: Work) -> bool:
    """ "Price versus stock by category": two numbers of the same rows, one point for each row."""
    scene = work.scene
    for index, mention in enumerate(scene.mentions[:-1]):
        following = scene.mentions[index + 1]
        pair = [scene.column(mention), scene.column(following)]
        plain = all(c is not None and c.role is ColumnRole.MEASURE for c in pair)
        same = mention.chosen.table == following.chosen.table
        targets = index in work.parts.targets and index + 1 in work.parts.targets
        gap = scene.words(mention.last, following.first)
        if plain and same and targets and set(gap) & {"vs", "versus", "against"}:
            return True
    return False


def arrange(work: Work) -> None:
    """Puts the x axis first: the one named so, else time, else the first that is no series."""
    draft = work.draft
    dimensions = draft.dimensions
    best_of_each = work.parts.top is not None and work.parts.top.per_group
    if len(dimensions) < 2 or best_of_each:
        return
    named = _axis_column(work, "x") or draft.counted
    first = next((d for d in dimensions if named is not None and d.expression == named), None)
    if first is None:
        first = next((d for d in dimensions if d.grain is not None), None)
    if first is None and draft.series is not None:
        first = next((d for d in dimensions if d is not draft.series), None)
    if first is not None:
        dimensions.remove(first)
        dimensions.insert(0, first)
    if draft.series is not None and draft.series in dimensions[1:]:
        dimensions.remove(draft.series)
        dimensions.insert(1, draft.series)


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


def series_index(work: Work) -> int | None:
    """Which dimension tells the series apart, if any."""
    draft = work.draft
    if work.parts.top is not None and work.parts.top.per_group:
        return 1
    if len(draft.measures) >= 2 and draft.dimensions:
        said = any(token.lower in _SERIES_WORDS for token in work.scene.tokens)
        if against_each_other(work):
            return 0
        drawn = draft.aggregated or work.wishes.chart.chart is ChartType.SCATTER
        return 0 if (said or draft.series is not None) and drawn else None
    return 1 if len(draft.dimensions) >= 2 and draft.measures else None
