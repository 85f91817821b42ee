"""The step of a plan that runs a statistical test, and what it is given."""

from __future__ import annotations

from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.drafting.tables import tabled
from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Intent, Statistic
from services.planner.domain.query.planning.samples import COMPLETE, TOTAL, counted, sampled
from services.planner.domain.query.planning.sql import Query

TEST = "test"
_LOAD = "load"
_TEST_SECONDS = 0.2


def tested_plan(
    intent: Intent, statistic: Statistic, query: Query, catalogue: Catalogue, row_limit: int
) -> tuple[Query, list[Subtask]]:
    """What to load, and the test over it, with a table for people where it is of several things.

    Missing values are counted where the data is. Of a table with more rows than a query may give,
    every other test gets a sample, and says so.
    """
    steps: list[Subtask] = []
    if statistic.test == "missing" and statistic.columns:
        steps.append(_step(intent, statistic, {"total": TOTAL, "complete": COMPLETE}))
        return counted(query), steps + tabled(statistic)
    if is_sampled(intent, catalogue, row_limit):
        steps.append(_step(intent, statistic, {"total": TOTAL}))
        return sampled(query, row_limit), steps + tabled(statistic)
    steps.append(_step(intent, statistic, {}))
    return query, steps + ([] if statistic.beside else tabled(statistic))


def is_sampled(intent: Intent, catalogue: Catalogue, row_limit: int) -> bool:
    """Whether there are more rows than a query may give, so that a test sees some of them."""
    names = {intent.base, *(relation.right.table for relation in intent.joins)}
    rows = [table.rows for name in names if (table := catalogue.table(name)) is not None]
    return max(rows, default=0) > row_limit and not intent.grouped


def _step(intent: Intent, statistic: Statistic, further: dict[str, Any]) -> Subtask:
    names = {d.expression: d.label for d in intent.dimensions}
    names |= {m.expression: m.label for m in intent.measures if m.expression is not None}
    columns = [names[c] for c in statistic.columns] or [m.label for m in intent.measures]
    arguments: dict[str, Any] = {
        "input": _LOAD,
        "test": statistic.test,
        "columns": columns,
        **({"by": names[statistic.by]} if statistic.by else {}),
        **({"label": names[statistic.label]} if statistic.label else {}),
        **(
            {"predictors": [names[c] for c in statistic.predictors]} if statistic.predictors else {}
        ),
        **statistic.settings,
        **further,
        **({"first": list(statistic.asked)} if statistic.asked else {}),
    }
    return Subtask(
        task_id=TEST,
        description=f"{statistic.test.replace('_', ' ')} over the rows",
        tool_name="stats.test",
        arguments=arguments,
        dependencies=(_LOAD,),
        invariants=("every row with a missing value is left out and counted",),
        estimated_cost_seconds=_TEST_SECONDS,
    )
