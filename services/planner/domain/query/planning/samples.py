"""What a test gets of a table with more rows than a query may give.

A sample keeps the rows whose number, times the golden ratio, has a small fraction: they lie evenly
in the table, follow no period of it, and are the same ones each time.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from services.planner.domain.query.planning.sql import Query

TOTAL = "rows in all"
"""The column of a sample that says from how many rows it was taken."""

COMPLETE = "complete rows"
"""The column that says how many rows have every value."""

_NUMBER = "row number"
_GOLDEN, _MODULUS = 2_654_435_761, 2**32
_FILLED = 0.98  # of the rows allowed: the share kept is not exact to the row


def sampled(query: Query, row_limit: int) -> Query:
    """The query's rows as far as they fit evenly, each with how many there are."""
    rows = sqlglot.parse_one(query.text, dialect="duckdb")
    number = exp.Window(this=exp.RowNumber())
    total = exp.Window(this=exp.Count(this=exp.Star()))
    numbered = exp.select(
        exp.Star(),
        exp.alias_(number, _NUMBER, quoted=True),
        exp.alias_(total, TOTAL, quoted=True),
    ).from_(_subquery(rows, "tested"))
    place = exp.Mod(
        this=exp.Paren(this=exp.Mul(this=_column(_NUMBER), expression=exp.convert(_GOLDEN))),
        expression=exp.convert(_MODULUS),
    )
    share = exp.Div(
        this=exp.cast(exp.convert(int(_MODULUS * row_limit * _FILLED)), "DOUBLE"),
        expression=_column(TOTAL),
    )
    kept = [_column(name) for name in (*query.columns, TOTAL)]
    select = exp.select(*kept).from_(_subquery(numbered, "numbered"))
    select = select.where(exp.LT(this=place, expression=share), copy=False)
    return Query(select.sql(dialect="duckdb"), query.params, (*query.columns, TOTAL))


def counted(query: Query) -> Query:
    """One row: how many rows there are, how many lack nothing, and the values of each column."""
    rows = sqlglot.parse_one(query.text, dialect="duckdb")
    outputs: list[exp.Expr] = [exp.alias_(exp.Count(this=exp.Star()), TOTAL, quoted=True)]
    present = exp.and_(*(exp.Not(this=_column(name).is_(exp.null())) for name in query.columns))
    complete = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=present))
    outputs.append(exp.alias_(complete, COMPLETE, quoted=True))
    outputs += [
        exp.alias_(exp.Count(this=_column(name)), name, quoted=True) for name in query.columns
    ]
    select = exp.select(*outputs).from_(_subquery(rows, "tested"))
    return Query(select.sql(dialect="duckdb"), query.params, (TOTAL, COMPLETE, *query.columns))


def _subquery(query: exp.Expr, name: str) -> exp.Subquery:
    return exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)
