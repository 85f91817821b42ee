"""What the numbers are split by, and in which order: the x axis first, then the series."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table
from services.planner.domain.language.dimensions.merging import add_dimension, alike
from services.planner.domain.language.dimensions.time_groups import (
    dates_of_units,
    split_by_time,
    time_dimension,
)
from services.planner.domain.language.linking.mention import Mention, averaged
from services.planner.domain.language.measures.measures import column_dimension
from services.planner.domain.language.parsing.roles import is_text
from services.planner.domain.language.work import Work, field_of
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.columns import holds_numbers, numeric
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Dimension,
    Field,
    Measure,
)
from services.planner.domain.query.joining.entities import entity_dimension, naming, singular
from services.planner.domain.query.joining.joins import unique
from services.planner.domain.query.labels import measure_label

_TOLD_APART = frozenset(
    "color colour colored coloured label labeled labelled name names named group grouped".split()
)


def add_dimensions(work: Work) -> None:
    """Groups first, then what was named beside the numbers, then the series."""
    draft, parts = work.draft, work.parts
    dated = dates_of_units(work)
    for index in parts.groups:
        made = dimension_of(work, work.mention(index))
        if made is not None and index in dated:
            made = made.model_copy(update={"expression": dated[index]})
        if parts.top is not None and parts.top.per_group:
            draft.dimensions += [made] if made is not None else []
        else:
            add_dimension(work, made)
    for target in work.split:
        add_dimension(work, _split_by(work, target))
    split_by_time(work)
    if draft.measures:
        for index in parts.targets:
            add_dimension(work, dimension_of(work, work.mention(index)))
    else:
        _add_rows(work)
    for index in parts.series:
        made = dimension_of(work, work.mention(index))
        if made is not None:
            add_dimension(work, made)
            draft.series = next((d for d in draft.dimensions if alike(d, made)), None)
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


def _drop_counted_entity(work: Work) -> None:
    """Counting students "for each student" says nothing once there is another grouping.

    Nor does "the attendance of each game by date".
    """
    draft = work.draft
    counts = any(m.aggregate is Aggregate.COUNT and m.table == draft.base for m in draft.measures)
    others = [d for d in draft.dimensions if d.identity is None or d.identity.table != draft.base]
    ranked = work.parts.top is not None
    timed = any(d.grain is not None for d in others) and not ranked
    if others and (counts or timed):
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
        return time_dimension(work, chosen.grain)
    if chosen.kind == "table":
        table = work.catalogue.table(chosen.table)
        shown = _shown_as(work, chosen.table)
        if shown is not None:
            return column_dimension(work, shown)
        key = _numeric_key(work, chosen.table)
        if key is not None:
            return column_dimension(work, key)
        return _thing(work, table) if table else None
    return column_dimension(work, field_of(mention)) if chosen.kind == "column" else None


def _thing(work: Work, table: Table) -> Dimension | None:
    """The things of a table by name; a professor without a name of his own has an employee's."""
    if naming(table) is None:
        for kind in work.catalogue.tables:
            if work.graph.is_a(table.name, kind.name) and naming(kind) is not None:
                made = entity_dimension(kind, work.draft.base, work.graph)
                label = singular(table.name)
                return made.model_copy(update={"label": label}) if made is not None else None
    return entity_dimension(table, work.draft.base, work.graph)


def _numeric_key(work: Work, table: str) -> Field | None:
    """The number that stands for a thing where the axis has to be one: in a scatter chart."""
    wish = work.wishes.chart
    relation = work.graph.direct(work.draft.base, table)
    if wish.chart is not ChartType.SCATTER or not wish.certain or relation is None:
        return None
    if against_each_other(work):  # both axes have their numbers: the thing is told by its colour
        return None
    if relation.fans_out or work.data_type(relation.left) is not DataType.INTEGER:
        return None
    return relation.left


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
    if len(numbers) > 1 and work.wishes.chart.chart is ChartType.SCATTER and not _coloured(work):
        base = work.draft.base  # each point is one of the things already
        work.draft.dimensions = [d for d in work.draft.dimensions if not _is_each(work, d, base)]
    for target, _ in numbers:
        work.draft.add_measure(_row_measure(work, target))


def _coloured(work: Work) -> bool:
    return bool(_TOLD_APART & {token.lower for token in work.scene.tokens})


def _is_each(work: Work, dimension: Dimension, base: str) -> bool:
    """Whether a dimension tells the things of the base apart, one by one."""
    told, table = dimension.expression, work.catalogue.table(base)
    named = any(work.mention(i).chosen.column for i in work.parts.groups)
    key = isinstance(told, Field) and told.table == base and table is not None
    key = key and isinstance(told, Field) and table is not None and unique(table, told.column)
    return (dimension.identity is not None and dimension.identity.table == base) or (
        key and not named
    )


def _row_measure(work: Work, target: Field) -> Measure:
    """A number as it stands in each row, or summed or averaged where there are many a group."""
    column = work.column(target)
    key = column is not None and column.role is ColumnRole.ID  # a sum of keys says nothing
    alone = not work.draft.dimensions or key or _row_per_group(work)
    if alone and (column is None or not column.formula):  # a metric is a number of all rows
        label = worded(target.column)
        return Measure(aggregate=None, table=target.table, expression=target, label=label)
    rate = column is not None and averaged(column)
    aggregate = Aggregate.AVERAGE if rate else Aggregate.SUM
    label = measure_label(aggregate, target.column)
    return Measure(
        aggregate=aggregate, table=target.table, expression=target, label=label, additive=not rate
    )


def _row_per_group(work: Work) -> bool:
    """Whether the rows are wanted one by one: no grouping word, or one row a group anyway."""
    spread = work.wishes.chart.chart is ChartType.BOX
    if not work.grouped or against_each_other(work) or spread:
        return True
    base = work.draft.base
    for dimension in work.draft.dimensions:
        if dimension.identity is not None and dimension.identity.table == base:
            return True
        expression = dimension.expression
        whole = dimension.grain is None and not dimension.periods  # a month has many dates
        if whole and isinstance(expression, Field) and expression.table == base:
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
        gap = [word for word in scene.words(mention.last, following.first) if word != "the"]
        if plain and same and targets and set(gap) & {"vs", "versus", "against"}:
            return True
        drawn = work.wishes.chart.chart is ChartType.SCATTER
        numbers = all(c is not None and numeric(c.data_type) for c in pair)
        if drawn and numbers and same and targets and gap in (["and"], [","], [",", "and"]):
            return True
    return False
