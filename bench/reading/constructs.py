"""What a query is made of, and what first differs between the query meant and the query made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import sqlglot
from sqlglot import exp

from bench.reading.canonical import canonical

_PREDICATES = (
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.Like,
    exp.ILike,
    exp.Between,
    exp.In,
    exp.Is,
    exp.RegexpLike,
    exp.StartsWith,
    exp.Contains,
)
_DATE_PARTS = (
    exp.Extract,
    exp.TimestampTrunc,
    exp.DateTrunc,
    exp.Year,
    exp.Month,
    exp.Day,
    exp.DayOfWeek,
    exp.Quarter,
    exp.Week,
    exp.StrToTime,
    exp.TimeToStr,
    exp.Hour,
    exp.Date,
)
_DATE_FUNCTIONS = {"STRFTIME", "DATE_PART", "DAYNAME", "MONTHNAME", "WEEKDAY", "ISODOW", "HOUR"}
_SET_OPERATIONS = {exp.Intersect: "intersect", exp.Except: "except", exp.Union: "union"}
_MANY = 3


def constructs(sql: str, dialect: str, chart: str = "", *, series: bool = False) -> tuple[str, ...]:
    """The names of what the query is made of, sorted; "unparsed" where it cannot be read."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except sqlglot.errors.SqlglotError:
        return ("unparsed",)
    found = {*_aggregates(tree), *_shape(tree), *_conditions(tree), *_sources(tree)}
    if chart:
        found.add(f"chart: {chart}")
    if series:
        found.add("series")
    return tuple(sorted(found))


def _aggregates(tree: exp.Expr) -> Iterator[str]:
    for count in tree.find_all(exp.Count):
        yield "count distinct" if count.find(exp.Distinct) else "count"
    named = ((exp.Sum, "sum"), (exp.Avg, "avg"), (exp.Min, "min or max"), (exp.Max, "min or max"))
    yield from (name for kind, name in named if tree.find(kind))
    if tree.find(exp.Window):
        yield "window"
    if tree.find(exp.Case, exp.If):
        yield "case"


def _shape(tree: exp.Expr) -> Iterator[str]:
    yield from (name for kind, name in _SET_OPERATIONS.items() if tree.find(kind))
    if tree.find(exp.Group):
        yield "group"
    if tree.find(exp.Having):
        yield "having"
    if any(select.args.get("distinct") for select in tree.find_all(exp.Select)):
        yield "distinct"
    order, limit = tree.args.get("order"), tree.args.get("limit")
    if order is not None:
        if limit is None:
            yield "order"
        else:
            yield "order, limit 1" if limit.expression.name == "1" else "order, limit n"
    if any(_is_date_part(node) for node in tree.walk()):
        yield "date part"


def _is_date_part(node: exp.Expr) -> bool:
    if isinstance(node, _DATE_PARTS):
        return True
    return isinstance(node, exp.Anonymous) and node.name.upper() in _DATE_FUNCTIONS


def predicates(tree: exp.Expr) -> list[exp.Expr]:
    """All conditions of WHERE, in whichever query they stand."""
    return [
        node
        for where in tree.find_all(exp.Where)
        for node in where.find_all(*_PREDICATES)
        if node.find_ancestor(exp.Where, exp.Having) is where
    ]


def _conditions(tree: exp.Expr) -> Iterator[str]:
    conditions = predicates(tree)
    if conditions:
        yield f"where {len(conditions)}" if len(conditions) < _MANY else "where 3+"
    wheres = list(tree.find_all(exp.Where))
    if any(where.find(exp.Or) for where in wheres):
        yield "or"
    for node in conditions:
        if isinstance(node, exp.Like | exp.ILike | exp.RegexpLike | exp.StartsWith | exp.Contains):
            yield "like"
        elif isinstance(node, exp.Between):
            yield "between"
        elif isinstance(node, exp.Is) or node.text("expression").lower() == "null":
            yield "null test"
        elif isinstance(node, exp.In) and node.args.get("query"):
            yield "not in" if isinstance(node.parent, exp.Not) else "in (subquery)"
        elif any(query.find(exp.Avg) for query in node.find_all(exp.Subquery)):
            yield "subquery average"
        elif node.find(exp.Subquery):
            yield "subquery value"
    if tree.find(exp.Exists):
        yield "exists"


