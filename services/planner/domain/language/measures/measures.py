"""Which numbers are wanted, and from which table they are computed."""

from __future__ import annotations

from services.planner.domain.catalogue import Column, DataType
from services.planner.domain.language.conditions.compared import Compared
from services.planner.domain.language.conditions.conditions import Conditions
from services.planner.domain.language.linking.mention import Mention, averaged
from services.planner.domain.language.measures.ratios import average_count, numbers_per_thing
from services.planner.domain.language.measures.revenues import revenue, revenue_measure
from services.planner.domain.language.measures.text_numbers import (
    counted_instead,
    is_name_alone,
    is_plain_text,
)
from services.planner.domain.language.normalising.cues import ADJECTIVES
from services.planner.domain.language.resolving.counted_things import THINGS
from services.planner.domain.language.resolving.things import rows_said
from services.planner.domain.language.work import Work, different, field_of, formula_table
from services.planner.domain.lexicon.normalise import name_words, readable, stem
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.columns import is_measure, numeric
from services.planner.domain.query.intent import (
    Against,
    Aggregate,
    ChartType,
    Condition,
    Dimension,
    Field,
    Grain,
    Having,
    Measure,
)
from services.planner.domain.query.labels import count_of_rows, measure_label

_ENDS = (Aggregate.MAXIMUM, Aggregate.MINIMUM)
_MANY_ROWS = 3
_NAMING = frozenset(["name", "id"])
_MANY_SERIES = (ChartType.STACKED_BAR, ChartType.GROUPED_BAR, ChartType.MULTI_LINE)


def find_base(work: Work, conditions: Conditions) -> str:
    """The table whose rows are counted, summed or listed; empty when none is spoken of."""
    parts = work.parts
    if parts.averaged is not None or (work.compared and not _speaks_of_numbers(work)):
        formula = (parts.averaged.worth if parts.averaged is not None else None) or revenue(work)
        if formula is not None:
            return formula_table(formula)
    if parts.average_count is not None and parts.average_count.counted is not None:
        return work.mention(parts.average_count.counted).chosen.table
    for index, _ in parts.aggregates:
        if work.mention(index).chosen.kind == "column":
            return work.mention(index).chosen.table
    if parts.aggregates:
        formula = revenue(work)
        if formula is not None:
            return formula_table(formula)
    for count in parts.counts:
        if count.mention is not None:
            return work.mention(count.mention).chosen.table
    for compared in conditions.grouped:
        if compared.mention is not None and not parts.targets:
            money = work.mention(compared.mention).chosen.kind == "revenue"
            formula = revenue(work) if money else None
            return formula_table(formula) if formula is not None else _table_of(work, compared)
    for index in parts.targets:
        column = work.scene.column(work.mention(index))
        if column is not None and numeric(column.data_type):
            return work.mention(index).chosen.table
    spoken = [work.mention(i).chosen.table for i in (*parts.tables, *parts.targets, *parts.groups)]
    spoken += [f.field.table for f in work.draft.filters if isinstance(f, Condition | Against)]
    return next((table for table in spoken if table), "")


def _table_of(work: Work, compared: Compared) -> str:
    return work.mention(compared.mention).chosen.table if compared.mention is not None else ""


def _speaks_of_numbers(work: Work) -> bool:
    """Whether a number, or a thing that can be counted, is named."""
    parts = work.parts
    return bool(parts.aggregates or parts.counts or parts.tables or parts.targets)


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
            table = mention.chosen.table if mention else work.draft.base
            work.draft.add_measure(count_of_rows(table, rows_said(work.scene.mentions, table)))
        else:
            _count_of_column(work, mention, distinct[position])
    if work.parts.average_count is not None:
        work.draft.add_measure(average_count(work, work.parts.average_count))
    elif work.parts.averaged is not None:
        for measure in numbers_per_thing(work, work.parts.averaged):
            work.draft.add_measure(measure)
    elif not work.draft.measures and not work.parts.targets:
        _add_implied(work)


