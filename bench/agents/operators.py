"""Mistakes of kinds that no check was built for, and that nobody looks at one by one.

Each changes a parsed statement as those of bench.proposals.mutations do; None where there is
nothing to change.
"""

from __future__ import annotations

from sqlglot import exp

from bench.proposals.mutations import Mutation
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType

_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_TURNED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.LT,
    exp.LT: exp.GT,
    exp.GTE: exp.LTE,
    exp.LTE: exp.GTE,
}


def _turned(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Less in place of more."""
    for node in tree.find_all(*_TURNED):
        if isinstance(node.expression, exp.Literal):
            other = _TURNED[type(node)]
            node.replace(other(this=node.this.copy(), expression=node.expression.copy()))
            return tree
    return None


def _negated(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Everything but what is asked."""
    for node in tree.find_all(exp.EQ):
        if isinstance(node.expression, exp.Literal):
            node.replace(exp.NEQ(this=node.this.copy(), expression=node.expression.copy()))
            return tree
    return None


def _or_for_and(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    where = tree.find(exp.Where)
    inner = where.this if where is not None else None
    if not isinstance(inner, exp.And):
        return None
    inner.replace(exp.Or(this=inner.left.copy(), expression=inner.right.copy()))
    return tree


def _other_number(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Another number of the same table is added up."""
    for node in tree.find_all(exp.Sum, exp.Avg, exp.Max, exp.Min):
        column = node.this
        if isinstance(column, exp.Column) and (other := _other(column, tree, catalogue, True)):
            column.set("this", exp.to_identifier(other.name, quoted=True))
            return tree
    return None


def _other_group(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Split by another text of the same table."""
    group = tree.args.get("group")
    for one in group.expressions if group else ():
        if isinstance(one, exp.Column) and (other := _other(one, tree, catalogue, False)):
            for column in list(tree.find_all(exp.Column)):
                if column.name == one.name and column.table == one.table:
                    column.set("this", exp.to_identifier(other.name, quoted=True))
            return tree
    return None


def _other(column: exp.Column, tree: exp.Expr, catalogue: Catalogue, number: bool) -> Column | None:
    names = {table.name.casefold() for table in tree.find_all(exp.Table)}
    for table in catalogue.tables:
        own = {one.name.casefold() for one in table.columns}
        if table.name.casefold() not in names or column.name.casefold() not in own:
            continue
        for one in table.columns:
            numeric = one.data_type in _NUMBERS and one.role is ColumnRole.MEASURE
            text = one.data_type is DataType.STRING
            if (
                one.name.casefold() != column.name.casefold()
                and not one.formula
                and (numeric if number else text)
            ):
                return one
    return None


def _most_for_least(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    for node in tree.find_all(exp.Max, exp.Min):
        other = exp.Min if isinstance(node, exp.Max) else exp.Max
        node.replace(other(this=node.this.copy()))
        return tree
    return None


def _cut_short(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """A bound that leaves out, or takes in, the last value."""
    ways: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.GTE: exp.GT,
        exp.LTE: exp.LT,
        exp.GT: exp.GTE,
        exp.LT: exp.LTE,
    }
    for node in tree.find_all(*ways):
        if isinstance(node.expression, exp.Literal):
            other = ways[type(node)]
            node.replace(other(this=node.this.copy(), expression=node.expression.copy()))
            return tree
    return None


def _counted_values(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Values of a column that has empty ones in place of rows."""
    names = {table.name.casefold() for table in tree.find_all(exp.Table)}
    tables = [table for table in catalogue.tables if table.name.casefold() in names]
    for node in tree.find_all(exp.Count):
        for column in tables[0].columns if len(tables) == 1 else ():
            if isinstance(node.this, exp.Star) and column.nullable and not column.formula:
                node.set("this", exp.column(column.name, quoted=True))
                return tree
    return None


def _different_values(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr | None:
    """Different values of the number alone are added up."""
    for node in tree.find_all(exp.Sum, exp.Avg):
        if isinstance(node.this, exp.Column):
            node.set("this", exp.Distinct(expressions=[node.this.copy()]))
            return tree
    return None


OPERATORS = (
    Mutation("less for more", _turned),
    Mutation("all but what is asked", _negated),
    Mutation("or for and", _or_for_and),
    Mutation("another number", _other_number),
    Mutation("another group", _other_group),
    Mutation("least for most", _most_for_least),
    Mutation("bound off by one", _cut_short),
    Mutation("values for rows", _counted_values),
    Mutation("different values added", _different_values),
)
