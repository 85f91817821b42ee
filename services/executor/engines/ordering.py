"""Gives a query one order of rows, so that equal calls give equal bytes.

- A query over one table without grouping or subqueries keeps the order of the source.
- Any other query without ORDER BY is ordered by all its columns.
- A query with ORDER BY has its ties broken by the remaining columns, where they are spelled out.
- A query with LIMIT and no ORDER BY is left as it is: which rows it wants is not said.
"""

from __future__ import annotations

from sqlglot import exp


def ordered(tree: exp.Query, row_limit: int) -> exp.Query:
    """The same query in a fixed order, with a limit one above `row_limit` if it has none."""
    query = tree.copy()
    order = query.args.get("order")
    if order is not None:
        _break_ties(query, order)
    elif not _limited(query) and not _keeps_source_order(query):
        query.set("order", exp.Order(expressions=[exp.Ordered(this=exp.Var(this="ALL"))]))
    if row_limit and not _limited(query):
        query.set("limit", exp.Limit(expression=exp.Literal.number(row_limit + 1)))
    return query


def _limited(query: exp.Query) -> bool:
    return query.args.get("limit") is not None or query.args.get("fetch") is not None


def _keeps_source_order(query: exp.Query) -> bool:
    if not isinstance(query, exp.Select) or query.args.get("with_"):
        return False
    reshaped = any(query.args.get(part) for part in ("group", "distinct", "joins", "laterals"))
    source = query.args.get("from_")
    one_table = source is not None and isinstance(source.this, exp.Table)
    nested = sum(1 for _ in query.find_all(exp.Select)) > 1
    return one_table and not reshaped and not nested and not query.find(exp.Window)


def _break_ties(query: exp.Query, order: exp.Order) -> None:
    terms = order.expressions
    if any(isinstance(term.this, (exp.Var, exp.Star)) for term in terms):
        return
    outputs = query.selects
    if not outputs or any(output.is_star for output in outputs):
        return
    named = {term.this.sql() for term in terms}
    for position, output in enumerate(outputs, start=1):
        spellings = {output.alias_or_name, output.unalias().sql(), str(position)}
        if not spellings & named:
            number = exp.Literal.number(position)
            order.append("expressions", exp.Ordered(this=number))
