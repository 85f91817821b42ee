"""Operations that keep or order rows and columns: select, sort, limit."""

from __future__ import annotations

from collections.abc import Iterable

from services.executor.transforming.relation import (
    Relation,
    check_distinct,
    fresh_name,
    listed,
    order_terms,
    quoted,
    tie_breakers,
)
from services.executor.transforming.steps import Limit, Select, Sort
from services.executor.transforming.terms import SortKey
from services.executor.transforming.workspace import Workspace


def select(step: Select, relation: Relation, space: Workspace) -> Relation:
    """Columns in the order asked for, renamed."""
    kept = relation.picked(step.columns or relation.names)
    kept_names = [column.name for column in kept]
    Relation(relation.sql, tuple(kept)).picked(step.rename)
    renamed = [step.rename.get(name, name) for name in kept_names]
    check_distinct(renamed, "select")
    wanted = listed(
        f"{column.sql} AS {quoted(name)}" for column, name in zip(kept, renamed, strict=True)
    )
    return space.table(f"SELECT {wanted} FROM {relation.sql}")


def sort(step: Sort, relation: Relation, space: Workspace) -> Relation:
    """Rows by the keys, then by the remaining columns."""
    order = listed(full_order(step.by, relation))
    return space.table(f"SELECT * FROM {relation.sql} ORDER BY {order}")


def limit(step: Limit, relation: Relation, space: Workspace) -> Relation:
    """The first rows overall or of each group."""
    if not step.per:
        order = f"ORDER BY {listed(full_order(step.order_by, relation))}" if step.order_by else ""
        return space.table(f"SELECT * FROM {relation.sql} {order} LIMIT {step.rows}")
    groups = relation.picked(step.per)
    position = quoted(fresh_name(relation.names, "position"))
    place = quoted(fresh_name([*relation.names, "position"], "place"))
    partition = listed(column.sql for column in groups)
    inner = full_order(step.order_by, relation) if step.order_by else [position]
    final = (
        [*order_terms((c, False, "last") for c in groups), place] if step.order_by else [position]
    )
    return space.table(
        f"SELECT * EXCLUDE ({position}, {place}) FROM ("
        f"SELECT *, row_number() OVER (PARTITION BY {partition} ORDER BY {listed(inner)}) "
        f"AS {place} FROM (SELECT *, row_number() OVER () AS {position} FROM {relation.sql})"
        f") WHERE {place} <= {step.rows} ORDER BY {listed(final)}"
    )


def full_order(keys: Iterable[SortKey], relation: Relation) -> list[str]:
    """ORDER BY terms of the keys, with ties broken by the remaining columns."""
    chosen = [(relation.column(key.column), key.descending, key.nulls) for key in keys]
    used = [column.name for column, _, _ in chosen]
    return order_terms(chosen) + tie_breakers(relation.columns, used)
