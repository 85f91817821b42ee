"""Which columns a statistical test is about, and over which rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from services.planner.domain.lexicon.normalise import distinct_names, readable
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.intent import (
    ChartType,
    Condition,
    Dimension,
    Field,
    Filter,
    Group,
    Intent,
    Measure,
    Operator,
    Statistic,
)
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.tables import filter_tables
from services.planner.domain.reader.statistics.charts import drawn
from services.planner.domain.reader.statistics.choice import (
    MOST_COLUMNS,
    statistic_of,
    table_in_question,
)
from services.planner.domain.reader.statistics.ground import Ground
from services.planner.domain.reader.statistics.named import (
    columns_of,
    find_entity_names,
    is_of_groups,
    set_subject_apart,
    unknown_partner,
)
from services.planner.domain.reader.statistics.values import listed_numbers
from services.planner.domain.reader.statistics.wish import StatisticWish

_COMPARED = (
    "difference",
    "relation",
    "effect",
    "t_test",
    "anova",
    "kruskal",
    "mann_whitney",
    "levene",
)
_UNGROUPED = ("difference", "relation", "effect", "correlation")
_OF_ALL_NAMED = (
    "correlation",
    "t_test",
    "mann_whitney",
    "anova",
    "kruskal",
    "levene",
    "paired_t",
)
_WORDS_OF_TESTS = frozenset("test group sample level rank value mean".split())
_FEW = 5


def tested(
    wish: StatisticWish, ground: Ground, graph: JoinGraph
) -> tuple[Intent, tuple[str, ...]] | str | None:
    """The rows to be tested, the test, and what was taken for granted; or why it cannot be had.

    None where the question is about numbers of groups, or names too little for a test it implies.
    """
    if wish.test in _UNGROUPED and is_of_groups(wish, ground):
        return None
    if wish.implied:
        set_subject_apart(ground)
    listed = listed_numbers(ground) if wish.test in _COMPARED else []
    filters, apart = [*ground.filters, *listed], list[Field]()
    if wish.test in _COMPARED:
        filters, apart = _set_against_each_other(filters)
    split = [(target, ground.catalogue.table(target.table)) for target in apart]
    columns = [(f, t.column(f.column)) for f, t in split if t is not None]
    columns = [*columns_of(ground), *((f, c) for f, c in columns if c is not None)]
    fields = {f: c for f, c in columns if c is not None}
    if wish.test in (*_COMPARED, "outliers"):
        fields |= find_entity_names(fields, ground, of_rows=wish.test == "outliers")
    either = {c.field: len(c.values) for c in map(_either, filters) if c is not None}
    statistic = statistic_of(wish, fields, ground, either)
    if statistic is None or isinstance(statistic, str):
        return statistic or unknown_partner(wish, fields, ground)
    unused = _unused(statistic, fields, either)
    if unused:
        return unused
    if wish.test == "missing" and not statistic.columns:
        return _missing_everywhere(ground, filters)
    return _intent(statistic, ground, graph, filters, _only_numbers(statistic, ground))


def _unused(statistic: Statistic, fields: Collection[Field], either: Collection[Field]) -> str:
    """Why there is no test: a column is named of which it would take no notice."""
    if statistic.test not in _OF_ALL_NAMED:
        return ""
    used = {*statistic.columns, *statistic.predictors, statistic.by, statistic.label, *either}
    left = [f.column for f in fields if f not in used and f.column.lower() not in _WORDS_OF_TESTS]
    if not left:
        return ""
    return (
        f"What {' and '.join(left)} has to do with this test could not be told; say it otherwise."
    )


def _only_numbers(statistic: Statistic, ground: Ground) -> list[str]:
    """That texts are left out, where all columns of a table are compared with one."""
    table = ground.catalogue.table(statistic.columns[0].table) if statistic.columns else None
    if table is None or statistic.test != "correlation" or not statistic.predictors:
        return []
    taken = {f.column for f in (*statistic.columns, *statistic.predictors)}
    texts = [c.name for c in table.columns if c.name not in taken and c.distinct > 1]
    if not texts:
        return []
    return [f"only columns of numbers are compared, not {', '.join(texts[:_FEW])}"]


def _intent(
    statistic: Statistic,
    ground: Ground,
    graph: JoinGraph,
    filters: Sequence[Filter],
    notes: Sequence[str],
) -> tuple[Intent, tuple[str, ...]] | str:
    beside = [f for f in (statistic.by, statistic.label) if f is not None]
    used = [*statistic.columns, *beside, *statistic.predictors]
    used = list(dict.fromkeys(used))
    base = used[0].table
    tree = graph.tree(base, {f.table for f in used})
    if tree.missing:
        return f"Nothing relates {readable(base)} to {', '.join(sorted(tree.missing))}."
    narrowed = set(filter_tables(filters))
    tree = graph.tree(base, {f.table for f in used} | narrowed)
    if tree.missing:
        return f"Nothing relates {readable(base)} to {', '.join(sorted(tree.missing))}."
    chart, measured = drawn(statistic, ground.catalogue)
    rest = [f for f in used if f not in measured]
    labels = distinct_names([worded(f.column) for f in (*rest, *measured)])
    intent = Intent(
        base=base,
        dimensions=tuple(
            Dimension(expression=f, label=label)
            for f, label in zip(rest, labels[: len(rest)], strict=True)
        ),
        measures=tuple(
            Measure(aggregate=None, table=f.table, expression=f, label=label)
            for f, label in zip(measured, labels[len(rest) :], strict=True)
        ),
        filters=tuple(filters),
        joins=tree.relations,
        statistic=statistic,
        chart=chart,
        series=0 if chart is ChartType.SCATTER and rest else None,
    )
    repeated = (
        [f"rows of {readable(base)} count once for each row that refers to them"]
        if tree.fans_out
        else []
    )
    return intent, (*notes, *repeated)


def _set_against_each_other(filters: Sequence[Filter]) -> tuple[list[Filter], list[Field]]:
    """ "Between Africa and Europe" keeps the rows of either, and tells them apart."""
    kept: list[Filter] = []
    split: list[Field] = []
    for wanted in filters:
        either = _either(wanted)
        kept.append(wanted if either is None else either)
        split += [either.field] if either is not None else []
    return kept, split


def _either(wanted: Filter) -> Condition | None:
    """One condition for several values of one column; None for any other filter."""
    members = wanted.members if isinstance(wanted, Group) else (wanted,)
    conditions = [member for member in members if isinstance(member, Condition)]
    equal = all(c.operator in (Operator.EQUAL, Operator.IN) for c in conditions)
    values = tuple(dict.fromkeys(value for c in conditions for value in c.values))
    alike = len(conditions) == len(members) and len({c.field for c in conditions}) == 1
    if not (alike and equal and len(values) > 1):
        return None
    return Condition(field=conditions[0].field, operator=Operator.IN, values=values)


def _missing_everywhere(
    ground: Ground, filters: Sequence[Filter]
) -> tuple[Intent, tuple[str, ...]] | str:
    table = table_in_question(ground)
    if table is None:
        return "There is no table whose missing values could be counted."
    fields = tuple(Field(table=table.name, column=c.name) for c in table.columns[:MOST_COLUMNS])
    intent = Intent(
        base=table.name,
        dimensions=tuple(Dimension(expression=f, label=worded(f.column)) for f in fields),
        filters=tuple(filters),
        statistic=Statistic(test="missing", columns=fields),
    )
    return intent, ()
