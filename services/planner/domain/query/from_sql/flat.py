"""A statement of queries over queries as one SELECT over tables, where that says the same.

Rows that a query within has filtered, grouped or ranked may be told of further by the one around.
Both are one where nothing of the outer is computed over other rows than it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.from_sql.nodes import NotExpressibleError

DIALECT = "duckdb"
_KNOWN = frozenset(
    (
        "kind",
        "expressions",
        "from_",
        "joins",
        "where",
        "group",
        "having",
        "qualify",
        "order",
        "limit",
        "offset",
        "distinct",
        "with_",
        "hint",
        "operation_modifiers",
    )
)


def flattened(tree: exp.Expr, catalogue: Catalogue) -> exp.Select:
    """The statement as one SELECT with its names settled, in small letters.

    Raises NotExpressibleError.
    """
    if any(join.method for join in tree.find_all(exp.Join)):
        raise NotExpressibleError("a join by whatever names are alike")
    schema: dict[str, object] = {
        t.name: {c.name: "VARCHAR" for c in t.columns} for t in catalogue.tables
    }
    try:
        whole = qualify(
            tree.copy(), schema=schema, dialect=DIALECT, quote_identifiers=False, identify=False
        )
    except (SqlglotError, RecursionError, ValueError) as error:
        raise NotExpressibleError(str(error)) from None
    if not isinstance(whole, exp.Select):
        raise NotExpressibleError("not one SELECT")
    _name_once(whole)
    return _flat(_with_queries_in_place(whole))


def _name_once(tree: exp.Expr) -> None:
    """Have a column of USING stand for one of both sides, which are equal in an inner join."""
    for node in list(tree.find_all(exp.Coalesce)):
        sides = [node.this, *node.expressions]
        select = node.find_ancestor(exp.Select)
        outer = any(join.side for join in select.args.get("joins") or ()) if select else True
        alike = all(isinstance(side, exp.Column) for side in sides)
        if alike and not outer and len({side.name for side in sides}) == 1:
            node.replace(node.this)


def _with_queries_in_place(tree: exp.Select) -> exp.Select:
    """Each WITH query where it is read. Raises NotExpressibleError for one that is read again."""
    for held in list(tree.find_all(exp.With)):
        if held.args.get("recursive"):
            raise NotExpressibleError("a recursive query")
        for cte in list(held.expressions):
            if cte.args.get("alias") is not None and cte.args["alias"].columns:
                raise NotExpressibleError("columns that are named anew")
            readers = [t for t in tree.find_all(exp.Table) if t.name == cte.alias and not t.db]
            if len(readers) != 1:
                raise NotExpressibleError("a query that is not read once")
            if not isinstance(cte.this, exp.Select):
                raise NotExpressibleError("a query of other than one SELECT")
            readers[0].replace(cte.this.copy().subquery(readers[0].alias_or_name))
            cte.pop()
        held.pop()
    return tree


def _flat(select: exp.Select) -> exp.Select:
    given = {key for key, value in select.args.items() if value}
    once = select.args.get("distinct")
    if given - _KNOWN or (isinstance(once, exp.Distinct) and once.args.get("on")):
        raise NotExpressibleError("a clause that no intent has")
    _settle_order(select)
    source = _source(select)
    if not isinstance(source, exp.Subquery):
        if any(isinstance(join.this, exp.Subquery) for join in select.args.get("joins") or ()):
            return _with_rows_joined(select)
        return select
    inner = source.this
    if not isinstance(inner, exp.Select) or source.args.get("pivots") or source.alias_column_names:
        raise NotExpressibleError("a query over something other than a SELECT")
    return _flat(_merged(select, _flat(inner), source.alias_or_name))


def _source(select: exp.Select) -> exp.Expr | None:
    of = select.args.get("from_")
    return of.this if of is not None else None


def _with_rows_joined(select: exp.Select) -> exp.Select:
    """Queries of plain rows that are joined, as their tables."""
    for join in select.args["joins"]:
        if not isinstance(join.this, exp.Subquery):
            continue
        inner = _flat(join.this.this) if isinstance(join.this.this, exp.Select) else None
        if inner is None or not _is_rows(inner) or inner.args.get("joins") or join.side:
            raise NotExpressibleError("a join with a query of groups")
        name, given = join.this.alias_or_name, _given(inner)
        table = _source(inner)
        if not isinstance(table, exp.Table):
            raise NotExpressibleError("a join with a query of nothing")
        join.set("this", table.copy())
        _replaced(select, name, given)
        if (where := inner.args.get("where")) is not None:
            select.where(where.this.copy(), copy=False)
    return select


def _settle_order(select: exp.Select) -> None:
    """What is ordered by, and grouped by ALL, as expressions in place of names and places."""
    given = {item.alias_or_name: item.unalias() for item in select.expressions}
    order, group = select.args.get("order"), select.args.get("group")
    if group is not None and group.args.get("all"):
        plain = [e for e in given.values() if not e.find(exp.AggFunc)]
        select.set("group", exp.Group(expressions=[e.copy() for e in plain]))
    if order is None:
        return
    for column in list(order.find_all(exp.Column)):
        if not column.table and column.name in given:
            column.replace(exp.Paren(this=given[column.name].copy()))
    for item in order.expressions:
        if isinstance(item.this, exp.Literal) and not item.this.is_string:
            item.set("this", select.expressions[int(item.this.name) - 1].unalias().copy())


def _is_rows(select: exp.Select) -> bool:
    """Whether a query gives rows as they are: nothing grouped, ranked, cut off or told once."""
    parts = ("group", "having", "qualify", "limit", "offset", "distinct")
    if any(select.args.get(part) for part in parts):
        return False
    return not any(item.find(exp.AggFunc, exp.Window) for item in select.expressions)


def _given(select: exp.Select) -> dict[str, exp.Expr]:
    return {item.alias_or_name: item.unalias() for item in select.expressions}


def _replaced(outer: exp.Expr, name: str, given: dict[str, exp.Expr]) -> None:
    """Columns of a query within as what they are there."""
    for column in list(outer.find_all(exp.Column)):
        if column.table != name:
            continue
        if column.name not in given:
            raise NotExpressibleError(f"no column {column.name}")
        # An alias keeps its column's name where it is one of those that are given.
        column.replace(exp.Paren(this=given[column.name].copy()))


def _named(select: exp.Select) -> None:
    """Every column that is given under the name that it is known by outside."""
    select.set(
        "expressions",
        [
            item if isinstance(item, exp.Alias) else exp.alias_(item, item.alias_or_name)
            for item in select.expressions
        ],
    )


def _merged(outer: exp.Select, inner: exp.Select, name: str) -> exp.Select:
    """The outer query over the tables of the inner one.

    Raises NotExpressibleError where it is about other rows.
    """
    rows = _is_rows(inner)
    cut = any(inner.args.get(part) for part in ("limit", "offset", "distinct"))
    groups = outer.args.get("group") or any(_own_aggregates(outer))
    if cut or (groups and not rows) or (outer.args.get("joins") and not rows):
        raise NotExpressibleError("a query over other rows than those of tables")
    _named(outer)
    where = outer.args.pop("where", None)
    ranked = inner.args.get("qualify") or _windows(inner)
    over = outer.args.get("qualify") or _windows(outer)
    if not rows and over and (where is not None or ranked):
        raise NotExpressibleError("a window over what a window, or a condition on groups, has left")
    given = _given(inner)
    _replaced(outer, name, given)
    if where is not None:
        _replaced(where, name, given)
    merged = outer
    merged.set("from_", inner.args["from_"].copy())
    merged.set("joins", [*_copies(inner, "joins"), *(outer.args.get("joins") or ())] or None)
    conditions = [("where", inner.args.get("where")), ("having", inner.args.get("having"))]
    conditions += [("qualify", inner.args.get("qualify"))]
    clause = "where" if rows else "qualify" if ranked or inner.args.get("qualify") else "having"
    conditions += [(clause, where)]
    for key, found in conditions:
        if found is not None:
            _add(merged, key, found.this.copy())
    if inner.args.get("group") is not None:
        merged.set("group", inner.args["group"].copy())
    return merged


def _copies(select: exp.Select, part: str) -> list[exp.Expr]:
    return [one.copy() for one in select.args.get(part) or ()]


def _add(select: exp.Select, clause: str, condition: exp.Expr) -> None:
    makers: dict[str, Callable[[exp.Expr], exp.Expr]] = {
        "where": lambda c: exp.Where(this=c),
        "having": lambda c: exp.Having(this=c),
        "qualify": lambda c: exp.Qualify(this=c),
    }
    there = select.args.get(clause)
    both = condition if there is None else exp.and_(there.this, condition)
    select.set(clause, makers[clause](both))


def _own_aggregates(select: exp.Select) -> Iterable[exp.AggFunc]:
    """Aggregates over groups that a SELECT makes itself."""
    for part in (*select.expressions, select.args.get("having"), select.args.get("order")):
        for found in part.find_all(exp.AggFunc) if part is not None else ():
            window = found.find_ancestor(exp.Window)
            if window is None and found.find_ancestor(exp.Select) is select:
                yield found


def _windows(select: exp.Select) -> bool:
    parts = (*select.expressions, select.args.get("order"))
    return any(part is not None and part.find(exp.Window) for part in parts)
