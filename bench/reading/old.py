"""Today's reader, `understand(...)`, as the bench asks it."""

from __future__ import annotations

import time
from collections.abc import Sequence

import duckdb
import sqlglot
from sqlglot import exp

from bench.reading.protocol import Answered, Drawn, Opened, Outcome, Rows, Word
from bench.reading.running import OverTimeError
from services.planner.domain.language.intent import (
    ChartType,
    Clarification,
    Intent,
    NotUnderstood,
    Understood,
)
from services.planner.domain.language.planning.chart import layout
from services.planner.domain.language.planning.sql import Query, render
from services.planner.domain.language.understand import understand

_SURE, _FAIRLY_SURE = 0.75, 0.5  # as the planner's reasoner maps them to "high" and "medium"
_CHARTS = {
    ChartType.BAR: "Bar",
    ChartType.HISTOGRAM: "Bar",
    ChartType.GROUPED_BAR: "Stacked Bar",
    ChartType.STACKED_BAR: "Stacked Bar",
    ChartType.LINE: "Line",
    ChartType.AREA: "Line",
    ChartType.MULTI_LINE: "Grouping Line",
    ChartType.PIE: "Pie",
    ChartType.SCATTER: "Scatter",
}


class OldReader:
    """Asks without assuming; where that asks back, the rows are those of what it would assume.

    It keeps no candidates, and knows nothing of the questions before.
    """

    async def ask(self, question: str, database: Opened, after: Sequence[str] = ()) -> Answered:
        """What the planner's rules would say."""
        outcome: Outcome = "answered"
        catalogue, lookup, today = database.catalogue, database.lookup, database.today
        read = await understand(question, catalogue, lookup, today=today)
        began = time.perf_counter()
        options: tuple[str, ...] = ()
        if isinstance(read, Clarification):
            outcome, options = "asked", read.options
            read = await understand(question, catalogue, lookup, today=today, assume=True)
        if isinstance(read, Clarification):
            return Answered("asked", said=read.question)
        if isinstance(read, NotUnderstood):
            refused: Outcome = "asked" if outcome == "asked" else "refused"
            return Answered(refused, said=read.message)
        rows, sql, failed = _rows(read, database)
        return Answered(
            outcome,
            rows=rows,
            chart=_drawn(read.intent),
            confidence=read.confidence,
            word=_word(read.confidence),
            doubts=read.assumptions,
            candidates=(rows,),
            sql=sql,
            said=failed or "; ".join(options) or read.summary,
            executing_seconds=time.perf_counter() - began,
        )


def _rows(read: Understood, database: Opened) -> tuple[Rows | None, str, str]:
    """The answer's rows, its SQL, and why there are no rows."""
    intent = read.intent
    query = render(intent, database.catalogue)
    try:
        columns, rows = database.run(query.text, query.params)
    except (duckdb.Error, OverTimeError) as error:
        return None, _told(query), f"does not run: {error}"
    at_most = database.run.rows_at_most
    found = Rows(columns, rows[:at_most], cut=len(rows) > at_most, chart=_drawn(intent))
    return found, _told(query), ""


def _told(query: Query) -> str:
    """The query with its values in their places."""
    values = iter(query.params)

    def filled(node: exp.Expr) -> exp.Expr:
        return exp.convert(next(values)) if isinstance(node, exp.Placeholder) else node

    tree = sqlglot.parse_one(query.text, dialect="duckdb")
    try:
        return tree.transform(filled).sql(dialect="duckdb")
    except StopIteration:
        return query.text


def _drawn(intent: Intent) -> Drawn | None:
    place = layout(intent)
    if place is None:
        return None
    kind = _CHARTS.get(intent.chart, intent.chart.value) if intent.chart else "none"
    if kind == "Scatter" and intent.series is not None:
        kind = "Grouping Scatter"
    return Drawn(kind, place.x, place.y, place.series)


def _word(confidence: float) -> Word:
    if confidence >= _SURE:
        return "sure"
    return "likely" if confidence >= _FAIRLY_SURE else "doubtful"


def reader() -> OldReader:
    """The reader under its name for the command."""
    return OldReader()
