"""Metrics that a semantic model adds to tables: which of them aggregate themselves, and what an
intent that speaks of those means."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import sqlglot
from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import (
    Aggregate,
    Condition,
    Dimension,
    Expression,
    Field,
    Filter,
    Having,
    Intent,
    Measure,
    Operator,
    Order,
)

_FORMULAS, _CATALOGUES = 256, 16
_COMPARED = frozenset(
    {
        Operator.EQUAL,
        Operator.GREATER,
        Operator.AT_LEAST,
        Operator.LESS,
        Operator.AT_MOST,
        Operator.BETWEEN,
    }
)
_ADDED = (Aggregate.SUM, Aggregate.AVERAGE)
IsOverall = Callable[[Expression | None], bool]


@lru_cache(maxsize=_FORMULAS)
def formula_tree(formula: str) -> exp.Expr:
    """A formula of the catalogue as a tree, which nobody may change."""
    return sqlglot.parse_one(formula, dialect="duckdb")


def is_overall(column: Column | None) -> bool:
    """Whether a column is a metric whose formula aggregates: it has a value of groups alone."""
    if column is None or not column.formula:
        return False
    return formula_tree(column.formula).find(exp.AggFunc) is not None


@lru_cache(maxsize=_CATALOGUES)
def has_metrics(catalogue: Catalogue) -> bool:
    """Whether any table has a column that a formula computes."""
    return any(column.formula for table in catalogue.tables for column in table.columns)


@lru_cache(maxsize=_CATALOGUES)
def _has_overall(catalogue: Catalogue) -> bool:
    return any(is_overall(c) for t in catalogue.tables for c in t.columns)


def metric_of(expression: Expression | None, catalogue: Catalogue) -> Column | None:
    """The metric that an expression is, or None."""
    if not isinstance(expression, Field):
        return None
    table = catalogue.table(expression.table)
    column = table.column(expression.column) if table is not None else None
    return column if column is not None and column.formula else None


def why_not_of_groups(intent: Intent, catalogue: Catalogue) -> str:
    """Why a metric that aggregates itself cannot be taken as it was; empty where it can.

    Its highest or its median needs groups to be the highest of.
    """
    for measure in intent.measures:
        known = measure.aggregate in _ADDED or measure.aggregate is Aggregate.FORMULA
        if known or measure.aggregate is None or intent.dimensions:
            continue
        if is_overall(metric_of(measure.expression, catalogue)):
            return f'"{measure.label}" of what? It is one number for each group: say by what.'
    return ""


def with_overall_metrics(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent where metrics that aggregate themselves are numbers of groups, however they were
    read: as an average, as a column that is shown, in a condition on rows, as what rows go by."""
    if not _has_overall(catalogue):
        return intent

    def overall(expression: Expression | None) -> bool:
        return is_overall(metric_of(expression, catalogue))

    measures = [_of_groups(m) if overall(m.expression) else m for m in intent.measures]
    kept, moved = _dimensions(intent, overall)
    measures += [_measure(d.expression, d.label) for d in moved if isinstance(d.expression, Field)]
    order = tuple(_ordered(o, intent, kept, moved, measures, overall) for o in intent.order)
    filters, having = _conditions(intent, overall)
    changed = {
        "measures": tuple(measures),
        "dimensions": tuple(kept),
        "filters": filters,
        "having": having,
        "order": order,
    }
    same = all(getattr(intent, name) == value for name, value in changed.items())
    return intent if same else intent.model_copy(update=changed)


def _of_groups(measure: Measure) -> Measure:
    if isinstance(measure.expression, Field) and measure.aggregate is not Aggregate.FORMULA:
        label = readable(measure.expression.column)
        update = {"aggregate": Aggregate.FORMULA, "label": label, "additive": False, "per": None}
        return measure.model_copy(update=update)
    return measure


def _measure(target: Field, label: str, *, shown: bool = True) -> Measure:
    return Measure(
        aggregate=Aggregate.FORMULA,
        table=target.table,
        expression=target,
        label=label,
        additive=False,
        shown=shown,
    )


def _dimensions(intent: Intent, overall: IsOverall) -> tuple[list[Dimension], list[Dimension]]:
    kept = [d for d in intent.dimensions if not overall(d.expression)]
    return kept, [d for d in intent.dimensions if overall(d.expression)]


def _ordered(
    order: Order,
    intent: Intent,
    kept: list[Dimension],
    moved: list[Dimension],
    measures: list[Measure],
    overall: IsOverall,
) -> Order:
    """What it goes by, once numbers are numbers; one that is not shown is added to the measures."""
    if order.target == "dimension" and intent.dimensions:
        by = intent.dimensions[order.index]
        if by in kept:
            return order.model_copy(update={"index": kept.index(by)})
        at = len(measures) - len(moved) + moved.index(by)
        return Order(target="measure", index=at, descending=order.descending)
    if order.target == "field" and order.field is not None and overall(order.field):
        shown = [m.expression for m in measures]
        if order.field not in shown:
            label = readable(order.field.column)
            measures.append(_measure(order.field, label, shown=False))
            shown.append(order.field)
        at = shown.index(order.field)
        return Order(target="measure", index=at, descending=order.descending)
    return order


def _conditions(
    intent: Intent, overall: IsOverall
) -> tuple[tuple[Filter, ...], tuple[Having, ...]]:
    filters: list[Filter] = []
    having = [
        one.model_copy(update={"measure": _of_groups(one.measure)})
        if overall(one.measure.expression)
        else one
        for one in intent.having
    ]
    for wanted in intent.filters:
        if not (
            isinstance(wanted, Condition)
            and overall(wanted.field)
            and wanted.operator in _COMPARED
            and not wanted.than_average
        ):
            filters.append(wanted)
            continue
        number = _measure(wanted.field, readable(wanted.field.column))
        values = tuple(float(v) for v in wanted.values if isinstance(v, int | float))
        having.append(Having(measure=number, operator=wanted.operator, values=values))
    return tuple(filters), tuple(having)
