"""Whether a "top 5" cuts through equals: a query beside the answer's own counts them.

What an answer keeps of several that are equal is chance; whoever reads it has to know of the rest.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Aggregate, Intent
from services.planner.domain.query.planning.sql import Query

TIES, TIED_PLACE, TIED_ROWS = "ties", "tied place", "tied rows"
_VALUE, _PLACED, _NUMBER = "tied value", "placed by", "tied number"
_ROUNDING = 1e-12
_SECONDS = 0.1


def ties_task(intent: Intent, query: Query, seconds: int) -> Subtask | None:
    """One row: the place of the last that is kept, and how many share it; None where none is cut.

    None too where the order cannot be asked for a second time, as by a value that is a parameter.
    """
    if intent.limit is None or intent.limit_per_series is not None:
        return None
    places = _placed(query)
    if places is None:
        return None
    last = intent.limit + intent.offset
    number, value = _named(_NUMBER), _named(_PLACED)
    reached = f"SELECT MAX({number}) AS n FROM placed WHERE {number} <= {last}"
    of_last = f"SELECT {value} AS v FROM placed WHERE {number} = (SELECT n FROM reached)"
    same = f"placed.{value} = of_last.v"
    if _is_added_up(intent):
        # Equal sums of floats differ in their last digits by the order in which they were added.
        same = f"ABS(placed.{value} - of_last.v) <= {_ROUNDING} * ABS(of_last.v)"
    text = f"""
    WITH placed AS ({places}), reached AS ({reached}), of_last AS ({of_last})
    SELECT MIN({number}) AS {_named(TIED_PLACE)}, COUNT(*) AS {_named(TIED_ROWS)}
    FROM placed CROSS JOIN of_last WHERE {same}
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


def _is_added_up(intent: Intent) -> bool:
    """Whether the order is by sums or averages, which may be floats."""
    first = intent.order[0] if intent.order else None
    if first is None or first.target != "measure" or first.index >= len(intent.measures):
        return False
    return intent.measures[first.index].aggregate in (Aggregate.SUM, Aggregate.AVERAGE)


def _placed(query: Query) -> str | None:
    """The value of every row that the limit chose from, and its number in their order."""
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
    SELECT {_named(value)} AS {_named(_PLACED)}, ROW_NUMBER() OVER ({by}) AS {_named(_NUMBER)}
    FROM ({tree.sql(dialect="duckdb")}) AS everything WHERE {_named(value)} IS NOT NULL
    """


def _named(label: str) -> str:
    return exp.to_identifier(label, quoted=True).sql(dialect="duckdb")
