"""A metric taken apart into what its rows add up to: a numerator, and of a ratio a denominator.

A sum, a count or a difference of them is additive: the metric of the whole is the sum over rows. An
average, a share or a quotient of additive numbers is a ratio of two such sums. Distinct things are
counted additively too, each row of a thing with one over the number of that thing's rows. What
cannot be told by sums over rows (a median, a maximum) cannot be attributed to segments and is
refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from mesh.errors import METRIC_NOT_UNDERSTOOD, AssayError

_FIELDS = "investigation.metric_sql"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric over rows: `numerator` and `denominator` are SQL of one row.

    `things` is the column of which distinct values are counted, where that is the numerator; then
    the numerator of one row is one over the number of rows of its thing in the period. `sql` is the
    metric as a person would write it, `label` what it is called, `unit` of its values.
    """

    sql: str
    label: str
    numerator: str
    denominator: str = ""
    entity: str = ""
    unit: str = ""
    level: bool = False

    @property
    def ratio(self) -> bool:
        """Whether it is a quotient of two sums."""
        return bool(self.denominator)


def taken_apart(sql: str, label: str = "", unit: str = "", *, level: bool = False) -> Metric:
    """The metric that an SQL expression of aggregates tells.

    Its columns are as they stand. Raises AssayError(METRIC_NOT_UNDERSTOOD) for what is no such
    expression, writes, or cannot be told by sums over rows.
    """
    tree = _parsed(sql)
    plain = tree.sql(dialect="duckdb")
    values = {"sql": plain, "label": label or plain, "unit": unit, "level": level}
    distinct = _distinct(tree)
    if distinct is not None:
        return Metric(numerator="1", entity=distinct.sql(dialect="duckdb"), **values)  # type: ignore[arg-type]
    scale, body = _scaled(tree)
    quotient = _quotient(body)
    if quotient is None:
        return Metric(numerator=_sql(_times(_rows(body), scale)), **values)  # type: ignore[arg-type]
    above, below = quotient
    return Metric(
        numerator=_sql(_times(_rows(above), scale)),
        denominator=_sql(_rows(below)),
        **values,  # type: ignore[arg-type]
    )


def columns_of(sql: str) -> list[exp.Column]:
    """The columns of an expression, in order."""
    return list(_parsed(sql).find_all(exp.Column))


def rewritten(sql: str, named: Callable[[exp.Column], exp.Expr]) -> str:
    """The expression with every column as `named` writes it."""
    tree = _parsed(sql).transform(lambda n: named(n) if isinstance(n, exp.Column) else n)
    return str(tree.sql(dialect="duckdb"))


def not_understood(message: str, hint: str = "") -> AssayError:
    """The refusal of a metric."""
    return AssayError(METRIC_NOT_UNDERSTOOD, message, hint=hint, fields={_FIELDS: message})


def _parsed(sql: str) -> exp.Expr:
    try:
        trees = sqlglot.parse(f"SELECT {sql}", dialect="duckdb")
    except (SqlglotError, RecursionError) as error:
        text = str(error).splitlines()[0].partition(". Line ")[0]
        raise not_understood(f"the metric {sql!r} is no SQL expression: {text}") from error
    select = trees[0] if len(trees) == 1 else None
    given = {n for n, value in select.args.items() if value} if select is not None else set()
    if not isinstance(select, exp.Select) or given - {"expressions", "kind"}:
        raise not_understood(f"the metric {sql!r} is not one SQL expression, such as sum(amount)")
    if len(select.expressions) != 1:
        raise not_understood(f"the metric {sql!r} is several expressions; name one")
    tree = select.expressions[0].unalias()
    for kind, what in (
        (exp.Query, "a query"),
        (exp.Window, "a window"),
        (exp.Placeholder, "a parameter"),
    ):
        if tree.find(kind) is not None:
            raise not_understood(f"the metric {sql!r} holds {what}; write sums over rows alone")
    if not tree.find(exp.AggFunc):
        raise not_understood(
            f"the metric {sql!r} does not say what is made of the rows; write sum(…) or avg(…)"
        )
    found: exp.Expr = tree.copy()
    return found


def _distinct(tree: exp.Expr) -> exp.Expr | None:
    """What is counted once each, where the whole metric is that count."""
    tree = tree.unnest()
    if not isinstance(tree, exp.Count) or not isinstance(tree.this, exp.Distinct):
        return None
    entities = tree.this.expressions
    if len(entities) != 1:
        raise not_understood(
            "distinct combinations cannot be counted; count distinct values of one"
        )
    entity: exp.Expr = entities[0].copy()
    return entity


