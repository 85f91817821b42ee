"""Metrics of a semantic model in a query: each table that is asked for one is read as a SELECT that
computes it, joined with the tables that its formula needs."""

from __future__ import annotations

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.query.intent import Field
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.measures.metrics import (
    formula_tree,
    has_metrics,
    is_overall,
)
from services.planner.domain.query.planning.predicates import (
    Predicates,
    column_node,
    table_node,
)


def with_metrics(tree: exp.Expr, catalogue: Catalogue) -> exp.Expr:
    """The query with every metric of one row that it names computed below the name of its table.

    Tables that a formula needs are joined so that no row is lost or repeated.
    """
    if not has_metrics(catalogue):
        return tree
    for node in list(tree.find_all(exp.Table)):
        table = catalogue.table(node.name)
        if table is None:
            continue
        name = node.alias_or_name
        used = {c.name for c in tree.find_all(exp.Column) if c.table == name}
        metrics = {
            column.name: formula_tree(column.formula)
            for column in table.columns
            if column.formula and column.name in used and not is_overall(column)
        }
        if metrics:
            plain = sorted(used - set(metrics))
            select = _computed(table, plain, metrics, catalogue)
            node.replace(select.subquery(exp.to_identifier(name, quoted=True)))
    return tree


def _computed(
    table: Table, plain: list[str], metrics: dict[str, exp.Expr], catalogue: Catalogue
) -> exp.Select:
    outputs: list[exp.Expr] = [column_node(Field(table=table.name, column=c)) for c in plain]
    outputs += [exp.alias_(tree.copy(), name, quoted=True) for name, tree in metrics.items()]
    select = exp.select(*outputs).from_(table_node(table.name))
    others = {c.table for tree in metrics.values() for c in tree.find_all(exp.Column)}
    predicates = Predicates(catalogue)
    for relation in graph_of(catalogue).tree(table.name, others - {table.name}).relations:
        on = predicates.related(relation)
        join = exp.Join(this=table_node(relation.right.table), on=on, side="LEFT")
        select.append("joins", join)
    return select


def of_rows(formula: exp.Expr, kept: exp.Expr) -> exp.Expr:
    """A formula of aggregates over those rows alone that fit a condition."""
    for node in list(formula.find_all(exp.AggFunc)):
        above = node.parent
        if isinstance(above, exp.Filter):
            inner = above.expression.this
            above.set("expression", exp.Where(this=exp.and_(inner.copy(), kept.copy())))
            continue
        where = exp.Where(this=kept.copy())
        filtered = exp.Filter(this=node.copy(), expression=where)
        node.replace(filtered)
    return formula
