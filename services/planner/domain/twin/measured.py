"""The number that a declaration names: a declared metric, or aggregates over exact columns."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.meaning import NotCompiledError
from services.planner.domain.query.intent import Aggregate, Field, Measure
from services.planner.domain.query.joining.joins import graph_of
from services.planner.domain.query.joining.repeats import repeating
from services.planner.domain.query.measures.metrics import is_overall
from services.planner.domain.semantic_model.formulas import NoFormulaError, formula_of
from services.planner.domain.twin.named import Names, describe_fields, parse

_AGGREGATES: dict[type[exp.Expr], Aggregate] = {
    exp.Sum: Aggregate.SUM,
    exp.Avg: Aggregate.AVERAGE,
    exp.Min: Aggregate.MINIMUM,
    exp.Max: Aggregate.MAXIMUM,
    exp.Median: Aggregate.MEDIAN,
    exp.StddevSamp: Aggregate.DEVIATION,
    exp.Stddev: Aggregate.DEVIATION,
    exp.Variance: Aggregate.VARIANCE,
}
_ADDED, _AVERAGED = "amount", "intensive"
_OWN = "declared number"
"""The name of a formula that stands in the declaration alone."""


@dataclass(frozen=True)
class Measured:
    """The number, and the catalogue with the formula that it is of, where it has one."""

    measure: Measure
    catalogue: Catalogue
    declared: bool

    @property
    def table(self) -> Table:
        """The table whose rows it is of."""
        found = self.catalogue.table(self.measure.table)
        assert found is not None
        return found


def measured(text: str, names: Names) -> Measured:
    """What `metric` says. Raises NotCompiledError."""
    if not text.strip():
        raise NotCompiledError("`metric` is not declared")
    known = names.metrics(text)
    if len(known) > 1:
        raise NotCompiledError(
            f'"{text}" is declared several times: write one of {describe_fields(known)}'
        )
    if known:
        return Measured(_of_metric(known[0], names.known(known[0])), names.catalogue, declared=True)
    tree = parse(text)
    if isinstance(tree, exp.Count):
        return _counted(tree, names)
    aggregate = _AGGREGATES.get(type(tree))
    if aggregate is not None and not tree.expressions and not isinstance(tree.this, exp.Distinct):
        return _of_rows(aggregate, tree.this, names)
    if tree.find(exp.AggFunc) is not None:
        return _of_groups(tree, names)
    raise NotCompiledError(f'"{text}" is neither a declared metric nor an aggregate such as sum(…)')


def _of_metric(field: Field, column: Column) -> Measure:
    if is_overall(column):
        aggregate = Aggregate.FORMULA
    elif column.kind == _ADDED:
        aggregate = Aggregate.SUM
    elif column.kind == _AVERAGED:
        aggregate = Aggregate.AVERAGE
    else:
        raise NotCompiledError(
            f"{column.name} is of kind {column.kind}: write avg({column.name}), or how it is meant"
        )
    return _number(aggregate, field.table, field, column.name)


def _number(
    aggregate: Aggregate, table: str, expression: Field | None, label: str = _OWN
) -> Measure:
    additive = aggregate in (Aggregate.SUM, Aggregate.COUNT)
    return Measure(
        aggregate=aggregate, table=table, expression=expression, label=label, additive=additive
    )


def _counted(tree: exp.Count, names: Names) -> Measured:
    """Of `count(orders)` the rows of a table, of a column its values."""
    of = tree.this
    aggregate = Aggregate.COUNT
    if isinstance(of, exp.Distinct):
        if len(of.expressions) != 1:
            raise NotCompiledError("different values are counted of one column")
        aggregate, of = Aggregate.COUNT_DISTINCT, of.expressions[0]
    if isinstance(of, exp.Star):
        if len(names.catalogue.tables) > 1:
            raise NotCompiledError("count(*) of which table? Write count(orders)")
        return Measured(
            _number(aggregate, names.catalogue.tables[0].name, None), names.catalogue, False
        )
    if not isinstance(of, exp.Column):
        raise NotCompiledError("a count is of a table or of a column")
    table = names.table(of.name) if not of.table else None
    if table is not None and aggregate is Aggregate.COUNT:
        return Measured(_number(aggregate, table.name, None), names.catalogue, False)
    field = names.column(of)
    return Measured(_number(aggregate, field.table, field), names.catalogue, False)


def _of_rows(aggregate: Aggregate, of: exp.Expr, names: Names) -> Measured:
    """One aggregate over a number of each row."""
    inner = of.unnest()
    if inner.find(exp.AggFunc) is not None:
        raise NotCompiledError("nothing is aggregated twice")
    if isinstance(inner, exp.Column):
        field = names.column(inner)
        return Measured(_number(aggregate, field.table, field), names.catalogue, False)
    catalogue, field = _with_formula(names.qualified(inner), names)
    return Measured(_number(aggregate, field.table, field), catalogue, False)


def _of_groups(tree: exp.Expr, names: Names) -> Measured:
    """A number that aggregates itself, such as a ratio of sums."""
    catalogue, field = _with_formula(names.qualified(tree), names)
    return Measured(_number(Aggregate.FORMULA, field.table, field), catalogue, False)


def _with_formula(tree: exp.Expr, names: Names) -> tuple[Catalogue, Field]:
    """The catalogue with a formula as a column of the table whose rows it is of."""
    catalogue = names.catalogue
    used = list(dict.fromkeys(one.table for one in tree.find_all(exp.Column)))
    if not used:
        raise NotCompiledError("a number needs a column")
    table = _finest(used, catalogue)

    def reaches(one: str, other: str) -> bool:
        return _reaches(one, other, catalogue)

    try:
        formula = formula_of(tree.sql(dialect="duckdb"), table, catalogue, {}, reaches)
    except NoFormulaError as error:
        raise NotCompiledError(str(error)) from error
    column = Column(
        name=_OWN,
        data_type=DataType.FLOAT,
        role=ColumnRole.MEASURE,
        nullable=True,
        distinct=max(table.rows, 1),
        formula=formula,
    )
    changed = table.model_copy(update={"columns": (*table.columns, column)})
    tables = tuple(changed if one.name == table.name else one for one in catalogue.tables)
    return (
        catalogue.model_copy(update={"tables": tables}),
        Field(table=table.name, column=_OWN),
    )


def _finest(used: list[str], catalogue: Catalogue) -> Table:
    """The table of which each row belongs to one row of all the others."""
    for name in used:
        if all(_reaches(name, other, catalogue) for other in used if other != name):
            table = catalogue.table(name)
            assert table is not None
            return table
    raise NotCompiledError(
        f"rows of {' and '.join(used)} are not of one another: what is one row of the number?"
    )


def _reaches(one: str, other: str, catalogue: Catalogue) -> bool:
    tree = graph_of(catalogue).tree(one, [other])
    return not tree.missing and not repeating(one, tree.relations, catalogue)
