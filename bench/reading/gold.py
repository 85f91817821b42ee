"""What the query meant is made of, in columns of the catalogue: what a reader can learn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from bench.reading.gold_scope import ColumnName, Names, Scope
from services.planner.domain.catalogue import Catalogue

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.Like: "like",
    exp.ILike: "like",
    exp.Between: "between",
    exp.In: "in",
    exp.Is: "is",
}
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_MEASURES = ((exp.Avg, "avg"), (exp.Sum, "sum"), (exp.Min, "min"), (exp.Max, "max"))
_SET_OPERATIONS = {exp.Intersect: "intersect", exp.Except: "except", exp.Union: "union"}

Value = str | float
"""What is compared with: a number, a text, or the name of a query's result, as in "<avg>"."""


@dataclass(frozen=True, slots=True)
class GoldCondition:
    """A condition on a column, or on a number of each group where `aggregate` is not empty.

    `column` is None for a count of rows. `values` are two for "between", many for "in", none for a
    null test. `nested` conditions stand in a query within the query.
    """

    column: ColumnName | None
    operator: str
    values: tuple[Value, ...]
    aggregate: str = ""
    nested: bool = False


@dataclass(frozen=True, slots=True)
class GoldMembership:
    """Rows of which a column is, or is not, among those of another query's column."""

    column: ColumnName
    of: ColumnName | None
    negated: bool


@dataclass(frozen=True, slots=True)
class GoldShape:
    """The form of the query. `order` and `limit` are those of the whole of it.

    `order` is "no", "asc" or "desc", `limit` "no", "1" or "n", `set_operation` "no", "intersect",
    "except", "union", "in" or "not in"; `conditions` counts those of WHERE, nested ones too.
    """

    counts: bool
    group: bool
    having: bool
    order: str
    by_count: bool
    limit: str
    distinct: bool
    set_operation: str
    conditions: int
    shown: int
    any_or: bool


@dataclass(frozen=True, slots=True)
class GoldParts:
    """A query's parts. A column's roles are among: shown, grouped (and shown), grouped not shown,
    sum, avg, min, max, count distinct, counted, ordered, filtered.
    """

    roles: Mapping[ColumnName, frozenset[str]]
    conditions: tuple[GoldCondition, ...]
    memberships: tuple[GoldMembership, ...]
    joins: tuple[tuple[ColumnName, ColumnName], ...]
    tables: tuple[str, ...]
    shape: GoldShape


