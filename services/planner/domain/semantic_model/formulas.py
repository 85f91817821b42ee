"""Formulas of metrics: one SQL expression, its columns known, nothing in it but arithmetic.

What runs in the end passes the executor's guard like every query; what is refused here is what a
formula cannot mean: queries, parameters, windows, columns that are not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.query.measures.metrics import formula_tree
from services.planner.domain.semantic_model.places import unlisted

_NOT_HERE: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Query, "a formula holds no query"),
    (exp.Subquery, "a formula holds no query"),
    (exp.Window, "a formula holds no window"),
    (exp.Placeholder, "a formula holds no parameter"),
    (exp.Parameter, "a formula holds no parameter"),
    (exp.Alias, "a formula has no name inside it: its key is its name"),
)
Reaches = Callable[[str, str], bool]
"""Whether each row of the first table belongs to at most one row of the second."""


class NoFormulaError(Exception):
    """Why a text is no formula, for people."""


def formula_of(
    text: str, table: Table, catalogue: Catalogue, metrics: Mapping[str, str], reaches: Reaches
) -> str:
    """The formula with every column named in full, in DuckDB's SQL.

    `metrics` are the formulas that the table has already, by name: they may be used too. What is
    divided by nought is missing. Raises NoFormulaError.
    """
    tree = _parsed(text)
    for kind, why in _NOT_HERE:
        if tree.find(kind) is not None:
            raise NoFormulaError(why)
    stars = [star for star in tree.find_all(exp.Star) if not isinstance(star.parent, exp.Count)]
    if stars:
        raise NoFormulaError("a star stands in count(*) alone")
    tree = tree.transform(_in_full, table, catalogue, metrics, reaches)
    columns = list(tree.find_all(exp.Column))
    if aggregates(tree):
        _check_aggregated(tree, table)
    elif not columns:
        raise NoFormulaError("a formula needs a column")
    return str(tree.transform(_divided_by_something).sql(dialect="duckdb"))


def _check_aggregated(tree: exp.Expr, table: Table) -> None:
    """Raises NoFormulaError for what cannot be computed for a group of rows."""
    if any(node.find_ancestor(exp.AggFunc) for node in aggregates(tree)):
        raise NoFormulaError("nothing is aggregated twice")
    for column in tree.find_all(exp.Column):
        if column.find_ancestor(exp.AggFunc, exp.Filter) is None:
            raise NoFormulaError(f'"{column.name}" stands beside an aggregate: aggregate it too')
        if column.table != table.name:
            raise NoFormulaError(
                f"a formula that aggregates is over columns and metrics of {table.name} alone; "
                "make what it needs of other tables a metric of its own first"
            )


def columns_in(text: str) -> frozenset[str]:
    """The names of the columns in a formula, in lower case; none where it is no formula."""
    try:
        return frozenset(column.name.casefold() for column in _parsed(text).find_all(exp.Column))
    except NoFormulaError:
        return frozenset()


def aggregates(tree: exp.Expr) -> list[exp.Expr]:
    """The aggregations in an expression, such as sums: none where it is of one row."""
    return list(tree.find_all(exp.AggFunc))


def _parsed(text: str) -> exp.Expr:
    try:
        trees = sqlglot.parse(f"SELECT {text}", dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        sentence = str(error).splitlines()[0].partition(". Line ")[0]
        raise NoFormulaError(f"this is no SQL expression: {sentence}") from error
    select = trees[0] if len(trees) == 1 else None
    given = {name for name, value in select.args.items() if value} if select is not None else set()
    if not isinstance(select, exp.Select) or given - {"expressions", "kind"}:
        raise NoFormulaError("a formula is one SQL expression, such as price * quantity")
    if len(select.expressions) != 1:
        raise NoFormulaError("a formula is one SQL expression, not several")
    expression: exp.Expr = select.expressions[0].copy()
    return expression


def _in_full(
    node: exp.Expr,
    table: Table,
    catalogue: Catalogue,
    metrics: Mapping[str, str],
    reaches: Reaches,
) -> exp.Expr:
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return node
    if node.args.get("db") is not None:
        raise NoFormulaError(f'"{node.sql()}" has too many parts: "table.column" is enough')
    owner = _table(node.table, catalogue) if node.table else table
    if owner.name == table.name and (known := _like(node.name, metrics)):
        inside = node.find_ancestor(exp.AggFunc, exp.Filter) is not None
        formula = formula_tree(metrics[known])
        if inside and not aggregates(formula):
            return exp.column(known, table=table.name, quoted=True)
        return exp.Paren(this=formula.copy())
    column = _like(node.name, {column.name: "" for column in owner.columns})
    if not column:
        names = [*metrics, *(c.name for c in owner.columns)]
        raise NoFormulaError(
            unlisted(f'{owner.name} has no column "{node.name}"', node.name, names)
        )
    if owner.name != table.name and not reaches(table.name, owner.name):
        raise NoFormulaError(
            f"a row of {table.name} does not belong to one row of {owner.name}: declare the join"
        )
    return exp.column(column, table=owner.name, quoted=True)


def _table(name: str, catalogue: Catalogue) -> Table:
    found = next((t for t in catalogue.tables if t.name.casefold() == name.casefold()), None)
    if found is None:
        names = [table.name for table in catalogue.tables]
        raise NoFormulaError(unlisted(f'there is no table "{name}"', name, names))
    return found


def _like(name: str, known: Mapping[str, str]) -> str:
    """The name as it is known, whatever its case; empty where it is not."""
    return next((one for one in known if one.casefold() == name.casefold()), "")


def _divided_by_something(node: exp.Expr) -> exp.Expr:
    if not isinstance(node, exp.Div) or isinstance(node.expression, exp.Literal | exp.Nullif):
        return node
    divisor = exp.Nullif(this=node.expression.copy(), expression=exp.Literal.number(0))
    return exp.Div(this=node.this.copy(), expression=divisor)
