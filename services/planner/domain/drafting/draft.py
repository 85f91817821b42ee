"""From a settled reading to a plan: load, then what the deliverables need, side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.charts.choosing import Layout, layout
from services.planner.domain.charts.drawing import chart_task
from services.planner.domain.drafting.cohorts import cohort_tasks, of_cohorts
from services.planner.domain.drafting.compared import compared_task
from services.planner.domain.drafting.counted_ranges import (
    FROM,
    ROWS,
    TO,
    counted_ranges,
    counted_spread,
    is_counted,
)
from services.planner.domain.drafting.profile import PROFILE, profiled
from services.planner.domain.drafting.spread import shows_spread, spread_task
from services.planner.domain.drafting.summed import (
    LOAD,
    TRANSFORM_SECONDS,
    breakdowns,
    facts,
    transform,
)
from services.planner.domain.drafting.tables import matrix_chart
from services.planner.domain.drafting.tested import TEST, is_sampled, tested_plan
from services.planner.domain.drafting.ties import ties_task
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.query.along import found_in
from services.planner.domain.query.intent import (
    Aggregate,
    ChartType,
    Intent,
    Understood,
)
from services.planner.domain.query.planning.accepting import criteria_of
from services.planner.domain.query.planning.compared_groups import compares_groups
from services.planner.domain.query.planning.reasoning import reasoning_of
from services.planner.domain.query.planning.rows_used import used_task
from services.planner.domain.query.planning.samples import TOTAL, sampled
from services.planner.domain.query.planning.sql import Query, render
from services.planner.domain.query.planning.summary import filter_text
from services.planner.domain.query.statistics.asked import MATRIX

_ROWS_A_SECOND = 5_000_000
_START_UP_SECONDS = 0.05
_LONGEST_SQL_SECONDS = 180
_MOST_PIVOT_COLUMNS = 100


def draft_plan(
    understood: Understood,
    catalogue: Catalogue,
    *,
    deliverables: Collection[str],
    row_limit: int,
    timeout_seconds: float,
) -> PlanDraft:
    """The steps that answer the question. All but the first need only the first, so run at once.

    `facts`, `leaders` and `totals` hold every number that a sentence about the answer may use:
    nothing is computed while telling it, and nothing is computed that nobody will be told.
    """
    intent = understood.intent
    if intent.profile:
        query, profile = profiled(intent, catalogue, row_limit)
        load = _load(intent, query, catalogue, row_limit, timeout_seconds)
        return _reasoned(intent, (load, *profile), PROFILE, catalogue)
    query, answer, tests = render(intent, catalogue), LOAD, list[Subtask]()
    if intent.statistic is None and is_counted(intent, catalogue, row_limit):
        return _counted(intent, query, catalogue, deliverables, row_limit, timeout_seconds)
    if intent.statistic is None and _is_crowd(intent) and is_sampled(intent, catalogue, row_limit):
        query = sampled(query, row_limit)
    if intent.statistic is not None:
        query, tests = tested_plan(intent, intent.statistic, query, catalogue, row_limit)
        partly = is_sampled(intent, catalogue, row_limit)
        answer = LOAD if intent.statistic.beside and not partly else TEST
    steps = [_load(intent, query, catalogue, row_limit, timeout_seconds), *tests]
    place = layout(intent)
    if answer == TEST:
        table = catalogue.table(intent.base)
        if "charts" in deliverables and intent.statistic and MATRIX in intent.statistic.asked:
            steps += matrix_chart(table.source_name if table is not None else "")
        elif "charts" in deliverables and place is not None and intent.chart is not None:
            steps.append(_build_sample_chart(chart_task(intent, place, catalogue, LOAD), query))
        return _reasoned(intent, steps, answer, catalogue)
    if intent.cohort is not None and of_cohorts(intent) and place is not None:
        steps += cohort_tasks(intent, intent.cohort, place)
    elif (periods := compares_groups(intent)) is not None and place is not None:
        steps.append(compared_task(intent, place, periods))
    elif "tables" in deliverables and place is not None and _pivots(intent, place, catalogue):
        steps.append(_shape(place, intent))
    is_mentioned = "summary" in deliverables or "reports" in deliverables
    steps += _beside(intent, query, catalogue, timeout_seconds) if is_mentioned else []
    if intent.dimensions and is_mentioned and not of_cohorts(intent):
        steps.append(facts(intent, catalogue))
        steps += breakdowns(intent, catalogue)
    elif is_mentioned and shows_spread(intent):
        steps.append(spread_task(intent, LOAD, TRANSFORM_SECONDS))
    if "charts" in deliverables and place is not None and intent.chart is not None:
        steps.append(_build_sample_chart(chart_task(intent, place, catalogue, LOAD), query))
    return _reasoned(intent, steps, LOAD, catalogue)


def _beside(
    intent: Intent, query: Query, catalogue: Catalogue, timeout_seconds: float
) -> list[Subtask]:
    """What is counted beside the answer, since whoever reads it has to know."""
    seconds = max(1, min(_LONGEST_SQL_SECONDS, int(timeout_seconds)))
    tasks = (ties_task(intent, query, seconds), used_task(intent, catalogue, seconds))
    # Behind the answer: where that fails, nothing beside it is to be known.
    after = {"dependencies": (LOAD,)}
    return [task.model_copy(update=after) for task in tasks if task is not None]


def _build_sample_chart(chart: Subtask, query: Query) -> Subtask:
    """The chart of a sample's rows, which says of how many they are one."""
    if TOTAL not in query.columns:
        return chart
    return chart.model_copy(update={"arguments": {**chart.arguments, "total_col": TOTAL}})


