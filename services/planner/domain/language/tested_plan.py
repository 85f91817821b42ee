"""The step of a plan that runs a statistical test, and what it is given."""

from __future__ import annotations

from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.language.intent import Intent, Statistic
from services.planner.domain.language.samples import TOTAL, counted, sampled
from services.planner.domain.language.sql import Query
from services.planner.domain.plan import Subtask

_LOAD, _TEST = "load", "test"
_TEST_SECONDS = 0.2


def tested_plan(
    intent: Intent, statistic: Statistic, query: Query, catalogue: Catalogue, row_limit: int
) -> tuple[Query, Subtask]:
    """What to load, and the test over it.

    Missing values are counted where the data is. Of a table with more rows than a query may give,
    every other test gets a sample, and says so.
    """
    names = {intent.base, *(relation.right.table for relation in intent.joins)}
    rows = [table.rows for name in names if (table := catalogue.table(name)) is not None]
    if statistic.test == "missing" and statistic.columns:
        return counted(query), _step(intent, statistic, {"total": TOTAL})
    if max(rows, default=0) > row_limit:
        return sampled(query, row_limit), _step(intent, statistic, {"total": TOTAL})
    return query, _step(intent, statistic, {})


def _step(intent: Intent, statistic: Statistic, further: dict[str, Any]) -> Subtask:
    names = {d.expression: d.label for d in intent.dimensions}
    arguments: dict[str, Any] = {
        "input": _LOAD,
        "test": statistic.test,
        "columns": [names[c] for c in statistic.columns],
        **({"by": names[statistic.by]} if statistic.by else {}),
        **(
            {"predictors": [names[c] for c in statistic.predictors]} if statistic.predictors else {}
        ),
        **({"method": statistic.method} if statistic.method else {}),
        **({"expected": statistic.expected} if statistic.expected is not None else {}),
        **({"threshold": statistic.threshold} if statistic.threshold is not None else {}),
        **({"ddof": statistic.ddof} if statistic.ddof is not None else {}),
        **({"equal_variances": True} if statistic.equal_variances else {}),
        **({"confidence": statistic.confidence} if statistic.confidence is not None else {}),
        **further,
        **({"first": list(statistic.asked)} if statistic.asked else {}),
    }
    return Subtask(
        task_id=_TEST,
        description=f"{statistic.test.replace('_', ' ')} over the rows",
        tool_name="stats.test",
        arguments=arguments,
        dependencies=(_LOAD,),
        invariants=("every row with a missing value is left out and counted",),
        estimated_cost_seconds=_TEST_SECONDS,
    )