def gold_parts(sql: str, catalogue: Catalogue, dialect: str = "sqlite") -> GoldParts | None:
    """The parts of a query; None where it cannot be read as one."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except sqlglot.errors.SqlglotError:
        return None
    first = tree.find(exp.Select)
    if first is None or not isinstance(tree, exp.Query):
        return None
    names = Names(catalogue)
    scopes = [Scope(select, names) for select in tree.find_all(exp.Select)]
    conditions = [c for scope in scopes for c in _conditions(scope, nested=_nested(scope, tree))]
    memberships = [found for scope in scopes for found in _memberships(scope, names)]
    used = (names.table(table.name) for table in tree.find_all(exp.Table))
    return GoldParts(
        roles=_roles(Scope(first, names), tree, conditions),
        conditions=tuple(conditions),
        memberships=tuple(memberships),
        joins=tuple(dict.fromkeys(pair for scope in scopes for pair in _joins(scope))),
        tables=tuple(dict.fromkeys(table.name for table in used if table is not None)),
        shape=_shape(tree, first, conditions, memberships),
    )


def _nested(scope: Scope, tree: exp.Query) -> bool:
    """Whether it stands within another query; branches of a set operation do not."""
    return scope.select.find_ancestor(exp.Select) is not None and scope.select is not tree


def _roles(
    scope: Scope, tree: exp.Query, conditions: list[GoldCondition]
) -> Mapping[ColumnName, frozenset[str]]:
    roles: dict[ColumnName, set[str]] = defaultdict(set)
    group = scope.select.args.get("group")
    grouped = list(scope.columns(group)) if group is not None else []
    for shown in scope.select.selects:
        role = _measure(shown)
        for column in scope.columns(shown):
            roles[column].add(role or ("grouped" if column in grouped else "shown"))
    for column in grouped:
        if "grouped" not in roles[column]:
            roles[column].add("grouped not shown")
    order = tree.args.get("order")
    for ordered in order.expressions if order is not None else ():
        for node in () if ordered.find(exp.Count) else ordered.find_all(exp.Column):
            if (found := scope.column(node)) is not None:
                roles[found].add("ordered")
    for condition in conditions:
        if condition.column is not None and not condition.aggregate:
            roles[condition.column].add("filtered")
    return {column: frozenset(found) for column, found in roles.items() if found}


def _measure(part: exp.Expr) -> str:
    """The aggregate that a part takes; empty where it takes none."""
    count = part.find(exp.Count)
    if count is not None:
        return "count distinct" if count.find(exp.Distinct) else "counted"
    return next((name for kind, name in _MEASURES if part.find(kind)), "")


def _conditions(scope: Scope, *, nested: bool) -> Iterator[GoldCondition]:
    for clause in ("where", "having"):
        part = scope.select.args.get(clause)
        for node in part.find_all(*_OPERATORS) if part is not None else ():
            if node.parent_select is scope.select:
                yield from _condition(scope, node, nested)


def _condition(scope: Scope, node: exp.Expr, nested: bool) -> Iterator[GoldCondition]:
    left, operator = node.this, _OPERATORS[type(node)]
    right = _compared(node)
    if len(right) == 1 and _value(scope, left) is not None and _value(scope, right[0]) is None:
        left, right = right[0], [left]  # 5 < age
        operator = _TURNED.get(operator, operator)
    if operator == "in" and node.args.get("query") is not None:
        return  # a membership
    values = [_value(scope, part) for part in right]
    aggregate = _measure(left)
    columns = list(scope.columns(left))
    if None in values or not (columns or aggregate):
        return  # between two columns: a join, or a comparison of them
    negated = isinstance(node.parent, exp.Not) or bool(node.args.get("negate"))
    if operator == "is":
        operator, values = "is null", []
    text = ("is not null" if operator == "is null" else f"not {operator}") if negated else operator
    kept = tuple(value for value in values if value is not None)
    yield GoldCondition(columns[0] if columns else None, text, kept, aggregate, nested)


def _compared(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Between):
        return [node.args["low"], node.args["high"]]
    return list(node.expressions) if isinstance(node, exp.In) else [node.expression]


def _value(scope: Scope, part: exp.Expr) -> Value | None:
    """What is compared with; None for a column. SQLite lets texts stand in double quotes."""
    part = part.unnest()
    if isinstance(part, exp.Literal):
        return part.name if part.is_string else float(part.name)
    if isinstance(part, exp.Neg) and isinstance(part.this, exp.Literal):
        return -float(part.this.name)
    if isinstance(part, exp.Column):
        return part.name if scope.column(part) is None else None
    if isinstance(part, exp.Null | exp.Boolean):
        return part.sql().lower()
    query = part.find(exp.Select)
    if query is not None:
        return f"<{_measure(query.selects[0]) or 'query'}>"
    return None if part.find(exp.Column) or isinstance(part, exp.AggFunc) else part.sql()


def _memberships(scope: Scope, names: Names) -> Iterator[GoldMembership]:
    for node in scope.select.find_all(exp.In):
        query = node.args.get("query")
        inner = query.find(exp.Select) if query is not None else None
        if inner is None or node.parent_select is not scope.select:
            continue
        of = next(Scope(inner, names).columns(inner.selects[0]), None)
        for column in scope.columns(node.this):
            yield GoldMembership(column, of, isinstance(node.parent, exp.Not))


def _joins(scope: Scope) -> Iterator[tuple[ColumnName, ColumnName]]:
    for node in scope.select.find_all(exp.EQ):
        if node.parent_select is scope.select and isinstance(node.this, exp.Column):
            other = node.expression
            pair = (
                scope.column(node.this),
                (scope.column(other) if isinstance(other, exp.Column) else None),
            )
            if pair[0] is not None and pair[1] is not None and node.this.table != other.table:
                one, two = sorted((pair[0], pair[1]))
                yield one, two


def _shape(
    tree: exp.Query,
    main: exp.Select,
    conditions: list[GoldCondition],
    memberships: list[GoldMembership],
) -> GoldShape:
    order, limit = tree.args.get("order"), tree.args.get("limit")
    first = order.expressions[0] if order is not None else None
    operation = next((name for kind, name in _SET_OPERATIONS.items() if tree.find(kind)), "no")
    if operation == "no" and memberships:
        operation = "not in" if memberships[0].negated else "in"
    counted = [s for s in main.selects if _measure(s) == "counted"]
    named = {s.alias for s in counted if s.alias}
    by_count = first is not None and (first.find(exp.Count) or first.this.name in named)
    return GoldShape(
        counts=bool(counted),
        group=main.args.get("group") is not None,
        having=main.args.get("having") is not None,
        order="no" if first is None else "desc" if first.args.get("desc") else "asc",
        by_count=bool(by_count),
        limit="no" if limit is None else "1" if limit.expression.name == "1" else "n",
        distinct=bool(main.args.get("distinct")),
        set_operation=operation,
        conditions=sum(not c.aggregate for c in conditions),
        shown=len(main.selects),
        any_or=any(where.find(exp.Or) for where in tree.find_all(exp.Where)),
    )
