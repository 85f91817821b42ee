"""Shapes of a statement that DuckDB knows and PostgreSQL does not, spelled out."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible


def named(tree: exp.Query) -> exp.Query:
    """Outputs without a name get one of their own, which no ORDER BY can mean."""
    for select in list(tree.find_all(exp.Select)):
        outputs = [
            output
            if isinstance(output, (exp.Alias, exp.Column, exp.Star, exp.Dot))
            else exp.Alias(this=output, alias=exp.to_identifier(f"_output_{position}", quoted=True))
            for position, output in enumerate(select.expressions)
        ]
        select.set("expressions", outputs)
    return tree


def spell_out(select: exp.Select) -> None:
    """GROUP BY ALL and ORDER BY ALL, by what they stand for."""
    group = select.args.get("group")
    if group is not None and group.args.get("all"):
        keys = [
            output.unalias().copy()
            for output in select.expressions
            if not _aggregates(output) and not isinstance(output.unalias(), exp.Literal)
        ]
        if keys:
            select.set("group", exp.Group(expressions=keys))
        else:
            select.set("group", None)
    spell_out_order(select)


def _aggregates(output: exp.Expr) -> bool:
    return any(
        isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window)
        for node in output.find_all(exp.AggFunc)
    )


def spell_out_order(query: exp.Query) -> None:
    """ORDER BY ALL, by the places it stands for."""
    order = query.args.get("order")
    terms = order.expressions if order is not None else []
    if not any(
        isinstance(term.this, exp.Var) and term.this.name.upper() == "ALL" for term in terms
    ):
        return
    options = {key: terms[0].args.get(key) for key in ("desc", "nulls_first")}
    places = [
        exp.Ordered(this=exp.Literal.number(place), **options)
        for place in range(1, len(query.selects) + 1)
    ]
    query.set("order", exp.Order(expressions=places))


def move_qualify(select: exp.Select) -> None:
    """QUALIFY as a condition over a subselect, which order and limit come after."""
    condition = select.args.get("qualify")
    if condition is None:
        return
    outputs = [output.alias_or_name for output in select.selects]
    inner = select.copy()
    for part in ("qualify", "order", "limit", "offset", "with_"):
        inner.set(part, None)
    if inner.args.get("distinct") or len(set(outputs)) != len(outputs):
        raise NotExpressible("QUALIFY with DISTINCT or columns of one name")
    by_name = {output.alias_or_name: output.unalias() for output in select.selects}
    test = condition.this.copy().transform(
        lambda node: (
            by_name[node.name].copy()
            if isinstance(node, exp.Column) and not node.table and node.name in by_name
            else node
        )
    )
    inner.append("expressions", exp.alias_(test, "_kept", quoted=True))
    order = select.args.get("order")
    for column in order.find_all(exp.Column) if order is not None else ():
        if column.table:
            raise NotExpressible("QUALIFY ordered by what is not in the result")
    columns = [exp.column(name, table="_q", quoted=True).as_(name, quoted=True) for name in outputs]
    for column, output in zip(columns, select.selects, strict=True):
        column.type = column.this.type = output.type
    select.set("expressions", columns)
    select.set("from_", exp.From(this=inner.subquery("_q")))
    select.set("where", exp.Where(this=exp.column("_kept", table="_q", quoted=True)))
    for part in ("joins", "group", "having", "windows", "qualify", "laterals"):
        select.set(part, None)
