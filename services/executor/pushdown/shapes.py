"""Shapes of a statement that databases read each in their own way, spelled out."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible


def ordered_by_values(tree: exp.Query) -> exp.Query:
    """Orders by what the outputs are, not by their names, which a column may have too; what can be
    ordered by its outputs alone (a set operation, DISTINCT) as a select from it."""
    for query in list(tree.find_all(exp.SetOperation, exp.Select)):
        order = query.args.get("order")
        if order is None:
            continue
        if isinstance(query, exp.SetOperation) or query.args.get("distinct"):
            outer = _outside(query)
            if query is tree:
                tree = outer
            else:
                query.replace(outer)
        elif isinstance(query, exp.Select):
            _by_values(query, order)
    return tree


def _by_values(select: exp.Select, order: exp.Order) -> None:
    outputs = {output.alias_or_name.casefold(): output.unalias() for output in select.selects}
    places = [output.unalias() for output in select.selects]
    terms = []
    for term in order.expressions:
        value = _resolve_position(term.this, outputs, places)
        if value.find(exp.Column, exp.AggFunc, exp.Window, exp.Query):
            made = term.copy()
            made.set("this", value.copy())
            terms.append(made)
    if terms:
        order.set("expressions", terms)
    else:
        order.pop()


def _resolve_position(
    value: exp.Expr, outputs: dict[str, exp.Expr], places: list[exp.Expr]
) -> exp.Expr:
    if isinstance(value, exp.Literal) and not value.is_string:
        place = int(value.name) - 1
        if not 0 <= place < len(places):
            raise NotExpressible("an order by a place that there is not")
        return places[place]
    if isinstance(value, exp.Column) and not value.table:
        return outputs.get(value.name.casefold(), value)
    return value


def _outside(query: exp.Query) -> exp.Query:
    names = [output.alias_or_name for output in query.selects]
    if len({name.casefold() for name in names}) != len(names):
        raise NotExpressible("ordered rows with columns of one name")
    inner = query.copy()
    for part in ("order", "limit", "offset", "with_"):
        inner.set(part, None)
    outputs: list[exp.Expr] = []
    for output in query.selects:
        column = exp.column(output.alias_or_name, table="_u", quoted=True)
        made = exp.Alias(this=column, alias=exp.to_identifier(output.alias_or_name, quoted=True))
        column.type = made.type = output.type
        outputs.append(made)
    outer = exp.Select(expressions=outputs)
    alias = exp.TableAlias(this=exp.to_identifier("_u", quoted=True))
    outer.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
    for part in ("order", "limit", "offset", "with_"):
        outer.set(part, query.args.get(part))
    order = outer.args["order"]
    for column in order.find_all(exp.Column):
        if not column.table and column.name.casefold() in {name.casefold() for name in names}:
            column.set("table", exp.to_identifier("_u", quoted=True))
    _by_values(outer, order)
    return outer


def check_names(tree: exp.Expr) -> None:
    """Raises NotExpressible where two outputs of a select have one name."""
    for select in tree.find_all(exp.Select):
        names = [output.alias_or_name.casefold() for output in select.selects]
        if len(set(names)) != len(names):
            raise NotExpressible("columns of one name")