def _scaled(tree: exp.Expr) -> tuple[float, exp.Expr]:
    """A constant factor, such as the hundred of a percentage, and the rest."""
    tree = tree.unnest()
    if isinstance(tree, exp.Round | exp.Cast):
        return _scaled(tree.this)
    if isinstance(tree, exp.Mul):
        for one, other in ((tree.left, tree.right), (tree.right, tree.left)):
            number = _number(one)
            if number is not None:
                scale, rest = _scaled(other)
                return number * scale, rest
        for one, other, left in ((tree.left, tree.right, True), (tree.right, tree.left, False)):
            inner = one.unnest()
            if isinstance(inner, exp.Div) and (number := _number(inner.left)) is not None and left:
                return number, exp.Div(this=other.copy(), expression=inner.right.copy())
    if isinstance(tree, exp.Div):
        number = _number(tree.right)
        if number:
            scale, rest = _scaled(tree.left)
            return scale / number, rest
        scale, rest = _scaled(tree.left)
        if scale != 1.0 and _quotient(rest) is None:
            return scale, exp.Div(this=rest.copy(), expression=tree.right.copy())
    return 1.0, tree


def _quotient(tree: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """Above and below of a ratio of aggregates; an average is one too."""
    tree = tree.unnest()
    if isinstance(tree, exp.Coalesce | exp.Cast | exp.Round):
        return _quotient(tree.this)
    if isinstance(tree, exp.Avg):
        return exp.Sum(this=tree.this.copy()), exp.Count(this=tree.this.copy())
    if isinstance(tree, exp.Filter) and isinstance(tree.this, exp.Avg):
        where = tree.expression
        return tuple(
            exp.Filter(this=kind(this=tree.this.this.copy()), expression=where.copy())
            for kind in (exp.Sum, exp.Count)
        )  # type: ignore[return-value]
    if not isinstance(tree, exp.Div):
        return None
    below = tree.right.unnest()
    if isinstance(below, exp.Nullif):
        below = below.this
    above = tree.left.unnest()
    if above.find(exp.AggFunc) and below.find(exp.AggFunc):
        return above, below
    return None


def _rows(tree: exp.Expr) -> exp.Expr:
    """What one row adds to an additive expression of aggregates."""
    tree = tree.unnest()
    number = _number(tree)
    if number is not None:
        raise not_understood("a constant beside an aggregate belongs to no row; leave it out")
    if isinstance(tree, exp.Add | exp.Sub):
        kind = type(tree)
        left, right = _rows(tree.left), _rows(tree.right)
        return exp.Paren(this=kind(this=_none_is_nought(left), expression=_none_is_nought(right)))
    if isinstance(tree, exp.Neg):
        return exp.Neg(this=exp.Paren(this=_rows(tree.this)))
    if isinstance(tree, exp.Coalesce | exp.Cast | exp.Round):
        return _rows(tree.this)
    if isinstance(tree, exp.Mul):
        scale, rest = _scaled(tree)
        if scale != 1.0:
            return _times(_rows(rest), scale)
    if isinstance(tree, exp.Div) and (number := _number(tree.right)):
        return _times(_rows(tree.left), 1.0 / number)
    if isinstance(tree, exp.Filter):
        return _where(tree.expression.this, _rows(tree.this))
    return _aggregate(tree)


def _aggregate(tree: exp.Expr) -> exp.Expr:
    if isinstance(tree, exp.Sum) and not isinstance(tree.this, exp.Distinct):
        return exp.Paren(this=tree.this.copy())
    if isinstance(tree, exp.CountIf):
        return _where(tree.this, exp.Literal.number(1))
    if isinstance(tree, exp.Count) and not isinstance(tree.this, exp.Distinct):
        if isinstance(tree.this, exp.Star | exp.Literal):
            return exp.Literal.number(1)
        there = exp.Not(this=exp.Is(this=tree.this.copy(), expression=exp.Null()))
        return _where(there, exp.Literal.number(1))
    raise not_understood(
        f"{tree.sql(dialect='duckdb')} cannot be taken apart into what each row adds",
        "Sums, counts, averages, distinct counts by themselves, and differences and ratios of sums "
        "and counts can. For a median or a maximum, investigate the average or the count above a "
        "bound.",
    )


def _where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Case().when(condition.copy(), value)


def _none_is_nought(tree: exp.Expr) -> exp.Expr:
    return exp.Coalesce(this=tree, expressions=[exp.Literal.number(0)])


def _times(tree: exp.Expr, scale: float) -> exp.Expr:
    if scale == 1.0:
        return tree
    return exp.Mul(this=exp.Paren(this=tree), expression=exp.Literal.number(repr(scale)))


def _number(tree: exp.Expr) -> float | None:
    tree = tree.unnest()
    if isinstance(tree, exp.Neg):
        inner = _number(tree.this)
        return None if inner is None else -inner
    if isinstance(tree, exp.Literal) and not tree.is_string:
        return float(tree.this)
    return None


def _sql(tree: exp.Expr) -> str:
    return str(tree.sql(dialect="duckdb"))
