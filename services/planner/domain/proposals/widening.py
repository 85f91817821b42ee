"""A statement that also shows what its rows are chosen or ordered by.

"The youngest driver" may be answered with a name, or with a name and the date of birth that the
first one orders by and does not show. So both are seen to be one answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from services.planner.domain.statements.parsing import rendered, statement

_SHOWN = "assay_shown"
_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_MOST = 12


def widened(text: str) -> str:
    """The statement with these as further columns, in every SELECT that its rows come straight
    from; empty where there is nothing to add, or where more columns would give other rows."""
    tree = statement(text)
    if not isinstance(tree, exp.Select):
        return ""
    added = _widened(tree, tree)
    return rendered(tree) if 0 < len(added) <= _MOST else ""


def _widened(select: exp.Select, whole: exp.Select, taken: int = 0) -> list[str]:
    """Add to a SELECT, and to the one that it reads alone; the names that were added."""
    if select.args.get("distinct"):
        return []
    grouped = select.args.get("group") is not None or any(
        item.find(exp.AggFunc) and not item.find(exp.Window) for item in select.expressions
    )
    below = [] if grouped else _of_the_one_below(select, whole, taken)
    own = list(dict.fromkeys(_chosen_by(select, grouped)))
    shown = {item.unalias() for item in select.expressions}
    called = {item.alias_or_name.casefold() for item in select.expressions}
    fresh = [
        one
        for one in own
        if one not in shown and not (isinstance(one, exp.Column) and one.name.casefold() in called)
    ]
    names = [f"{_SHOWN}_{taken + len(below) + n}" for n in range(len(fresh))]
    star = any(isinstance(item, exp.Star) for item in select.expressions)
    passed = [] if star else [exp.column(name) for name in below]
    new = [exp.alias_(one.copy(), name) for one, name in zip(fresh, names, strict=True)]
    select.set("expressions", [*select.expressions, *passed, *new])
    return [*below, *names]


def _of_the_one_below(select: exp.Select, whole: exp.Select, taken: int) -> list[str]:
    """What was added to the only query that a SELECT reads, inside it or in WITH."""
    source = select.args.get("from_")
    if source is None or select.args.get("joins"):
        return []
    inner = source.this
    if isinstance(inner, exp.Subquery):
        found = inner.this
    else:
        name = inner.name.casefold()
        held = whole.args.get("with_")
        every = held.expressions if held is not None else ()
        reads = [one for one in whole.find_all(exp.Table) if one.name.casefold() == name]
        found = next(
            (one.this for one in every if one.alias.casefold() == name and len(reads) == 1), None
        )
    return _widened(found, whole, taken) if isinstance(found, exp.Select) else []


def _chosen_by(select: exp.Select, grouped: bool) -> Iterator[exp.Expr]:
    """What rows are ordered by, in the whole or within windows, and what is compared with a bound.
    Parameters stand by their place, so that what holds one is left out."""
    for one in _parts(select, grouped):
        inside = one.find(exp.Placeholder, exp.Parameter, exp.Query)
        if inside is None and not isinstance(one, exp.Literal):
            yield one


def _parts(select: exp.Select, grouped: bool) -> Iterator[exp.Expr]:
    order = select.args.get("order")
    yield from (item.this for item in (order.expressions if order is not None else ()))
    windows = [*select.expressions, select.args.get("qualify")]
    for window in (w for held in windows if held is not None for w in held.find_all(exp.Window)):
        yield window
        if (inside := window.args.get("order")) is not None:
            yield from (item.this for item in inside.expressions)
    having = select.args.get("having")
    if having is not None:
        yield from having.find_all(exp.AggFunc)
    where = select.args.get("where")
    if where is not None and not grouped:
        for node in where.find_all(*_COMPARED):
            if node.find_ancestor(exp.Select) is select:
                yield from node.find_all(exp.Column)
