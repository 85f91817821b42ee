"""Expressions and conditions as syntax-tree nodes; every value of the question is a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import Any

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.query.intent import (
    Against,
    Condition,
    Copy,
    Expression,
    Field,
    Filter,
    FullName,
    Group,
    Membership,
    Operator,
    Relation,
)
from services.planner.domain.query.joining.joins import JoinGraph, graph_of, key_of
from services.planner.domain.query.planning.whole_days import of_days

COMPARISONS: dict[Operator, type[exp.Binary]] = {
    Operator.EQUAL: exp.EQ,
    Operator.NOT_EQUAL: exp.NEQ,
    Operator.GREATER: exp.GT,
    Operator.AT_LEAST: exp.GTE,
    Operator.LESS: exp.LT,
    Operator.AT_MOST: exp.LTE,
}


class Predicates:
    """Builds nodes over the tables of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    @cached_property
    def graph(self) -> JoinGraph:
        """How its tables connect, found only where a condition asks for it."""
        return graph_of(self.catalogue)

    def numeric(self, field: Field, value: exp.Expr) -> exp.Expr:
        """Text that is to be computed with is read as a number where it is one."""
        if self.data_type(field) is not DataType.STRING:
            return value
        return exp.TryCast(this=value, to=exp.DataType.build("DOUBLE"))

    def data_type(self, field: Field) -> DataType | None:
        """The type of a column."""
        table = self.catalogue.table(field.table)
        column = table.column(field.column) if table else None
        return column.data_type if column else None

    def value(self, expression: Expression) -> exp.Expr:
        """A column, a full name, or a product of columns."""
        if isinstance(expression, Field):
            return column_node(expression)
        if isinstance(expression, FullName):
            parts: list[exp.Expr] = [exp.Literal.string(" ")]
            parts += [column_node(part) for part in expression.parts]
            return exp.Anonymous(this="CONCAT_WS", expressions=parts)
        value: exp.Expr = column_node(expression.factors[0])
        for factor in expression.factors[1:]:
            value = exp.Mul(this=value, expression=column_node(factor))
        for discount in expression.discounts:
            rest = exp.Paren(
                this=exp.Sub(this=exp.Literal.number(1), expression=column_node(discount))
            )
            value = exp.Mul(this=value, expression=rest)
        return value

    def joined(self, left: Field, right: Field) -> exp.Expr:
        """Two columns being equal, compared as text where only one of them is text."""
        a, b = column_node(left), column_node(right)
        text = DataType.STRING
        kinds = {self.data_type(left), self.data_type(right)}
        if len(kinds) > 1 and text in kinds:
            return exp.EQ(this=_as_text(a), expression=_as_text(b))
        return exp.EQ(this=a, expression=b)

    def related(self, relation: Relation) -> exp.Expr:
        """The condition under which the rows of two tables belong together."""
        left, right = relation.left.table, relation.right.table
        pairs = [
            self.joined(Field(table=left, column=a), Field(table=right, column=b))
            for a, b in ((relation.left.column, relation.right.column), *relation.further)
        ]
        return exp.and_(*pairs, copy=False) if len(pairs) > 1 else pairs[0]

    def filter(self, wanted: Filter) -> exp.Expr:
        """Any filter as a condition of the query."""
        if isinstance(wanted, Condition):
            return self.condition(wanted)
        if isinstance(wanted, Membership):
            return self.membership(wanted)
        if isinstance(wanted, Against):
            return self.against(wanted)
        return self.group(wanted)

    def group(self, group: Group) -> exp.Expr:
        """Conditions tied by and, or by or."""
        members = [self.filter(member) for member in group.members]
        tied = exp.or_ if group.connective == "or" else exp.and_
        return exp.Paren(this=tied(*members, copy=False))

    def against(self, wanted: Against) -> exp.Expr:
        """Two columns of a row compared; text is read as a number beside a number."""
        sides = [column_node(wanted.field), column_node(wanted.other)]
        kinds = [self.data_type(wanted.field), self.data_type(wanted.other)]
        text = DataType.STRING
        numbers: list[exp.Expr] = [
            exp.TryCast(this=side, to=exp.DataType.build("DOUBLE")) if kind is text else side
            for side, kind in zip(sides, kinds, strict=True)
        ]
        left, right = numbers if kinds != [text, text] else sides
        if wanted.factor != 1:
            right = exp.Mul(this=exp.Literal.number(wanted.factor), expression=right)
        return COMPARISONS[wanted.operator](this=left, expression=right)

    def condition(self, condition: Condition) -> exp.Expr:
        """One comparison."""
        column: exp.Expr = column_node(condition.field)
        operator, values = condition.operator, condition.values
        data_type = self.data_type(condition.field)
        if operator is Operator.IS_NULL:
            return exp.Is(this=column, expression=exp.Null())
        if operator is Operator.NOT_NULL:
            return exp.Not(this=exp.Is(this=column, expression=exp.Null()))
        if operator is Operator.NOT_A_NUMBER:
            read = exp.TryCast(this=column, to=exp.DataType.build("DOUBLE"))
            return exp.Is(this=read, expression=exp.Null())
        if condition.than_average:
            whole = exp.Anonymous(this="AVG", expressions=[self.numeric(condition.field, column)])
            rows = exp.select(whole).from_(table_node(condition.field.table))
            if condition.among is not None:
                rows = rows.where(self.filter(condition.among))
            return COMPARISONS[operator](
                this=self.numeric(condition.field, column), expression=rows.subquery()
            )
        if data_type is DataType.DATETIME:
            days = of_days(column, condition, lambda text: self.place(text, data_type))
            if days is not None:
                return days
        if all(isinstance(v, int | float) for v in values) and data_type is DataType.STRING:
            column = self.numeric(condition.field, column)
        places = [self.place(v, data_type) for v in values]
        if operator is Operator.BETWEEN:
            return exp.Between(this=column, low=places[0], high=places[1])
        if operator in (Operator.IN, Operator.NOT_IN):
            inside = exp.In(this=column, expressions=places)
            return inside if operator is Operator.IN else exp.Not(this=inside)
        if operator in COMPARISONS:
            return COMPARISONS[operator](this=column, expression=places[0])
        if data_type is not DataType.STRING:
            column = exp.cast(column, "VARCHAR")
        return _like(column, operator, str(values[0]))

    def place(self, value: Any, data_type: DataType | None) -> exp.Expr:
        """A `?` that stands for the value, cast where the column is a date."""
        if isinstance(value, date) or data_type in (DataType.DATE, DataType.DATETIME):
            kind = "TIMESTAMP" if data_type is DataType.DATETIME else "DATE"
            return exp.cast(place_node(str(value)), kind)
        if data_type is DataType.BOOLEAN:
            return exp.Boolean(this=str(value).lower() in ("true", "1", "yes", "t", "y"))
        return place_node(value)

    def membership(self, wanted: Membership) -> exp.Expr:
        """Whether a related row exists."""
        relation = self.graph.direct(wanted.table, wanted.related)
        if wanted.path:
            relation = wanted.path[0] if len(wanted.path) == 1 else None
        if relation is not None and relation.further:
            return self._exists(wanted, relation)
        if relation is not None:
            left, right = relation.left, relation.right
            inner = exp.select(column_node(right)).from_(table_node(wanted.related))
        else:
            table = self.catalogue.table(wanted.table)
            key = key_of(table)[0] if table and key_of(table) else ""
            left = right = Field(table=wanted.table, column=key)
            steps = wanted.path or self.graph.tree(wanted.table, [wanted.related]).relations
            inner = exp.select(column_node(right)).from_(table_node(wanted.table))
            for step in steps:
                inner = inner.join(
                    table_node(step.right.table),
                    on=self.related(step),
                    join_type="inner",
                )
        conditions: list[exp.Expr] = [
            exp.Not(this=exp.Is(this=column_node(right), expression=exp.Null()))
        ]
        if wanted.where is not None:
            conditions.append(self.filter(wanted.where))
        inner = inner.where(*conditions)
        inside = exp.In(this=column_node(left), query=inner.subquery())
        if not wanted.absent:
            return inside
        absent = exp.Not(this=inside)
        if wanted.where is not None or self._always_there(left):
            return absent
        # A row that refers to nothing has no related row, where IN knows nothing of it. Of those
        # that fit a condition nothing is known of it either way: "not in teams with over 5 people".
        nowhere = exp.Is(this=column_node(left), expression=exp.Null())
        return exp.Paren(this=exp.or_(nowhere, absent, wrap=False))

    def _always_there(self, field: Field) -> bool:
        """Whether every row has a value in a column, as in the key of its table."""
        table = self.catalogue.table(field.table)
        column = table.column(field.column) if table is not None else None
        keyed = table is not None and table.primary_key == (field.column,)
        return keyed or (column is not None and not column.nullable)

    def _exists(self, wanted: Membership, relation: Relation) -> exp.Expr:
        """As `membership`, where several columns tell which row is related."""
        inner = exp.select("1").from_(table_node(wanted.related)).where(self.related(relation))
        if wanted.where is not None:
            inner = inner.where(self.filter(wanted.where))
        exists = exp.Exists(this=inner)
        return exp.Not(this=exists) if wanted.absent else exists


