"""Which columns a statistical test is about, and over which rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.planner.domain.catalogue import Column, ColumnRole
from services.planner.domain.language.conditions import find_conditions
from services.planner.domain.language.dates import time_conditions
from services.planner.domain.language.intent import (
    Condition,
    Dimension,
    Field,
    Filter,
    Group,
    Intent,
    Operator,
    Statistic,
)
from services.planner.domain.language.joins import JoinGraph
from services.planner.domain.language.mention import holds_numbers, numeric
from services.planner.domain.language.normalise import name_words, readable
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.sql import distinct_names
from services.planner.domain.language.statistics_wish import StatisticWish
from services.planner.domain.language.times import TimeSpan

_PAIRED = ("correlation", "paired_t")
_COMPARED = ("difference", "t_test", "anova", "kruskal", "mann_whitney")
_MODELS = ("linear_regression", "logistic_regression")
_MOST_COLUMNS = 50
_MOST_PREDICTORS = 20
_FEW_GROUPS = 20
_EACH = frozenset("by per each every across within".split())
_IDENTIFYING = frozenset("id key number code".split())


def tested(
    wish: StatisticWish, scene: Scene, graph: JoinGraph, spans: Sequence[TimeSpan] = ()
) -> tuple[Intent, tuple[str, ...]] | str:
    """The rows to be tested, the test, and what was taken for granted; or why it cannot be had."""
    conditions = find_conditions(scene)
    filters = conditions.filters
    if wish.test in _COMPARED and not conditions.split:
        filters, conditions.split = _set_against_each_other(filters)
    split = [(target, scene.catalogue.table(target.table)) for target in conditions.split]
    columns = [(f, t.column(f.column)) for f, t in split if t is not None]
    columns = [*_columns(scene), *((f, c) for f, c in columns if c is not None)]
    fields = {f: c for f, c in columns if c is not None}
    either = {c.field: len(c.values) for c in map(_either, filters) if c is not None}
    statistic = _statistic(wish, fields, scene, either)
    if not isinstance(statistic, str) and wish.confidence is not None:
        statistic = statistic.model_copy(update={"confidence": wish.confidence})
    if isinstance(statistic, str):
        return statistic
    used = [*statistic.columns, *([statistic.by] if statistic.by else []), *statistic.predictors]
    if wish.test == "missing" and not used:
        return _missing_everywhere(scene, filters)
    base = used[0].table
    tree = graph.tree(base, {f.table for f in used})
    if tree.missing:
        return f"Nothing relates {readable(base)} to {', '.join(sorted(tree.missing))}."
    stems = [token.stem for token in scene.tokens if token.stem]
    times = time_conditions(spans, scene.catalogue, graph, base, stems, None)
    dated = {c.field.table for c in times.filters if isinstance(c, Condition)}
    tree = graph.tree(base, {f.table for f in used} | dated)
    labels = distinct_names([readable(f.column) for f in dict.fromkeys(used)])
    intent = Intent(
        base=base,
        dimensions=tuple(
            Dimension(expression=f, label=label)
            for f, label in zip(dict.fromkeys(used), labels, strict=True)
        ),
        filters=(*filters, *times.filters),
        joins=tree.relations,
        statistic=statistic,
    )
    return intent, tuple(times.notes)


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


def _columns(scene: Scene) -> list[tuple[Field, Column]]:
    """The columns named; keys only where they are named as such, or nothing else is."""
    found: list[tuple[Field, Column]] = []
    keys: list[tuple[Field, Column]] = []
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        if mention.chosen.kind == "column" and column is not None and scene.free(index):
            named = (Field(table=mention.chosen.table, column=mention.chosen.column), column)
            loose = column.role is ColumnRole.ID and not (
                _IDENTIFYING & set(name_words(mention.phrase))
                or set(name_words(mention.phrase)) == set(name_words(column.name))
            )
            (keys if loose else found).append(named)
    return list(dict.fromkeys(found or keys))


def _statistic(
    wish: StatisticWish, fields: dict[Field, Column], scene: Scene, either: Mapping[Field, int]
) -> Statistic | str:
    """The test over the columns named; `either` says of how many values a column is kept."""
    numbers = [f for f, c in fields.items() if holds_numbers(c)]
    test = wish.test
    made = Statistic(
        test=test,
        asked=wish.asked,
        method=wish.method,
        threshold=wish.threshold,
        expected=wish.expected,
        ddof=wish.ddof,
        equal_variances=wish.equal_variances,
    )
    every = tuple(fields)
    if test == "missing":
        return made.model_copy(update={"columns": every})
    if test == "describe":
        return _description(made, fields, scene)
    if test in ("normality", "outliers", "one_sample_t"):
        return made.model_copy(update={"columns": (numbers[0],)}) if numbers else _needs("a number")
    if test == "correlation" and (wish.every or len(numbers) > 2):
        return _correlations(made, tuple(numbers), scene)
    if test in _PAIRED:
        pair = tuple(numbers[:2])
        return made.model_copy(update={"columns": pair}) if len(pair) > 1 else _needs("two numbers")
    if test == "chi_square":
        two = every[:2]
        return made.model_copy(update={"columns": two}) if len(two) > 1 else _needs("two columns")
    if test in _MODELS:
        return _model(made, every, scene)
    return _grouped(made, fields, either)


def _description(made: Statistic, fields: dict[Field, Column], scene: Scene) -> Statistic | str:
    """The columns that are described, and the one whose groups are, where one is said."""
    by = next((f for f, c in fields.items() if _is_split_by(f, c, scene)), None)
    words = [f for f, c in fields.items() if f != by and not holds_numbers(c)]
    numbers = tuple(f for f in fields if f != by and f not in words)
    columns = numbers or (tuple(words) if set(made.asked) <= {"mode"} else ())
    if not columns:
        return _needs("a number")
    return made.model_copy(update={"columns": columns, "by": by})


def _is_split_by(target: Field, column: Column, scene: Scene) -> bool:
    if holds_numbers(column) and column.distinct > _FEW_GROUPS:
        return False
    return any(
        (m.chosen.table, m.chosen.column) == (target.table, target.column)
        and set(scene.words(m.first - 2, m.first)) & _EACH
        for m in scene.mentions
    )


def _correlations(made: Statistic, numbers: tuple[Field, ...], scene: Scene) -> Statistic | str:
    """Every pair of the columns named; of one column alone, its pairs with all other numbers."""
    if len(numbers) > 1:
        return made.model_copy(update={"columns": numbers[:_MOST_COLUMNS]})
    tables = [m.chosen.table for m in scene.mentions if m.chosen.table]
    base = numbers[0].table if numbers else next(iter(tables), scene.catalogue.tables[0].name)
    table = scene.catalogue.table(base)
    others = tuple(
        Field(table=base, column=c.name)
        for c in (table.columns if table else ())
        if numeric(c.data_type) and c.role is not ColumnRole.ID and c.distinct > 1
    )
    others = tuple(f for f in others if f not in numbers)
    if len(others) + len(numbers) < 2:
        return _needs("two numbers")
    if not numbers:
        return made.model_copy(update={"columns": others[:_MOST_COLUMNS]})
    return made.model_copy(update={"columns": numbers, "predictors": others[:_MOST_PREDICTORS]})


def _model(made: Statistic, fields: tuple[Field, ...], scene: Scene) -> Statistic | str:
    """The outcome is the first column named, or the one that "predict" or "explain" leads to."""
    if len(fields) < 2:
        return _needs("an outcome and a predictor")
    words = [t.lower for t in scene.tokens]
    target = fields[0]
    predicting = next(
        (i for i, w in enumerate(words) if w.startswith(("predict", "explain"))), None
    )
    if predicting is not None:
        after = [m for m in scene.mentions if m.first > predicting and m.chosen.kind == "column"]
        if after:
            target = Field(table=after[0].chosen.table, column=after[0].chosen.column)
    rest = tuple(f for f in fields if f != target)
    return made.model_copy(update={"columns": (target,), "predictors": rest})


def _grouped(
    made: Statistic, fields: dict[Field, Column], either: Mapping[Field, int]
) -> Statistic | str:
    numbers = [f for f, c in fields.items() if numeric(c.data_type)]
    groups = [f for f in fields if f not in numbers] or numbers[1:]
    if len(groups) > 1 or (groups and groups[0] in numbers):
        groups.sort(key=lambda f: fields[f].distinct)
    measured = [f for f in numbers if f not in groups[:1]]
    if not measured or not groups:
        return _needs("a number and a column of groups")
    test = made.test
    if test == "difference":
        count = either.get(groups[0], fields[groups[0]].distinct)
        test = "t_test" if count == 2 else "anova"
    return made.model_copy(update={"test": test, "columns": (measured[0],), "by": groups[0]})


def _needs(what: str) -> str:
    return f"This test needs {what}; name the columns that are meant."


def _missing_everywhere(
    scene: Scene, filters: Sequence[Filter]
) -> tuple[Intent, tuple[str, ...]] | str:
    named = [m.chosen.table for m in scene.mentions if m.chosen.kind == "table"]
    tables = [scene.catalogue.table(name) for name in named] or list(scene.catalogue.tables[:1])
    table = tables[0]
    if table is None:
        return _needs("a table")
    fields = tuple(Field(table=table.name, column=c.name) for c in table.columns[:_MOST_COLUMNS])
    intent = Intent(
        base=table.name,
        dimensions=tuple(Dimension(expression=f, label=readable(f.column)) for f in fields),
        filters=tuple(filters),
        statistic=Statistic(test="missing", columns=fields),
    )
    return intent, ()
