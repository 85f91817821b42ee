"""Whether a "top 5" cuts through equals: a query beside the answer's own counts them.

What an answer keeps of several that are equal is chance; whoever reads it has to know of the rest.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from services.planner.domain.language.intent import Intent
from services.planner.domain.language.planning.sql import Query
from services.planner.domain.plan import Subtask

TIES, TIED_PLACE, TIED_ROWS = "ties", "tied place", "tied rows"
_VALUE, _NUMBER = "tied value", "tied number"
_SECONDS = 0.1


def ties_task(intent: Intent, query: Query, seconds: int) -> Subtask | None:
    """One row: the place of the last that is kept, and how many share it; None where none is cut.

    None too where the order cannot be asked for a second time, as by a value that is a parameter.
    """
    if intent.limit is None or intent.limit_per_series is not None:
        return None
    ranks = _ranked(query)
    if ranks is None:
        return None
    last = intent.limit + intent.offset
    reached = f"SELECT MAX({_named(TIED_PLACE)}) FROM placed WHERE {_named(_NUMBER)} <= {last}"
    text = f"""
    WITH placed AS ({ranks})
    SELECT MIN({_named(TIED_PLACE)}) AS {_named(TIED_PLACE)}, COUNT(*) AS {_named(TIED_ROWS)}
    FROM placed WHERE {_named(TIED_PLACE)} = ({reached})
    """
    statement = sqlglot.parse_one(text, dialect="duckdb").sql(dialect="duckdb")
    return Subtask(
        task_id=TIES,
        description="whether several share the last place",
        tool_name="sql.run",
        arguments={
            "query": statement,
            "params": list(query.params),
            "timeout": seconds,
            "row_limit": 1,
        },
        invariants=("exactly one row",),
        estimated_cost_seconds=_SECONDS,
    )


def _ranked(query: Query) -> str | None:
    """Every row that the limit chose from, with its place (equals share one) and its number."""
    tree = sqlglot.parse_one(query.text, dialect="duckdb")
    order = tree.args.get("order")
    if not isinstance(tree, exp.Select) or order is None or not order.expressions:
        return None
    first = order.expressions[0]
    if first.find(exp.Placeholder) is not None:
        return None
    for part in ("order", "limit", "offset"):
        tree.set(part, None)
    target, names = first.this, {node.alias_or_name for node in tree.expressions}
    known = isinstance(target, exp.Column) and not target.table and target.name in names
    value = target.name if known else _VALUE
    if not known:
        if tree.args.get("distinct"):
            return None
        tree.select(exp.alias_(target.copy(), _VALUE, quoted=True), copy=False)
    by = f"ORDER BY {_named(value)} {'DESC' if first.args.get('desc') else 'ASC'}"
    return f"""
    SELECT RANK() OVER ({by}) AS {_named(TIED_PLACE)},
        ROW_NUMBER() OVER ({by}) AS {_named(_NUMBER)}
    FROM ({tree.sql(dialect="duckdb")}) AS everything WHERE {_named(value)} IS NOT NULL
    """


def _named(label: str) -> str:
    return exp.to_identifier(label, quoted=True).sql(dialect="duckdb")
