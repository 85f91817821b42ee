"""Pivot: the values of one column become columns."""

from __future__ import annotations

import math
from typing import Any

from mesh.text import natural_orders
from mesh.tool import ErrorCategory, ToolError
from services.executor.transforming.aggregating import grouped, measure_sql
from services.executor.transforming.relation import (
    Column,
    Family,
    Relation,
    check_distinct,
    distinct_names,
    listed,
    quoted,
)
from services.executor.transforming.steps import Pivot
from services.executor.transforming.terms import Aggregation, Measure
from services.executor.transforming.workspace import Workspace

_NO_VALUE = "(none)"
_NUMBER = "row number"
_MOST_RANKED = 1_000


def pivot(step: Pivot, relation: Relation, space: Workspace) -> Relation:
    """One row for each combination of the index, one column for each value."""
    index = relation.picked(step.index)
    across = relation.column(step.columns)
    cell = measure_sql(Measure(function=step.function, column=step.values), relation)
    headings = _headings(step, relation, across, space)
    check_distinct(step.index, "pivot")
    # "F" and "f" are two values, but no two names of columns.
    names = distinct_names([*step.index, *(heading for heading, _ in headings)])[len(step.index) :]
    headings = [(name, key) for name, (_, key) in zip(names, headings, strict=True)]
    zero = step.fill == "zero" and step.function not in (Aggregation.FIRST, Aggregation.LAST)
    items, parameters = [column.sql for column in index], {}
    for position, (heading, key) in enumerate(headings):
        parameters[f"k{position}"] = key
        chosen = f"{_as_text(across)} IS NOT DISTINCT FROM $k{position}"
        value = _filtered(cell, chosen)
        value = f"coalesce({value}, 0)" if zero else value
        items.append(f"{value} AS {quoted(heading)}")
    if not items:
        raise ToolError(ErrorCategory.INVALID_ARGUMENTS, "pivot has no rows to make columns of")
    query = f"SELECT {listed(items)} FROM {relation.sql} {grouped(index)}"
    if index and step.rows == "appearance":
        keys = listed(column.sql for column in index)
        order = f"min({quoted(_NUMBER)})"
        query = (
            f"SELECT {listed(items)} FROM ({_numbered(relation)}) GROUP BY {keys} ORDER BY {order}"
        )
    elif len(index) == 1 and step.rows == "natural":
        ranked = _by_rank(index[0], relation, space, parameters)
        query = f"SELECT * FROM ({query}){ranked}" if ranked else query
    return space.table(query, parameters)


def _by_rank(
    column: Column, relation: Relation, space: Workspace, parameters: dict[str, Any]
) -> str:
    """The order before all else of rows whose names have one of themselves; empty without."""
    if column.family is not Family.TEXT:
        return ""
    found = space.rows(
        f"SELECT DISTINCT {column.sql} FROM {relation.sql} "
        f"WHERE {column.sql} IS NOT NULL LIMIT {_MOST_RANKED}"
    )
    ranked = natural_orders.ranks([str(name) for (name,) in found])
    if ranked is None:
        return ""
    parameters["ranked"] = sorted(map(str, ranked), key=lambda name: ranked[name])
    return f" ORDER BY list_position($ranked, {column.sql}) NULLS LAST, {column.sql}"


def _numbered(relation: Relation) -> str:
    """The rows with their place."""
    return f"SELECT *, row_number() OVER () AS {quoted(_NUMBER)} FROM {relation.sql}"


def _filtered(aggregate: str, condition: str) -> str:
    """The aggregate over the rows of one column; a filter it has already is narrowed."""
    head, found, rest = aggregate.rpartition(" FILTER (WHERE ")
    if found:
        return f"{head} FILTER (WHERE {condition} AND {rest}"
    return f"{aggregate} FILTER (WHERE {condition})"


def _headings(
    step: Pivot, relation: Relation, across: Column, space: Workspace
) -> list[tuple[str, Any]]:
    """Column names with the text of the value each stands for, in the order asked for."""
    number = _numbered(relation)
    ranking = {
        "value": f"{across.sql} ASC NULLS LAST",
        "appearance": f"min({quoted(_NUMBER)})",
        "natural": f"{across.sql} ASC NULLS LAST",
        "total": f"{_total(step, relation)} DESC NULLS LAST, {across.sql} ASC NULLS LAST",
    }[step.order]
    found = space.rows(
        f"SELECT {_as_text(across)}, count(*) OVER () FROM ({number}) "
        f"GROUP BY {across.sql} ORDER BY {ranking} LIMIT {step.max_columns + 1}"
    )
    if len(found) > step.max_columns:
        seen = int(found[0][1])
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"pivot over {across.name!r} would make {seen:,} columns, more than "
            f"{step.max_columns:,}",
            hint="Filter to fewer values, use a coarser grain, or raise max_columns.",
            details={"column": across.name, "limit": step.max_columns, "seen": seen},
        )
    texts = [text for text, _ in found]
    if step.order == "natural" and across.family is Family.TEXT:
        ranked = natural_orders.ranks([text for text in texts if text is not None])
        if ranked is not None:
            texts.sort(key=lambda text: ranked.get(text, math.inf))
    return [(_NO_VALUE if text is None else text or '""', text) for text in texts]


def _total(step: Pivot, relation: Relation) -> str:
    if step.values is None:
        return "count(*)"
    column = relation.of_family(step.values, (Family.NUMBER, Family.BOOLEAN), "order by total")
    return f"sum(CAST({column.sql} AS DOUBLE))"


def _as_text(column: Column) -> str:
    if column.family is Family.OTHER:
        return f"CAST(to_json({column.sql}) AS VARCHAR)"
    return f"CAST({column.sql} AS VARCHAR)"
