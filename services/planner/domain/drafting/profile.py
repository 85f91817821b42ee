"""The steps that describe a whole table: its rows, the profile, and a table of it for people."""

from __future__ import annotations

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.plan import Subtask
from services.planner.domain.query.columns import numeric
from services.planner.domain.query.intent import Intent
from services.planner.domain.query.planning.samples import TOTAL, sampled
from services.planner.domain.query.planning.sql import Query

PROFILE = "profile"
"""The step whose frame is the answer."""

_LOAD = "load"
_PROFILE_SECONDS = 0.2
_OF_ALL = {"nulls": "missing", "distinct": "different"}
_OF_NUMBERS = {
    "mean": "mean",
    "std": "standard deviation",
    "min": "minimum",
    "p25": "lower quartile",
    "p50": "median",
    "p75": "upper quartile",
    "max": "maximum",
}


def profiled(
    intent: Intent, catalogue: Catalogue, row_limit: int
) -> tuple[Query, tuple[Subtask, ...]]:
    """What to load, and the steps over it; of more rows than a query may give, an even sample."""
    table = catalogue.table(intent.base)
    names = tuple(column.name for column in table.stored) if table else ()
    columns: list[exp.Expression] = [exp.column(name, quoted=True) for name in names]
    columns = columns or [exp.Star()]
    source = exp.Table(this=exp.to_identifier(intent.base, quoted=True))
    rows = exp.select(*columns).from_(source)
    arguments = {"input": _LOAD}
    if table is not None and table.rows > row_limit:
        query = sampled(Query(rows.sql(dialect="duckdb"), (), names), row_limit)
        arguments["total"] = TOTAL
    else:
        query = Query(rows.limit(row_limit).sql(dialect="duckdb"), (), ())
    profile = Subtask(
        task_id=PROFILE,
        description=f"describe every column of {intent.base}",
        tool_name="profiler.analyze",
        arguments=arguments,
        dependencies=(_LOAD,),
        invariants=("every column is described",),
        estimated_cost_seconds=_PROFILE_SECONDS,
    )
    steps = (profile, _tabled(table)) if table is not None else (profile,)
    return query, steps


def _tabled(table: Table) -> Subtask:
    """One row for each column of the table, one column for each statistic."""
    measured = any(numeric(column.data_type) for column in table.stored)
    shown = _OF_ALL | (_OF_NUMBERS if measured else {})
    names = [column.name for column in table.stored]
    steps = [
        {
            "operation": "filter",
            "conditions": [
                {"column": "column", "operator": "in", "value": names},
                {"column": "statistic", "operator": "in", "value": list(shown)},
            ],
        },
        {
            "operation": "pivot",
            "index": ["column"],
            "columns": "statistic",
            "values": "value",
            "order": "appearance",
            "rows": "appearance",
        },
        {"operation": "select", "columns": ["column", *shown], "rename": shown},
    ]
    return Subtask(
        task_id="shape",
        description="one row for each column",
        tool_name="df.transform",
        arguments={"input": PROFILE, "steps": steps},
        dependencies=(PROFILE,),
        invariants=("one row for each column",),
        estimated_cost_seconds=0.02,
    )
