"""Renders an intent as one DuckDB query, built as a syntax tree; values are bound parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.language.intent import (
    Aggregate,
    Condition,
    Dimension,
    Expression,
    Field,
    Filter,
    FullName,
    Grain,
    Group,
    Having,
    Intent,
    Measure,
    Membership,
    Operator,
    Order,
)
from services.planner.domain.language.joins import JoinGraph, key_of

_COMPARISONS: dict[Operator, type[exp.Binary]] = {
    Operator.EQUAL: exp.EQ,
    Operator.NOT_EQUAL: exp.NEQ,
    Operator.GREATER: exp.GT,
    Operator.AT_LEAST: exp.GTE,
    Operator.LESS: exp.LT,
    Operator.AT_MOST: exp.LTE,
}
_FUNCTIONS: dict[Aggregate, str] = {
    Aggregate.SUM: "SUM",
    Aggregate.AVERAGE: "AVG",
    Aggregate.MINIMUM: "MIN",
    Aggregate.MAXIMUM: "MAX",
    Aggregate.MEDIAN: "MEDIAN",
    Aggregate.DEVIATION: "STDDEV_SAMP",
}


@dataclass(frozen=True, slots=True)
class Query:
    """A statement with `?` places and the values for them, in order."""

    text: str
    params: tuple[Any, ...]
    columns: tuple[str, ...]


def render(intent: Intent, catalogue: Catalogue) -> Query:
    """The query whose result is the tidy answer: dimensions first, then measures."""
    return _Renderer(intent, catalogue).query()


class _Renderer:
    def __init__(self, intent: Intent, catalogue: Catalogue) -> None:
        self.intent = intent
        self.catalogue = catalogue
        self.graph = JoinGraph(catalogue)

    def query(self) -> Query:
        intent = self.intent
        outputs = [exp.alias_(self.dimension(d), d.label, quoted=True) for d in intent.dimensions]
        outputs += [exp.alias_(self.measure(m), m.label, quoted=True) for m in intent.measures]
        select = exp.select(*outputs).from_(_table(intent.base))
        for relation in intent.joins:
            select = select.join(
                _table(relation.right.table),
                on=self.joined(relation.left, relation.right),
                join_type="inner",
            )
        where = [self.filter(f) for f in intent.filters]
        if where:
            select = select.where(*where, copy=False)
        groups = self.groups()
        if groups:
            select = select.group_by(*groups)
        for having in intent.having:
            select = select.having(self.having(having))
        if intent.distinct and not groups:
            select = select.distinct()
        select = self.ordered(select)
        tree: exp.Expression = select.limit(intent.limit) if intent.limit else select
        params = tuple(node.meta["value"] for node in tree.find_all(exp.Placeholder, bfs=False))
        names = tuple(d.label for d in intent.dimensions) + tuple(m.label for m in intent.measures)
        return Query(tree.sql(dialect="duckdb"), params, names)

    def groups(self) -> list[exp.Expression]:
        intent = self.intent
        if not intent.grouped and not intent.deduplicate:
            return []
        keys: list[exp.Expression] = [self.dimension(d) for d in intent.dimensions]
        keys += [_column(d.identity) for d in intent.dimensions if d.identity]
        if intent.deduplicate and not intent.grouped:
            keys += [self.measure(m) for m in intent.measures]
            base = self.catalogue.table(intent.base)
            keys += [
                _column(Field(table=intent.base, column=k)) for k in (key_of(base) if base else ())
            ]
        return keys

    def dimension(self, dimension: Dimension) -> exp.Expression:
        value = self.value(dimension.expression)
        grain = dimension.grain
        if grain is None:
            return value
        if grain is Grain.WEEKDAY:
            return exp.func("DAYNAME", value)
        if grain is Grain.MONTH_OF_YEAR:
            return exp.func("MONTH", value)
        if grain is Grain.HOUR:
            return exp.func("HOUR", value)
        if grain is Grain.YEAR:
            return exp.func("YEAR", value)
        if grain is Grain.DAY:
            return exp.cast(value, "DATE")
        return exp.cast(
            exp.Anonymous(this="DATE_TRUNC", expressions=[exp.Literal.string(grain.value), value]),
            "DATE",
        )

    def measure(self, measure: Measure) -> exp.Expression:
        if measure.expression is None:
            if measure.aggregate is Aggregate.COUNT_DISTINCT:
                table = self.catalogue.table(measure.table)
                keys = key_of(table) if table else ()
                columns = [_column(Field(table=measure.table, column=key)) for key in keys]
                if columns:
                    return exp.Count(this=exp.Distinct(expressions=columns[:1]))
            return exp.Count(this=exp.Star())
        value = self.value(measure.expression)
        if measure.aggregate is None:
            return (
                self.numeric(measure.expression, value)
                if isinstance(measure.expression, Field)
                else value
            )
        if measure.aggregate is Aggregate.COUNT:
            return exp.Count(this=value)
        if measure.aggregate is Aggregate.COUNT_DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[value]))
        if isinstance(measure.expression, Field):
            value = self.numeric(measure.expression, value)
        return exp.Anonymous(this=_FUNCTIONS[measure.aggregate], expressions=[value])

    def numeric(self, field: Field, value: exp.Expression) -> exp.Expression:
        """Text that is to be computed with is read as a number where it is one."""
        if self.data_type(field) is not DataType.STRING:
            return value
        return exp.TryCast(this=value, to=exp.DataType.build("DOUBLE"))

    def data_type(self, field: Field) -> DataType | None:
        table = self.catalogue.table(field.table)
        column = table.column(field.column) if table else None
        return column.data_type if column else None

    def value(self, expression: Expression) -> exp.Expression:
        if isinstance(expression, Field):
            return _column(expression)
        if isinstance(expression, FullName):
            parts: list[exp.Expression] = [exp.Literal.string(" ")]
            parts += [_column(part) for part in expression.parts]
            return exp.Anonymous(this="CONCAT_WS", expressions=parts)
        value: exp.Expression = _column(expression.factors[0])
        for factor in expression.factors[1:]:
            value = exp.Mul(this=value, expression=_column(factor))
        for discount in expression.discounts:
            rest = exp.Paren(this=exp.Sub(this=exp.Literal.number(1), expression=_column(discount)))
            value = exp.Mul(this=value, expression=rest)
        return value

    def joined(self, left: Field, right: Field) -> exp.Expression:
        """Two columns being equal, compared as text where only one of them is text."""
        a, b = _column(left), _column(right)
        text = DataType.STRING
        kinds = {self.data_type(left), self.data_type(right)}
        if len(kinds) > 1 and text in kinds:
            return exp.EQ(this=exp.cast(a, "VARCHAR"), expression=exp.cast(b, "VARCHAR"))
        return exp.EQ(this=a, expression=b)

    def filter(self, wanted: Filter) -> exp.Expression:
        if isinstance(wanted, Condition):
            return self.condition(wanted)
        if isinstance(wanted, Membership):
            return self.membership(wanted)
        return self.group(wanted)

    def group(self, group: Group) -> exp.Expression:
        members = [self.filter(member) for member in group.members]
        combined = exp.or_(*members) if group.connective == "or" else exp.and_(*members)
        return exp.Paren(this=combined)

    def condition(self, condition: Condition) -> exp.Expression:
        column: exp.Expression = _column(condition.field)
        operator, values = condition.operator, condition.values
        data_type = self.data_type(condition.field)
        if operator is Operator.IS_NULL:
            return exp.Is(this=column, expression=exp.Null())
        if operator is Operator.NOT_NULL:
            return exp.Not(this=exp.Is(this=column, expression=exp.Null()))
        if condition.than_average:
            whole = exp.Anonymous(this="AVG", expressions=[self.numeric(condition.field, column)])
            mean = exp.select(whole).from_(_table(condition.field.table)).subquery()
            return _COMPARISONS[operator](
                this=self.numeric(condition.field, column), expression=mean
            )
        if all(isinstance(v, int | float) for v in values) and data_type is DataType.STRING:
            column = self.numeric(condition.field, column)
        places = [self.place(v, data_type) for v in values]
        if operator is Operator.BETWEEN:
            return exp.Between(this=column, low=places[0], high=places[1])
        if operator in (Operator.IN, Operator.NOT_IN):
            inside = exp.In(this=column, expressions=places)
            return inside if operator is Operator.IN else exp.Not(this=inside)
        if operator in _COMPARISONS:
            return _COMPARISONS[operator](this=column, expression=places[0])
        return _like(column, operator, str(values[0]))

    def place(self, value: Any, data_type: DataType | None) -> exp.Expression:
        if isinstance(value, date):
            kind = "TIMESTAMP" if data_type is DataType.DATETIME else "DATE"
            return exp.cast(_place(value.isoformat()), kind)
        if data_type is DataType.BOOLEAN:
            return exp.Boolean(this=str(value).lower() in ("true", "1", "yes", "t", "y"))
        return _place(value)

    def membership(self, wanted: Membership) -> exp.Expression:
        relation = self.graph.direct(wanted.table, wanted.related)
        if relation is not None:
            left, right = relation.left, relation.right
            inner = exp.select(_column(right)).from_(_table(wanted.related))
        else:
            table = self.catalogue.table(wanted.table)
            key = key_of(table)[0] if table and key_of(table) else ""
            left = right = Field(table=wanted.table, column=key)
            tree = self.graph.tree(wanted.table, [wanted.related])
            inner = exp.select(_column(right)).from_(_table(wanted.table))
            for step in tree.relations:
                inner = inner.join(
                    _table(step.right.table), on=self.joined(step.left, step.right),
                    join_type="inner",
                )  # fmt: skip
        conditions = [exp.Not(this=exp.Is(this=_column(right), expression=exp.Null()))]
        if wanted.where is not None:
            conditions.append(self.filter(wanted.where))
        inner = inner.where(*conditions)
        inside = exp.In(this=_column(left), query=inner.subquery())
        return exp.Not(this=inside) if wanted.absent else inside

    def having(self, having: Having) -> exp.Expression:
        measure = self.measure(having.measure)
        places = [_place(value) for value in having.values]
        if having.operator is Operator.BETWEEN:
            return exp.Between(this=measure, low=places[0], high=places[1])
        return _COMPARISONS[having.operator](this=measure, expression=places[0])

    def ordered(self, select: exp.Select) -> exp.Select:
        for order in self.intent.order:
            target = self.order_target(order)
            nulls_first = False
            select = select.order_by(
                exp.Ordered(this=target, desc=order.descending, nulls_first=nulls_first)
            )
        return select

    def order_target(self, order: Order) -> exp.Expression:
        if order.target == "measure":
            return self.measure(self.intent.measures[order.index])
        if order.target == "dimension":
            dimension = self.intent.dimensions[order.index]
            if dimension.grain is Grain.WEEKDAY:
                return exp.func("MIN", exp.func("ISODOW", self.value(dimension.expression)))
            return self.dimension(dimension)
        column = _column(order.field) if order.field else exp.Null()
        return exp.func("MIN", column) if self.groups() else column


def _table(name: str) -> exp.Table:
    return exp.to_table(
        exp.to_identifier(name, quoted=True).sql(dialect="duckdb"), dialect="duckdb"
    )


def _column(field: Field) -> exp.Column:
    return exp.column(field.column, table=field.table, quoted=True)


def _place(value: Any) -> exp.Placeholder:
    node = exp.Placeholder()
    node.meta["value"] = value
    return node


def _like(column: exp.Expression, operator: Operator, text: str) -> exp.Expression:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    pattern = {
        Operator.STARTS_WITH: f"{escaped}%",
        Operator.ENDS_WITH: f"%{escaped}",
    }.get(operator, f"%{escaped}%")
    like: exp.Expression = exp.ILike(this=column, expression=_place(pattern))
    if escaped != text:
        like = exp.Escape(this=like, expression=exp.Literal.string("\\"))
    return exp.Not(this=like) if operator is Operator.NOT_CONTAINS else like


def distinct_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Column names made different from each other by numbering the later ones."""
    seen: dict[str, int] = {}
    result: list[str] = []
    for name in columns:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(result)