def _sources(tree: exp.Expr) -> Iterator[str]:
    most = max((len(s.args.get("joins") or []) for s in tree.find_all(exp.Select)), default=0)
    yield f"joins {most}" if most < _MANY else "joins 3+"
    for select in tree.find_all(exp.Select):
        own = [t.name.lower() for t in select.find_all(exp.Table) if t.parent_select is select]
        if any(times > 1 for times in Counter(own).values()):
            yield "self join"
    if any(isinstance(query.parent, exp.From | exp.Join) for query in tree.find_all(exp.Subquery)):
        yield "query in from"
    if tree.find(exp.CTE):
        yield "with"


def difference(wanted: str, got: str, dialect: str) -> str:
    """The first thing that differs between the query meant and the query made."""
    if not got:
        return "no query"
    try:
        intended = sqlglot.parse_one(wanted, dialect=dialect)
        intended = intended.transform(_as_text) if dialect == "sqlite" else intended
        made = sqlglot.parse_one(got, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        return "other"
    return next((name for name, part in _PARTS if part(intended) != part(made)), "other")


def _as_text(node: exp.Expr) -> exp.Expr:
    """SQLite takes a name in double quotes for a text where there is no such column."""
    compared = isinstance(node.parent, _PREDICATES) and node.arg_key != "this"
    if compared and isinstance(node, exp.Column) and node.this.args.get("quoted"):
        return exp.Literal.string(node.name)
    return node


def _tables(tree: exp.Expr) -> object:
    named = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    return {t.name.lower() for t in tree.find_all(exp.Table)} - named


def _operations(tree: exp.Expr) -> object:
    return {name for kind, name in _SET_OPERATIONS.items() if tree.find(kind)}


def _functions(tree: exp.Expr) -> object:
    shown = tree.selects if isinstance(tree, exp.Query) else []
    return sorted(type(f).__name__ for s in shown for f in s.find_all(exp.AggFunc))


def _columns_of(*kinds: type[exp.Expr]) -> Callable[[exp.Expr], object]:
    def columns(tree: exp.Expr) -> object:
        parts = tree.find_all(*kinds)
        return {column.name.lower() for part in parts for column in part.find_all(exp.Column)}

    return columns


def _filter_values(tree: exp.Expr) -> object:
    compared = [c.expression for c in predicates(tree) if isinstance(c, exp.Binary)]
    names = [e.name.strip("%") for e in compared if isinstance(e, exp.Literal)]
    return sorted(str(canonical(name)) for name in names)


def _filter_kinds(tree: exp.Expr) -> object:
    negated = (isinstance(c.parent, exp.Not) or c.args.get("negate") for c in predicates(tree))
    kinds = (type(c).__name__.replace("ILike", "Like") for c in predicates(tree))
    return sorted(f"not {kind}" if no else kind for kind, no in zip(kinds, negated, strict=True))


def _shown(tree: exp.Expr) -> object:
    shown = tree.selects if isinstance(tree, exp.Query) else []
    return {column.name.lower() for s in shown for column in s.find_all(exp.Column)}


def _order(tree: exp.Expr) -> object:
    order = tree.args.get("order")
    if order is None or (tree.args.get("limit") is None):
        return None
    return bool(order.expressions[0].args.get("desc"))


def _limit(tree: exp.Expr) -> object:
    limit = tree.args.get("limit")
    return None if limit is None else limit.expression.name


_PARTS: tuple[tuple[str, Callable[[exp.Expr], object]], ...] = (
    ("wrong table or join", _tables),
    ("wrong set operation", _operations),
    ("wrong aggregation", _functions),
    ("wrong filter column", _columns_of(exp.Where, exp.Having)),
    ("wrong filter value", _filter_values),
    ("wrong filter operator", _filter_kinds),
    ("wrong and, or", lambda tree: any(where.find(exp.Or) for where in tree.find_all(exp.Where))),
    ("wrong column", _shown),
    ("wrong grouping", _columns_of(exp.Group)),
    ("wrong limit", _limit),
    ("wrong direction", _order),
    ("wrong distinct", lambda tree: bool(tree.args.get("distinct"))),
)