def _add_implied(work: Work) -> None:
    """What is compared, or ranked within groups, goes by money where nothing else is named."""
    top = work.parts.top
    ranked = top is not None and top.per_group and top.word not in ADJECTIVES
    if not work.compared and not ranked:
        return
    implied = None if work.parts.tables else revenue_measure(work, Aggregate.SUM)
    if implied is not None and (work.graph.tree(implied.table, [work.draft.base]).missing):
        implied = None
    if implied is not None:
        work.draft.base = implied.table
        work.draft.notes.append(f"goes by {implied.label}, as no other number was named")
    work.draft.add_measure(implied or count_of_rows(work.draft.base))


def aggregated(work: Work, mention: Mention, aggregate: Aggregate) -> Measure | None:
    """One mention under one aggregate."""
    additive = aggregate is Aggregate.SUM
    if mention.chosen.kind == "revenue":
        return revenue_measure(work, aggregate)
    target = field_of(mention)
    column = work.scene.column(mention)
    if column is not None and is_plain_text(column, aggregate):
        said = "sum" in work.scene.words(mention.first - 3, mention.first)
        return counted_instead(work, target, column, summed=said or not additive)
    if column is not None and aggregate in _ENDS and is_name_alone(work, target, column):
        most = "highest" if aggregate is Aggregate.MAXIMUM else "lowest"
        work.draft.problem = (
            f'"{most}" of which number? {column.name} in {target.table} is text'
            + (f", such as {column.samples[0]}." if column.samples else ".")
        )
        return None
    return Measure(
        aggregate=aggregate,
        table=target.table,
        expression=target,
        label=measure_label(aggregate, target.column),
        additive=additive,
    )


def _count_of_column(work: Work, mention: Mention, distinct: bool) -> None:
    """ "Number of countries": of different ones, or of rows for each of them."""
    target, column = field_of(mention), work.scene.column(mention)
    if column is not None and _adds_up(work, target, column) and not _refers(mention):
        work.draft.add_measure(aggregated(work, mention, Aggregate.SUM))
        return
    others = [*work.parts.groups, *work.parts.series, *work.parts.targets]
    same = any(work.mention(i).chosen.column == target.column for i in others)
    distinct = distinct or mention.chosen.reason == THINGS or _on_many_rows(work, mention, column)
    if _wants_one_number(work, others) or (distinct and others and not same):
        work.draft.add_measure(different(target))
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
    return amount and not refers and not averaged(column)


def _refers(mention: Mention) -> bool:
    """Whether "scientists" are asked for and each row names one "scientist": rows are counted."""
    said, named = mention.phrase.lower(), readable(mention.chosen.column)
    plural = said.endswith("s") and not said.endswith("ss")
    return plural and not named.endswith("s") and stem(said) == stem(named)


def _on_many_rows(work: Work, mention: Mention, column: Column | None) -> bool:
    """Whether "countries" are counted where each country is on many rows: each counts once."""
    table = work.catalogue.table(mention.chosen.table)
    if column is None or table is None or column.data_type is not DataType.STRING:
        return False
    words = set(name_words(column.name))
    of_names = bool(words & _NAMING) and words - _NAMING == set(mention.stems)
    return (_refers(mention) or of_names) and 1 < column.distinct * _MANY_ROWS <= table.rows


def _wants_one_number(work: Work, others: list[int]) -> bool:
    asked = work.scene.words(0, 2) == ["how", "many"] and not work.wishes.chart.wanted
    return asked and not others and work.wishes.order is None


def column_dimension(work: Work, target: Field) -> Dimension:
    """A column to split by; moments are split by day."""
    label = worded(target.column)
    several = len(work.catalogue.tables) > 1
    if several and label in ("name", "id", "title", "description", "code"):
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
            made = aggregated(work, mention, Aggregate(compared.aggregate or "sum"))
            if made is None:
                continue
            measure = made
        work.draft.having.append(
            Having(measure=measure, operator=compared.operator, values=compared.numbers)
        )
        if not work.draft.aggregated:
            work.draft.measures = [measure]
