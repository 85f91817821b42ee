"""A metric over joined tables in which each row counts once, however often the joins repeat it.

`sum(freight) / sum(quantity)` is of orders and of their lines: the rows are those of the lines, and
an order's freight comes once for each of them ("fan trap"; Adamson, Star Schema, 2010, ch. 4). So
each row adds its part: the freight over the number of the order's lines. The parts add up to the
order's freight, in whatever segments they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.investigation.metric import not_understood
from services.planner.domain.query.filters import Relation
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.joining.repeats import repeating

_PART = "ASSAY_PART_OF"
"""Stands for the part of a row, until the rows are written out: `written_out`."""


def each_once(
    sql: str,
    base: str,
    relations: Sequence[Relation],
    catalogue: Catalogue,
    rows_of: Callable[[Sequence[str]], str],
) -> tuple[str, tuple[str, ...]]:
    """The metric with parts for what the joins to `base` repeat, and what is to be told of it.

    All columns of `sql` are named with their tables; `rows_of` gives the table whose rows some
    tables' columns are of. Raises AssayError(METRIC_NOT_UNDERSTOOD) where nothing tells apart the
    rows that are repeated.
    """
    texts: list[str] = []

    def parted(node: exp.Expr) -> exp.Expr:
        counted = isinstance(node, exp.Sum | exp.Count | exp.CountIf)
        tables = [c.table for c in _values(node)] if counted else []
        own = rows_of(tables) if tables else base
        if own == base or not repeating(own, relations, catalogue):
            return node
        if isinstance(node.this, exp.Distinct):
            return node
        if base in {c.table for c in node.find_all(exp.Column)}:
            texts.append(
                f"{_spoken(node)} adds a row of {_sized(own, catalogue)} once for every "
                f"row of {_sized(base, catalogue)} that its condition fits"
            )
            return node
        texts.append(_describe_node(node, own, base, catalogue))
        return _with_part(node, _part(own, catalogue))

    tree: exp.Expr = exp.maybe_parse(sql, dialect="duckdb").transform(parted)
    return str(tree.sql(dialect="duckdb")), tuple(dict.fromkeys(texts))


def written_out(sql: str, side: str) -> str:
    """An expression of one row, its parts as SQL that counts the rows that share a key; in each
    period (`side`, an expression) by itself, as what several days share counts once in each."""
    if _PART not in sql:
        return sql

    def counted(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Anonymous) or node.name != _PART:
            return node
        keys = ", ".join(key.sql(dialect="duckdb") for key in node.expressions)
        return exp.maybe_parse(
            f"(1.0 / COUNT(*) OVER (PARTITION BY {keys}, {side}))", dialect="duckdb"
        )

    return str(exp.maybe_parse(sql, dialect="duckdb").transform(counted).sql(dialect="duckdb"))


def _values(node: exp.Expr) -> list[exp.Column]:
    """The columns whose values are added up; not those of the conditions of a CASE."""
    conditions = {id(c) for one in node.find_all(exp.If) for c in one.this.find_all(exp.Column)}
    every = list(node.find_all(exp.Column))
    return [c for c in every if id(c) not in conditions] or every


def _part(table: str, catalogue: Catalogue) -> exp.Expr:
    known = catalogue.table(table)
    key = key_of(known) if known is not None else ()
    if not key:
        raise not_understood(
            f"rows of {table} would count several times, and no column tells them apart",
            f"Write a metric over columns of {table} alone, or name its key in a semantic model.",
        )
    columns = [exp.column(name, table=table, quoted=True) for name in key]
    return exp.Anonymous(this=_PART, expressions=columns)


def _with_part(node: exp.Expr, part: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Sum):
        return exp.Sum(this=exp.Mul(this=exp.Paren(this=node.this.copy()), expression=part))
    there = node.this.copy()
    if isinstance(node, exp.Count):
        there = exp.Not(this=exp.Is(this=there, expression=exp.Null()))
    return exp.Sum(this=exp.Case().when(there, part))


def _describe_node(node: exp.Expr, own: str, base: str, catalogue: Catalogue) -> str:
    return (
        f"{_spoken(node)} counts each row of {_sized(own, catalogue)} once: several rows of "
        f"{_sized(base, catalogue)} go with it, and each adds an equal part"
    )


def _spoken(node: exp.Expr) -> str:
    """An aggregate as it was written: its columns without their tables."""
    plain = node.transform(lambda n: exp.column(n.name) if isinstance(n, exp.Column) else n)
    return str(plain.sql(dialect="duckdb", normalize_functions="lower"))


def _sized(table: str, catalogue: Catalogue) -> str:
    known = catalogue.table(table)
    return f"{table} ({known.rows:,} rows)" if known is not None else table
