"""Shapes of a statement that DuckDB knows and MySQL and MariaDB do not, spelled out."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible


def spell_out_values(tree: exp.Expr) -> None:
    """VALUES as selects, which alone can name their columns."""
    for node in list(tree.find_all(exp.Values)):
        alias = node.args.get("alias")
        if not isinstance(node.parent, (exp.From, exp.Join)) or alias is None:
            raise NotExpressible("VALUES without a name")
        names = [column.name for column in alias.args.get("columns") or ()]
        selects = []
        for row in node.expressions:
            cells = row.expressions if isinstance(row, exp.Tuple) else [row]
            if len(cells) != len(names):
                raise NotExpressible("VALUES whose columns have no names")
            outputs = [_named(cell, name) for cell, name in zip(cells, names, strict=True)]
            selects.append(exp.Select(expressions=outputs))
        whole: exp.Query = selects[0]
        for further in selects[1:]:
            whole = exp.Union(this=whole, expression=further, distinct=False)
        table = exp.TableAlias(this=alias.this.copy())
        node.replace(exp.Subquery(this=whole, alias=table))


def _named(cell: exp.Expr, name: str) -> exp.Expr:
    made = exp.Alias(this=cell.copy(), alias=exp.to_identifier(name, quoted=True))
    made.type = made.this.type = cell.type
    return made


def place_nulls(tree: exp.Expr) -> None:
    """NULLS FIRST and LAST as a term of their own before each, and names of outputs as values."""
    for order in reversed(list(tree.find_all(exp.Order))):
        _order(order)  # those of windows first: what they are part of is repeated


def _order(order: exp.Order) -> None:
    select = order.parent
    if isinstance(select, exp.SetOperation):
        return  # by its outputs alone: `ordered_outside`
    outputs = {}
    places: list[exp.Expr] = []
    if isinstance(select, exp.Select):
        outputs = {output.alias_or_name.casefold(): output.unalias() for output in select.selects}
        places = [output.unalias() for output in select.selects]
    terms: list[exp.Expr] = []
    for term in order.expressions:
        if not isinstance(term, exp.Ordered):
            raise NotExpressible("an order of this kind")
        value = _resolve_position(term.this, outputs, places)
        if isinstance(value, exp.Literal):
            continue
        terms += _terms(term, value)
    if not terms:
        order.pop()
        return
    order.set("expressions", terms)


def _terms(term: exp.Ordered, value: exp.Expr) -> list[exp.Expr]:
    """Nothing is smallest to the server, and it has no word for another place."""
    last = not term.args.get("nulls_first")
    is_null = exp.paren(exp.Is(this=exp.paren(value.copy()), expression=exp.Null()))
    first = exp.Ordered(this=is_null, desc=not last)
    own = exp.Ordered(this=value.copy(), desc=bool(term.args.get("desc")))
    return [own] if isinstance(term.parent, exp.Order) and _is_natural(term) else [first, own]


def _is_natural(term: exp.Ordered) -> bool:
    return bool(term.args.get("nulls_first")) != bool(term.args.get("desc"))


def _resolve_position(
    value: exp.Expr, outputs: dict[str, exp.Expr], places: list[exp.Expr]
) -> exp.Expr:
    if isinstance(value, exp.Literal) and not value.is_string and places:
        place = int(value.name) - 1
        if not 0 <= place < len(places):
            raise NotExpressible("an order by a place that there is not")
        return places[place]
    if isinstance(value, exp.Column) and not value.table:
        return outputs.get(value.name.casefold(), value)
    return value


def ordered_outside(tree: exp.Query) -> exp.Query:
    """What is ordered by its outputs alone (a set operation, DISTINCT), as a select from it, which
    can say where NULL is put."""
    for union in list(tree.find_all(exp.SetOperation, exp.Select)):
        if isinstance(union, exp.Select) and not union.args.get("distinct"):
            continue
        order = union.args.get("order")
        if order is None:
            continue
        names = [output.alias_or_name for output in union.selects]
        if len({name.casefold() for name in names}) != len(names):
            raise NotExpressible("ordered rows with columns of one name")
        inner = union.copy()
        for part in ("order", "limit", "offset", "with_"):
            inner.set(part, None)
        outputs: list[exp.Expr] = []
        for output in union.selects:
            column = exp.column(output.alias_or_name, table="_u", quoted=True)
            column.type = output.type
            made = exp.Alias(
                this=column, alias=exp.to_identifier(output.alias_or_name, quoted=True)
            )
            made.type = output.type
            outputs.append(made)
        outer = exp.Select(expressions=outputs)
        alias = exp.TableAlias(this=exp.to_identifier("_u", quoted=True))
        outer.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
        for part in ("order", "limit", "offset", "with_"):
            outer.set(part, union.args.get(part))
        if union is tree:
            tree = outer
        else:
            union.replace(outer)
    return tree


def check_names(tree: exp.Expr) -> None:
    """Outputs of one name cannot stand in a subselect there. Raises NotExpressible."""
    for select in tree.find_all(exp.Select):
        if not isinstance(select.parent, (exp.Subquery, exp.CTE)):
            continue
        names = [output.alias_or_name.casefold() for output in select.selects]
        if len(set(names)) != len(names):
            raise NotExpressible("columns of one name in a subselect")
