"""Which numbers are wanted, and from which table they are computed."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.language.comparisons import Compared
from services.planner.domain.language.conditions import Conditions
from services.planner.domain.language.dates import main_date
from services.planner.domain.language.entities import revenue_formulas
from services.planner.domain.language.intent import (
    Aggregate,
    ChartType,
    Condition,
    Dimension,
    Field,
    Grain,
    Having,
    Measure,
    Product,
)
from services.planner.domain.language.mention import Mention, is_measure, numeric
from services.planner.domain.language.normalise import name_words, readable
from services.planner.domain.language.vocabulary import RATE_WORDS
from services.planner.domain.language.work import (
    Work,
    count_of_rows,
    field_of,
    measure_label,
)

_MANY_SERIES = (ChartType.STACKED_BAR, ChartType.GROUPED_BAR, ChartType.MULTI_LINE)


def find_base(work: Work, conditions: Conditions) -> str:
    """The table whose rows are counted, summed or listed; empty when none is spoken of."""
    parts = work.parts
    for index, _ in parts.aggregates:
        if work.mention(index).chosen.kind == "column":
            return work.mention(index).chosen.table
    if parts.aggregates:
        formula = revenue(work)
        if formula is not None:
            return formula.table if isinstance(formula, Field) else formula.factors[0].table
    for count in parts.counts:
        if count.mention is not None:
            return work.mention(count.mention).chosen.table
    for compared in conditions.grouped:
        if compared.mention is not None and not parts.targets:
            return work.mention(compared.mention).chosen.table
    for index in parts.targets:
        column = work.scene.column(work.mention(index))
        if column is not None and numeric(column.data_type):
            return work.mention(index).chosen.table
    for index in [*parts.tables, *parts.targets, *parts.groups]:
        if work.mention(index).chosen.table:
            return work.mention(index).chosen.table
    return next((f.field.table for f in work.draft.filters if isinstance(f, Condition)), "")


def revenue(work: Work) -> Field | Product | None:
    """The formula that reaches all that is asked for with the fewest joins and no fan-out."""
    parts = work.parts
    used = [*parts.groups, *parts.series, *parts.targets, *parts.tables]
    wanted = {work.mention(i).chosen.table for i in used}
    wanted |= {f.field.table for f in work.draft.filters if isinstance(f, Condition)}
    wanted.discard("")
    ranked: list[tuple[float, int, Field | Product]] = []
    for position, formula in enumerate(revenue_formulas(work.catalogue)):
        table = formula.table if isinstance(formula, Field) else formula.factors[0].table
        tree = work.graph.tree(table, wanted)
        dated = main_date(work.catalogue, work.graph, table, ()) is not None
        cost = tree.cost + 3 * tree.fans_out + 10 * len(tree.missing)
        cost += 8 * (bool(work.wishes.spans) and not dated)
        if isinstance(formula, Product):
            cost -= 1.5 * bool(formula.discounts)
        else:
            cost -= 0.5
        ranked.append((cost, position, formula))
    return min(ranked)[2] if ranked else None


def add_measures(work: Work) -> None:
    """The numbers with a word of aggregation, and the counts, in the order they are said."""
    steps: list[tuple[int, int | None, Aggregate | None]] = [
        (work.mention(index).first, index, aggregate) for index, aggregate in work.parts.aggregates
    ]
    steps += [(count.position, count.mention, None) for count in work.parts.counts]
    distinct = {count.position: count.distinct for count in work.parts.counts}
    for position, index, aggregate in sorted(steps, key=lambda step: step[0]):
        mention = work.mention(index) if index is not None else None
        if aggregate is not None and mention is not None:
            work.draft.add_measure(aggregated(work, mention, aggregate))
        elif mention is None or mention.chosen.kind == "table":
            work.draft.add_measure(
                count_of_rows(mention.chosen.table if mention else work.draft.base)
            )
        else:
            _count_of_column(work, mention, distinct[position])


def aggregated(work: Work, mention: Mention, aggregate: Aggregate) -> Measure | None:
    """One mention under one aggregate."""
    additive = aggregate is Aggregate.SUM
    if mention.chosen.kind == "revenue":
        formula = revenue(work)
        if formula is None:
            return None
        if isinstance(formula, Product):
            label = "revenue" if additive else measure_label(aggregate, "revenue")
            table = formula.factors[0].table
        else:
            label, table = measure_label(aggregate, formula.column), formula.table
        return Measure(
            aggregate=aggregate, table=table, expression=formula, label=label, additive=additive
        )
    target = field_of(mention)
    column = work.scene.column(mention)
    if column is not None and not numeric(column.data_type) and additive:
        return _total_of_text(work, column, target)
    return Measure(
        aggregate=aggregate,
        table=target.table,
        expression=target,
        label=measure_label(aggregate, target.column),
        additive=additive,
    )


def _total_of_text(work: Work, column: Column, target: Field) -> Measure:
    """A "total" of text can only be a count, unless the text holds numbers."""
    if column.samples and all(_is_number(sample) for sample in column.samples):
        label = measure_label(Aggregate.SUM, target.column)
        return Measure(aggregate=Aggregate.SUM, table=target.table, expression=target, label=label)
    work.draft.rows_counted = True
    return count_of_rows(target.table)


def _count_of_column(work: Work, mention: Mention, distinct: bool) -> None:
    """ "Number of countries": of different ones, or of rows for each of them."""
    target, column = field_of(mention), work.scene.column(mention)
    if column is not None and _adds_up(work, target, column):
        work.draft.add_measure(aggregated(work, mention, Aggregate.SUM))
        return
    others = [*work.parts.groups, *work.parts.series, *work.parts.targets]
    same = any(work.mention(i).chosen.column == target.column for i in others)
    if _wants_one_number(work, others) or (distinct and others and not same):
        label = f"number of different {readable(target.column)}"
        work.draft.add_measure(
            Measure(
                aggregate=Aggregate.COUNT_DISTINCT,
                table=target.table,
                expression=target,
                label=label,
                additive=False,
            )
        )
        return
    many_series = work.wishes.chart.chart in _MANY_SERIES and len(others) == 1
    if not others or (not same and many_series):
        work.draft.dimensions.append(column_dimension(work, target))
    work.draft.counted = target
    work.draft.add_measure(count_of_rows(target.table))


def _adds_up(work: Work, target: Field, column: Column) -> bool:
    """Whether "number of hours" means their sum: quantities do, keys and rates do not."""
    amount = is_measure(column.role, column.data_type)
    refers = work.graph.parent_of(target) is not None
    return amount and not refers and not set(name_words(column.name)) & RATE_WORDS


def _wants_one_number(work: Work, others: list[int]) -> bool:
    asked = work.scene.words(0, 2) == ["how", "many"] and not work.wishes.chart.wanted
    return asked and not others and work.wishes.order is None


def column_dimension(work: Work, target: Field) -> Dimension:
    """A column to split by; moments are split by day."""
    label = readable(target.column)
    if label in ("name", "id", "title", "description", "code"):
        label = f"{readable(target.table)} {label}"
    grain = Grain.DAY if work.data_type(target) is DataType.DATETIME else None
    return Dimension(expression=target, label=label, grain=grain)


def add_having(work: Work, grouped: list[Compared]) -> None:
    """Comparisons of counts and averages become conditions on groups, and are shown."""
    for compared in grouped:
        if compared.mention is None:
            continue
        mention = work.mention(compared.mention)
        if mention.chosen.kind == "table" or compared.aggregate == "count":
            measure = count_of_rows(mention.chosen.table)
        else:
            made = aggregated(work, mention, Aggregate(compared.aggregate))
            if made is None:
                continue
            measure = made
        work.draft.having.append(
            Having(measure=measure, operator=compared.operator, values=compared.numbers)
        )
        if not work.draft.aggregated:
            work.draft.measures = [measure]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
