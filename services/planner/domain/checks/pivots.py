"""DuckDB's PIVOT whose columns come from the data: which there are is known only once it has run,
so that nothing of it can be checked before. The same with a column written out for each value can.
"""

from __future__ import annotations

from typing import NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.statements.parsing import DIALECT, rendered

_MOST_COLUMNS = 24
_ANY = "sum(amount) FILTER (WHERE region = 'North') AS \"North\""


class Pivoted(NamedTuple):
    """Why a PIVOT is not read, and the form that is."""

    why: str
    hint: str


def pivoted(text: str, catalogue: Catalogue) -> Pivoted | None:
    """What to say of a statement with such a PIVOT, with the columns written out where facts know
    every value of what it turns into columns; None of any other statement."""
    if "pivot" not in text.casefold():
        return None
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=DIALECT) if tree is not None]
    except (SqlglotError, RecursionError, ValueError):
        return None
    found = next(
        (node for tree in trees for node in tree.find_all(exp.Pivot) if _is_own(node)), None
    )
    if found is None:
        return None
    columns = ", ".join(rendered(one) for one in found.expressions) or "its columns"
    written = written_out(found, catalogue)
    form = f"Write it so: {written}" if written else f"Write a column for each value, as {_ANY}."
    return Pivoted(
        f"PIVOT turns values of {columns} into columns, which nothing can be checked of before it "
        "has run",
        form,
    )


def written_out(pivot: exp.Pivot, catalogue: Catalogue) -> str:
    """The same with an aggregate and a FILTER for each value; empty where the values are not all
    known or too many, or where more than one column or aggregate is turned."""
    table = next(
        (t for t in catalogue.tables if t.name.casefold() == pivot.this.name.casefold()), None
    )
    turned, values = _turned(pivot)
    using = pivot.args.get("using") or []
    if table is None or turned is None or len(using) != 1:
        return ""
    column = next((c for c in table.columns if c.name.casefold() == turned.name.casefold()), None)
    known = catalogue.facts.column(table.name, column.name) if column is not None else None
    if not values and known is not None and known.whole:
        values = [exp.Literal.string(one.value) for one in known.values]
    if column is None or not 0 < len(values) <= _MOST_COLUMNS:
        return ""
    group = pivot.args.get("group")
    rows = [one.copy() for one in group.expressions] if group is not None else []
    made = [
        exp.alias_(
            exp.Filter(
                this=using[0].unalias().copy(),
                expression=exp.Where(this=exp.EQ(this=turned.copy(), expression=value.copy())),
            ),
            value.name,
            quoted=True,
        )
        for value in sorted(values, key=lambda one: one.name)
    ]
    select = exp.select(*rows, *made).from_(pivot.this.copy())
    return rendered(select.group_by(*(one.copy() for one in rows)) if rows else select)


def _is_own(node: exp.Pivot) -> bool:
    """Whether a PIVOT is a statement of its own, in DuckDB's short form."""
    return not node.args.get("unpivot") and bool(node.this)


def _turned(pivot: exp.Pivot) -> tuple[exp.Expr | None, list[exp.Expr]]:
    """The one column whose values become columns, and those that are listed of it."""
    if len(pivot.expressions) != 1:
        return None, []
    one = pivot.expressions[0]
    if isinstance(one, exp.In):
        return one.this, [e for e in one.expressions if isinstance(e, exp.Literal)]
    return (one, []) if isinstance(one, exp.Column) else (None, [])
