"""Window: a column computed over each row's partition."""

from __future__ import annotations

from services.executor.transforming.relation import (
    Family,
    Relation,
    check_distinct,
    fresh_name,
    listed,
    order_terms,
    quoted,
    tie_breakers,
)
from services.executor.transforming.steps import RANKINGS, Window, WindowFunction
from services.executor.transforming.workspace import Workspace

# Equal keys must stay equal for these; every other function needs one order of rows.
_SEE_TIES = frozenset({WindowFunction.RANK, WindowFunction.DENSE_RANK, WindowFunction.PERCENT_RANK})
_SHIFTS = frozenset({WindowFunction.LAG, WindowFunction.LEAD})


def window(step: Window, relation: Relation, space: Workspace) -> Relation:
    """The same rows in the same order, with one column more."""
    check_distinct([*relation.names, step.output], "window")
    row = quoted(fresh_name([*relation.names, step.output], "row_position"))
    value = _value(step, relation, _over(step, relation, row))
    return space.table(
        f"SELECT * EXCLUDE ({row}), {value} AS {quoted(step.output)} "
        f"FROM (SELECT *, row_number() OVER () AS {row} FROM {relation.sql}) ORDER BY {row}"
    )


def _over(step: Window, relation: Relation, row: str) -> tuple[str, str]:
    """PARTITION BY alone, and with the ORDER BY."""
    groups = listed(column.sql for column in relation.picked(step.partition_by))
    partition = f"PARTITION BY {groups}" if groups else ""
    keys = [(relation.column(key.column), key.descending, key.nulls) for key in step.order_by]
    order = order_terms(keys)
    if step.function not in _SEE_TIES:
        order += [*tie_breakers(relation.columns, [column.name for column, _, _ in keys]), row]
    return partition, f"{partition} ORDER BY {listed(order)}"


def _value(step: Window, relation: Relation, over: tuple[str, str]) -> str:
    partition, ordered = over
    if step.function in RANKINGS:
        return f"{step.function.value}() OVER ({ordered})"
    name, rows = step.column or "", step.rows or 1
    if step.function in _SHIFTS:
        return f"{step.function.value}({relation.column(name).sql}, {rows}) OVER ({ordered})"
    column = relation.of_family(name, (Family.NUMBER,), step.function.value).sql
    earlier = f"lag({column}, {rows}) OVER ({ordered})"
    last_rows = f"OVER ({ordered} ROWS BETWEEN {rows - 1} PRECEDING AND CURRENT ROW)"
    match step.function:
        case WindowFunction.SHARE:
            whole = f"sum({column}) OVER ({partition})"
            return f"CAST({column} AS DOUBLE) / nullif(CAST({whole} AS DOUBLE), 0)"
        case WindowFunction.CUMULATIVE_SUM:
            return f"sum({column}) OVER ({ordered} ROWS UNBOUNDED PRECEDING)"
        case WindowFunction.MOVING_AVERAGE:
            full = f"count(*) {last_rows} = {rows}"
            return f"CASE WHEN {full} THEN avg({column}) {last_rows} END"
        case WindowFunction.DIFFERENCE:
            return f"{column} - {earlier}"
        case _:
            before = f"nullif(CAST({earlier} AS DOUBLE), 0)"
            return f"(CAST({column} AS DOUBLE) - {earlier}) / {before}"
