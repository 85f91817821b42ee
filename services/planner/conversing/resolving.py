"""Turns that go on with work of another kind: why what is in sight moved, and what caused it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from services.planner.analysis.meaning import describe_sources
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.causal.request import CAUSAL_SECONDS, CausalRequest
from services.planner.domain.conversation.turn import TurnKind
from services.planner.domain.investigation.request import (
    INVESTIGATION_SECONDS,
    InvestigationRequest,
)
from services.planner.domain.jobs.job import Job
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.request import WorkRequest
from services.planner.jobs.collaborators import Collaborators

if TYPE_CHECKING:
    from services.planner.domain.catalogue import Catalogue
    from services.planner.domain.conversation.in_sight import InSight
    from services.planner.domain.investigation.period import DateRange

_MOST_ROWS = 5_000


class Resolving:
    """Makes requests of other kinds out of what an analysis showed."""

    def __init__(self, with_: Collaborators) -> None:
        self._with = with_

    async def work(
        self, kind: TurnKind, request: AnalysisRequest, planning: Planning, read: Job
    ) -> tuple[Work, str] | str:
        """What is to be done, with what was taken for granted; or, for people, why nothing can be.

        Raises AssayError for sources that cannot be read.
        """
        catalogue = (await describe_sources(self._with.tools, request)).catalogue
        sight = await asyncio.to_thread(_in_sight, planning, catalogue)
        if kind is TurnKind.CAUSE:
            return self._caused(request, sight, catalogue)
        return await self._moved(request, sight, read)

    async def _moved(
        self, request: AnalysisRequest, sight: InSight, read: Job
    ) -> tuple[Work, str] | str:
        from services.planner.domain.conversation import moving

        if not sight.metric:
            return sight.no_metric
        wanted = InvestigationRequest(
            **_terms(request, INVESTIGATION_SECONDS),
            metric_sql=sight.metric,
            time_column=sight.time,
            asked=request.intent,
        )
        if wanted.has_times:
            return wanted, "the number that was asked for before, at the time that is said"
        periods, how = await self._periods(request, sight, read)
        if periods is None:
            return (
                "what was asked before shows no two periods between which it moved so; say which, "
                "like “why did it fall in March 2024?”"
            )
        update = {"baseline_period": periods[0], "comparison_period": periods[1]}
        return wanted.model_copy(update=update), moving.describe_periods(periods, how)

    async def _periods(
        self, request: AnalysisRequest, sight: InSight, read: Job
    ) -> tuple[tuple[DateRange, DateRange] | None, str]:
        from services.planner.domain.conversation import moving

        split = sight.split
        if split is None:
            return sight.periods, "its time and the one before"
        answer = (await self._with.jobs.get(read.tenant, read.job_id)).answer
        if answer is None or answer.table is None or answer.table.rows > _MOST_ROWS:
            return None, ""
        table = await self._with.tools.read(answer.table)
        time = moving.column_named(table.column_names, split.time, answer.formats)
        label = moving.column_named(table.column_names, split.number, {})
        if not time or not label:
            return None, ""
        days = moving.moments(table.column(time).to_pylist())
        values = table.column(label).to_pylist()
        rows = [
            (day, float(value))
            for day, value in zip(days, values, strict=True)
            if day is not None and value is not None
        ]
        return moving.largest_move(rows, split.grain, request.intent), (
            "the largest such move in sight"
        )

    def _caused(
        self, request: AnalysisRequest, sight: InSight, catalogue: Catalogue
    ) -> tuple[Work, str] | str:
        from services.planner.domain.conversation import causing

        if sight.column is None:
            return sight.no_column
        table, outcome = sight.column
        text = causing.cause_in(request.intent)
        treatment = causing.column_called(text, catalogue, table)
        if not treatment or treatment == outcome:
            names = causing.names_in(catalogue.table(table))
            return f"“{text}” names no one column of {table} that could be it: there are {names}"
        wanted = CausalRequest(
            **_terms(request, CAUSAL_SECONDS),
            treatment=treatment,
            outcome=outcome,
            table=table,
            asked=request.intent,
        )
        return wanted, f"the effect of {treatment} on {outcome} of {table}"


def _in_sight(planning: Planning, catalogue: Catalogue) -> InSight:
    """What an answer shows: by the rules' reading where they read it, else by its statement, which
    says by which of several times it goes."""
    from services.planner.domain.analysis.adapting import restored
    from services.planner.domain.analysis.in_sight import statement_in_sight
    from services.planner.domain.conversation.in_sight import of_intent
    from services.planner.domain.conversation.of_statement import of_statement
    from services.planner.domain.query.intent import Intent

    if planning.intent and not planning.of_statement:
        intent = Intent.model_validate(restored(dict(planning.intent), catalogue))
        return of_intent(intent, catalogue)
    return of_statement(statement_in_sight(planning), catalogue)


def _terms(request: WorkRequest, seconds: float) -> dict[str, Any]:
    """What requests of every kind name, with the time that work of another kind takes."""
    constraints = request.constraints.model_copy(update={"timeout_seconds": seconds})
    return {
        "request_id": request.request_id,
        "data_sources": request.data_sources,
        "constraints": constraints,
        "policy": request.policy,
        "timestamp": request.timestamp,
    }
