"""Aggregate: many rows become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.executor.transforming.relation import (
    Column,
    Family,
    Relation,
    check_distinct,
    listed,
    order_terms,
    quoted,
)
from services.executor.transforming.steps import Aggregate
from services.executor.transforming.terms import Aggregation, Measure
from services.executor.transforming.workspace import Workspace

_NUMERIC = frozenset(
    {
        Aggregation.SUM,
        Aggregation.AVG,
        Aggregation.MEDIAN,
        Aggregation.STDDEV,
        Aggregation.VARIANCE,
        Aggregation.QUANTILE,
    }
)
_FUNCTIONS = {Aggregation.STDDEV: "stddev_samp", Aggregation.VARIANCE: "var_samp"}


def aggregate(step: Aggregate, relation: Relation, space: Workspace) -> Relation:
    """One row for each combination of the grouping columns."""
    groups = relation.picked(step.by)
    check_distinct([*step.by, *(m.output for m in step.measures)], "aggregate")
    wanted = listed([*(column.sql for column in groups), *measured(step.measures, relation)])
    return space.table(f"SELECT {wanted} FROM {relation.sql} {grouped(groups)}")


def grouped(groups: Sequence[Column]) -> str:
    """GROUP BY and an ORDER BY of the same columns, or nothing."""
    if not groups:
        return ""
    order = listed(order_terms((column, False, "last") for column in groups))
    return f"GROUP BY {listed(column.sql for column in groups)} ORDER BY {order}"


def measured(measures: Iterable[Measure], relation: Relation) -> list[str]:
    """The measures as select items."""
    return [f"{measure_sql(m, relation)} AS {quoted(m.output)}" for m in measures]


def measure_sql(measure: Measure, relation: Relation) -> str:
    """One measure as an SQL aggregate. Raises ToolError MISSING_COLUMN or TYPE_MISMATCH."""
    if measure.column is None:
        return "count(*)"
    column = _suitable(measure, relation)
    value = f"CAST({column.sql} AS INTEGER)" if _counts_as_number(measure, column) else column.sql
    match measure.function:
        case Aggregation.COUNT_DISTINCT:
            return f"count(DISTINCT {value})"
        case Aggregation.MEDIAN:
            return f"quantile_cont({value}, 0.5)"
        case Aggregation.QUANTILE:
            return f"quantile_cont({value}, {float(measure.quantile or 0.0)!r})"
        case Aggregation.FIRST | Aggregation.LAST:
            return f"{measure.function.value}({value}) FILTER (WHERE {value} IS NOT NULL)"
        case Aggregation.ARG_MAX | Aggregation.ARG_MIN:
            label = relation.column(measure.of or "").sql
            return f"{measure.function.value}({label}, {value} ORDER BY {label})"
    return f"{_FUNCTIONS.get(measure.function, measure.function.value)}({value})"


def _suitable(measure: Measure, relation: Relation) -> Column:
    column = relation.column(measure.column or "")
    if measure.function not in _NUMERIC:
        return column
    families = [Family.NUMBER, Family.BOOLEAN]
    if measure.function in (Aggregation.MEDIAN, Aggregation.QUANTILE):
        families.append(Family.TIME)
    return relation.of_family(column.name, families, measure.function.value)


def _counts_as_number(measure: Measure, column: Column) -> bool:
    return measure.function in _NUMERIC and column.family is Family.BOOLEAN