def _is_crowd(intent: Intent) -> bool:
    """Whether every row is a point or a part of a box, so that an even sample looks the same."""
    return intent.chart in (ChartType.SCATTER, ChartType.BOX) and intent.limit is None


def _counted(
    intent: Intent,
    query: Query,
    catalogue: Catalogue,
    deliverables: Collection[str],
    row_limit: int,
    timeout_seconds: float,
) -> PlanDraft:
    """A histogram whose rows the engine counts in ranges, all of them."""
    label = intent.measures[0].label
    ranges = counted_ranges(query, label)
    steps = [_load(intent, ranges, catalogue, row_limit, timeout_seconds)]
    if "summary" in deliverables or "reports" in deliverables:
        seconds = max(1, min(_LONGEST_SQL_SECONDS, int(timeout_seconds)))
        steps.append(counted_spread(query, label, seconds))
    place = layout(intent)
    if "charts" in deliverables and place is not None:
        chart = chart_task(intent, place, catalogue, LOAD)
        ends = {"x_col": FROM, "x_end_col": TO, "y_col": ROWS, "additive": True}
        steps.append(chart.model_copy(update={"arguments": {**chart.arguments, **ends}}))
    return _reasoned(intent, steps, LOAD, catalogue)


def _reasoned(
    intent: Intent, steps: Sequence[Subtask], answer: str, catalogue: Catalogue
) -> PlanDraft:
    why = reasoning_of(intent, steps, catalogue)
    return PlanDraft(subtasks=tuple(steps), reasoning=why, answer_task=answer)


def _load(
    intent: Intent, query: Query, catalogue: Catalogue, row_limit: int, timeout_seconds: float
) -> Subtask:
    names = [intent.base, *(relation.right.table for relation in intent.joins)]
    rows = sum(table.rows for name in names if (table := catalogue.table(name)) is not None)
    invariants = [f"only rows where {filter_text(wanted)}" for wanted in intent.filters]
    invariants += criteria_of(intent, query)
    if intent.filters and intent.grouped:
        invariants.append("filter before aggregate")
    return Subtask(
        task_id=LOAD,
        description=f"query {', '.join(dict.fromkeys(names))}",
        tool_name="sql.run",
        arguments={
            "query": query.text,
            "params": list(query.params),
            "timeout": max(1, min(_LONGEST_SQL_SECONDS, int(timeout_seconds))),
            "row_limit": row_limit,
        },
        invariants=tuple(dict.fromkeys(invariants)),
        estimated_cost_seconds=_START_UP_SECONDS + rows / _ROWS_A_SECOND,
    )


def _pivots(intent: Intent, place: Layout, catalogue: Catalogue) -> bool:
    """Whether the series become columns: of one number, and no more than can be read."""
    alone = intent.series == 1 and len(intent.measures) == 1
    if not place.series or not intent.grouped or not alone or intent.limit_per_series:
        return False
    series = intent.dimensions[1]
    found = found_in(series.expression, catalogue)
    plain = found is not None and series.grain is None and series.bins is None
    return not plain or found is None or found[0].distinct <= _MOST_PIVOT_COLUMNS


def _counts(intent: Intent) -> bool:
    """Whether the first number counts, so that where there is no row it is nought."""
    return intent.measures[0].aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def _shape(place: Layout, intent: Intent) -> Subtask:
    step = {
        "operation": "pivot",
        "index": [place.x],
        "columns": place.series,
        "values": place.y,
        "function": "sum" if intent.measures[0].additive else "max",
        "fill": "zero" if _counts(intent) else "null",
        "order": "natural",
        "rows": "natural",
    }
    rule = f"one row for each {place.x}, one column for each {place.series}"
    return transform("shape", f"one column for each {place.series}", [step], rule)