def _as_text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, exp.DataType.Type.VARCHAR, copy=False)


def table_node(name: str) -> exp.Table:
    """A table by its quoted name."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def with_copies(tree: exp.Expr, copies: Sequence[Copy]) -> exp.Expr:
    """The query with each copy of a table read from that table."""
    if not copies:
        return tree
    sources = {copy.name: copy.table for copy in copies}
    for table in tree.find_all(exp.Table):
        if table.name in sources:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
            table.set("this", exp.to_identifier(sources[table.name], quoted=True))
    return tree


def by_rank(value: exp.Expr, ranks: Sequence[str]) -> exp.Expr:
    """A text as its place among `ranks`, missing where it is none of them; without any, itself."""
    if not ranks:
        return value
    known = exp.Array(expressions=[exp.Literal.string(rank) for rank in ranks])
    return exp.Nullif(
        this=exp.Anonymous(this="LIST_POSITION", expressions=[known, value]),
        expression=exp.Literal.number(0),
    )


def column_node(field: Field) -> exp.Column:
    """A column by its quoted name and table."""
    name = exp.Identifier(this=field.column, quoted=True)
    return exp.Column(this=name, table=exp.Identifier(this=field.table, quoted=True))


def place_node(value: Any) -> exp.Placeholder:
    """A `?`; the value travels in the node until the parameters are collected."""
    node = exp.Placeholder()
    node.meta["value"] = value
    return node


def values_of(tree: exp.Expr) -> Iterator[Any]:
    """The values of all `?`, in the order of the text."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Placeholder):
            yield node.meta["value"]
        waiting += node.iter_expressions(reverse=True)


def _like(column: exp.Expr, operator: Operator, text: str) -> exp.Expr:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    pattern = {
        Operator.STARTS_WITH: f"{escaped}%",
        Operator.ENDS_WITH: f"%{escaped}",
    }.get(operator, f"%{escaped}%")
    like: exp.Expr = exp.ILike(this=column, expression=place_node(pattern))
    if escaped != text:
        like = exp.Escape(this=like, expression=exp.Literal.string("\\"))
    return exp.Not(this=like) if operator is Operator.NOT_CONTAINS else like
