"""Which test answers a question over the columns that it names, and in which part of it each is."""

from __future__ import annotations

from collections.abc import Mapping

from services.planner.domain.catalogue import Column, ColumnRole, Table
from services.planner.domain.query.columns import holds_numbers, numeric
from services.planner.domain.query.intent import Field, Statistic
from services.planner.domain.reader.statistics.ground import Ground
from services.planner.domain.reader.statistics.groups import (
    FEW_GROUPS,
    Named,
    compared,
    holds,
    independent,
    is_code,
    needs,
)
from services.planner.domain.reader.statistics.models import model
from services.planner.domain.reader.statistics.wish import StatisticWish

MOST_COLUMNS = 50
_MOST_PREDICTORS = 20
_PAIRED = ("correlation", "paired_t")
_OF_ONE = ("normality", "outliers", "one_sample_t")
_MODELS = ("linear_regression", "logistic_regression", "effect")
_EACH = frozenset("by per each every across within".split())
_DEPENDS = frozenset("depend depends".split())


def statistic_of(
    wish: StatisticWish, fields: Named, ground: Ground, either: Mapping[Field, int]
) -> Statistic | str | None:
    """The test over the columns named; why there is none, or None where it is no such question.

    `either` says of how many values a column is kept.
    """
    made = Statistic(
        test=wish.test,
        asked=wish.asked,
        method=wish.method,
        threshold=wish.threshold,
        expected=wish.expected,
        ddof=wish.ddof,
        equal_variances=wish.equal_variances,
        confidence=wish.confidence,
        held_out=wish.held_out.share if wish.held_out else None,
        seed=wish.held_out.seed if wish.held_out else None,
    )
    if wish.test == "missing":
        return made.model_copy(update={"columns": tuple(fields)})
    if wish.test == "describe":
        return _description(made, fields, ground)
    if wish.implied and len(fields) < 2:
        return None
    if wish.test == "relation" or wish.test in _PAIRED:
        return _related(made, wish, fields, ground, either)
    if wish.test in _OF_ONE:
        return _of_one(made, fields, ground)
    if wish.test == "chi_square":
        return independent(made, fields)
    if wish.test in _MODELS:
        return _modelled(made, fields, ground, either)
    return compared(made, wish, fields, either)


def table_in_question(ground: Ground) -> Table | None:
    """The table that is named, or of which a column is; else the one with most rows."""
    kinds = {m.kind: m.table for m in reversed(ground.mentions) if m.table}
    tables = ground.catalogue.tables
    largest = max(tables, key=lambda t: t.rows).name if tables else ""
    return ground.catalogue.table(kinds.get("table") or next(iter(kinds.values()), largest))


def _description(made: Statistic, fields: Named, ground: Ground) -> Statistic | str:
    """The columns that are described, and the one whose groups are, where one is said."""
    by = next((f for f, c in fields.items() if _is_split_by(f, c, ground)), None)
    words = [
        f
        for f, c in fields.items()
        if f != by and not holds_numbers(c) and not _names_each(f, c, ground)
    ]
    numbers = tuple(f for f, c in fields.items() if f != by and holds_numbers(c))
    columns = numbers or (tuple(words) if set(made.asked) <= {"mode"} else ())
    if not columns and not words and (table := table_in_question(ground)) is not None:
        columns = tuple(f for f in measured(table) if f != by)[:MOST_COLUMNS]
    if not columns:
        return needs("a number", fields)
    return made.model_copy(update={"columns": columns, "by": by})


def _names_each(target: Field, column: Column, ground: Ground) -> bool:
    """Whether every row has another value, so that rows are meant: "statistics of airlines"."""
    table = ground.catalogue.table(target.table)
    return table is not None and 1 < column.distinct == table.rows


def measured(table: Table) -> list[Field]:
    """The columns of numbers that vary and are no keys."""
    return [
        Field(table=table.name, column=column.name)
        for column in table.columns
        if numeric(column.data_type) and column.role is not ColumnRole.ID and column.distinct > 1
    ]


def _is_split_by(target: Field, column: Column, ground: Ground) -> bool:
    if holds_numbers(column) and column.distinct > FEW_GROUPS:
        return False
    return any(
        (m.table, m.column) == (target.table, target.column)
        and set(ground.words(m.first - 2, m.first)) & _EACH
        for m in ground.mentions
    )


