"""Join two frames on equal columns."""

from __future__ import annotations

from services.executor.transforming.relation import (
    Column,
    Family,
    Relation,
    check_distinct,
    fresh_name,
    listed,
    quoted,
    type_mismatch,
)
from services.executor.transforming.steps import Join
from services.executor.transforming.workspace import Workspace

_SQL = {"inner": "INNER", "left": "LEFT", "full": "FULL", "semi": "SEMI", "anti": "ANTI"}


def join(step: Join, relation: Relation, space: Workspace) -> Relation:
    """Left rows with their partners, in the left frame's order.

    Notes say when rows were left out for want of a partner, and when repeated keys on the right
    made more rows than there were.
    """
    right = space.load(step.right)
    keys = [(relation.column(key.left), right.column(key.right)) for key in step.on]
    for left_key, right_key in keys:
        _check_comparable(left_key, right_key)
    on = " AND ".join(f"l.{a.sql} = r.{b.sql}" for a, b in keys)
    names = [*relation.names, *right.names]
    left_row = quoted(fresh_name(names, "left_row"))
    right_row = quoted(fresh_name(names, "right_row"))
    one_sided = step.how in ("semi", "anti")
    wanted = "l.* EXCLUDE (" + left_row + ")" if one_sided else _columns(step, relation, right)
    order = f"l.{left_row}" if one_sided else f"l.{left_row} NULLS LAST, r.{right_row}"
    joined = space.table(
        f"SELECT {wanted} FROM {_numbered(relation, left_row)} l "
        f"{_SQL[step.how]} JOIN {_numbered(right, right_row)} r ON {on} ORDER BY {order}"
    )
    _note_rows(step, relation, right, joined, on, space)
    return joined


def _numbered(relation: Relation, row: str) -> str:
    return f"(SELECT *, row_number() OVER () AS {row} FROM {relation.sql})"


def _columns(step: Join, left: Relation, right: Relation) -> str:
    shared = {key.left for key in step.on if key.left == key.right}
    taken = {name.lower() for name in left.names}
    items, names = [], []
    for column in left.columns:
        both = step.how == "full" and column.name in shared
        value = f"coalesce(l.{column.sql}, r.{column.sql})" if both else f"l.{column.sql}"
        items.append(f"{value} AS {column.sql}")
        names.append(column.name)
    for column in right.columns:
        if column.name in shared:
            continue
        clashes = column.name.lower() in taken
        name = column.name + step.suffix if clashes else column.name
        items.append(f"r.{column.sql} AS {quoted(name)}")
        names.append(name)
    check_distinct(names, "join")
    return listed(items)


def _check_comparable(left: Column, right: Column) -> None:
    if left.family is not right.family or left.family is Family.OTHER:
        raise type_mismatch(
            left,
            "join",
            f"column {right.name!r} of the other frame is {right.type}",
            other_column=right.name,
            other_type=right.type,
        )


def _note_rows(
    step: Join, left: Relation, right: Relation, joined: Relation, on: str, space: Workspace
) -> None:
    before, after = space.count(left), space.count(joined)
    if step.how == "inner":
        alone = f"SELECT count(*) FROM {left.sql} l ANTI JOIN {right.sql} r ON {on}"
        without = int(space.rows(alone)[0][0])
        if without:
            space.notes.append(
                f"join: {without:,} of {before:,} rows have no partner in {step.right}"
                " and are left out"
            )
    if step.how in ("inner", "left") and after > before:
        space.notes.append(
            f"join: {before:,} rows became {after:,}, because keys repeat in {step.right}"
        )
