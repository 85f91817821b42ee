"""The metric of an investigation as one statement, for checks of analysis."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from services.planner.domain.investigation.ground import DENOMINATOR, NUMERATOR, Ground

OF_METRICS = frozenset(("A01", "A05", "A10", "F08"))
"""What may be wrong with what is added up. Rows that joins repeat count once in its relation, and
levels have tools of their own."""


def metric_statement(ground: Ground) -> str:
    """The sum of the metric over all rows (of a ratio, both of its sums); empty of leaves, and
    where different things are counted."""
    if ground.leaf is not None or ground.distinct:
        return ""
    select = sqlglot.parse_one(ground.relation, dialect="duckdb")
    if not isinstance(select, exp.Select):
        return ""
    parts = [NUMERATOR, DENOMINATOR] if ground.ratio else [NUMERATOR]
    named = {item.alias_or_name: item.unalias() for item in select.expressions}
    summed = [exp.Sum(this=_bare(named[part]).copy()) for part in parts if part in named]
    select.set("expressions", summed)
    return select.sql(dialect="duckdb")


def _bare(node: exp.Expr) -> exp.Expr:
    """What is added up, without the cast that tools want."""
    return (node.this if isinstance(node, exp.Cast) else node).unnest()