def _related(
    made: Statistic, wish: StatisticWish, fields: Named, ground: Ground, either: Mapping[Field, int]
) -> Statistic | str | None:
    """A correlation of numbers; what else goes together is a comparison of groups or of counts."""
    by = next((f for f, c in fields.items() if _is_split_by(f, c, ground)), None)
    if by is not None and len([f for f, c in fields.items() if holds_numbers(c) and f != by]) < 2:
        by = None
    numbers = [f for f, c in fields.items() if holds_numbers(c) and f != by]
    if wish.test == "relation" and by is None and not wish.correlated:
        coded = [f for f in numbers if is_code(fields[f])]
        if len(numbers) == 2 and coded:
            many = [f for f in numbers if f not in coded]
            two = {f: fields[f] for f in (*many, *coded)}
            return compared(made, wish, two, either) if many else independent(made, two)
    if wish.test != "paired_t" and (wish.every or len(numbers) > 2):
        return _correlations(made, tuple(numbers), ground)
    if len(numbers) == 2:
        test = "paired_t" if wish.test == "paired_t" else "correlation"
        depends = any(t.lower in _DEPENDS for t in ground.tokens)
        pair = (numbers[1], numbers[0]) if depends else tuple(numbers)
        return made.model_copy(update={"test": test, "columns": pair, "by": by})
    if wish.test != "relation":
        return needs("two columns of numbers", fields)
    if len(numbers) == 1 and (wish.correlated or not is_code(fields[numbers[0]])):
        return compared(made, wish, fields, either)
    return independent(made, fields)


def _correlations(made: Statistic, numbers: tuple[Field, ...], ground: Ground) -> Statistic | str:
    """Every pair of the columns named; of one column alone, its pairs with all other numbers."""
    made = made.model_copy(update={"test": "correlation"})
    if len(numbers) > 1:
        return made.model_copy(update={"columns": numbers[:MOST_COLUMNS]})
    table = table_in_question(ground)
    others = tuple(f for f in (measured(table) if table else ()) if f not in numbers)
    if len(others) + len(numbers) < 2:
        return f"{table.name if table else 'The data'} has no two columns of numbers to correlate."
    if not numbers:
        return made.model_copy(update={"columns": others[:MOST_COLUMNS]})
    return made.model_copy(update={"columns": numbers, "predictors": others[:_MOST_PREDICTORS]})


def _of_one(made: Statistic, fields: Named, ground: Ground) -> Statistic | str:
    """One number, and the groups in which it is looked at, where some are said."""
    numbers = [f for f, c in fields.items() if holds_numbers(c)]
    by = next((f for f, c in fields.items() if _is_split_by(f, c, ground)), None)
    rest = [f for f in numbers if f != by]
    if not rest:
        return needs("a column of numbers", fields)
    by = None if made.test == "one_sample_t" else by
    names = [f for f, c in fields.items() if f != by and not holds_numbers(c)]
    label = names[0] if names and made.test == "outliers" else None
    return made.model_copy(update={"columns": (rest[0],), "by": by, "label": label})


def _modelled(
    made: Statistic, fields: Named, ground: Ground, either: Mapping[Field, int]
) -> Statistic | str:
    """A regression; the effect of groups alone is a comparison of them."""
    parts = model(tuple(fields), ground)
    if parts is None:
        return needs("an outcome and a predictor", fields)
    target, predictors = parts
    made = made.model_copy(update={"columns": (target,), "predictors": predictors})
    if made.held_out is not None and made.test == "effect" and holds_numbers(fields[target]):
        made = made.model_copy(update={"test": "linear_regression"})
    if made.held_out is not None and made.test != "linear_regression":
        return "Only a linear regression can be tested here on rows that were held out."
    if made.test != "effect":
        return made
    outcome, first = fields[target], fields[predictors[0]]
    if len(predictors) == 1 and not holds_numbers(first):
        pair = {target: outcome, predictors[0]: first}
        made = made.model_copy(update={"columns": (), "predictors": ()})
        wish = StatisticWish("difference", implied=True)
        return compared(made, wish, pair, either) or independent(made, pair)
    two = outcome.distinct == 2
    if not two and not holds_numbers(outcome):
        return holds(target, "text", "a regression")
    return made.model_copy(update={"test": "logistic_regression" if two else "linear_regression"})
