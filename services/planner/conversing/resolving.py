"""Turns that go on with work of another kind: why what is in sight moved, and what caused it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from services.planner.analysis.meaning import described_as_meant
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.analysis.request import AnalysisRequest
from services.planner.domain.causal.request import CAUSAL_SECONDS, CausalRequest
from services.planner.domain.investigation.request import (
    INVESTIGATION_SECONDS,
    InvestigationRequest,
)
from services.planner.domain.job import Job
from services.planner.domain.kinds import Work
from services.planner.domain.request import WorkRequest
from services.planner.domain.turns.turn import TurnKind
from services.planner.jobs.collaborators import Collaborators

if TYPE_CHECKING:
    from services.planner.domain.catalogue import Catalogue
    from services.planner.domain.investigation.period import DateRange
    from services.planner.domain.language.intent import Intent

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
        from services.planner.domain.analysis.adapting import restored
        from services.planner.domain.language.intent import Intent

        catalogue = (await described_as_meant(self._with.tools, request)).catalogue
        intent = Intent.model_validate(restored(dict(planning.intent), catalogue))
        if kind is TurnKind.CAUSE:
            return self._caused(request, intent, catalogue)
        return await self._moved(request, intent, catalogue, read)

    async def _moved(
        self, request: AnalysisRequest, intent: Intent, catalogue: Catalogue, read: Job
    ) -> tuple[Work, str] | str:
        from services.planner.domain.turns import moving

        metric = moving.metric_in_sight(intent, catalogue)
        if not metric:
            return "what was asked before shows no single number whose movement could be explained"
        wanted = InvestigationRequest(
            **_terms(request, INVESTIGATION_SECONDS), metric_sql=metric, asked=request.intent
        )
        if wanted.says_times:
            return wanted, "the number that was asked for before, at the time that is said"
        periods, how = await self._periods(request, intent, catalogue, read)
        if periods is None:
            return (
                "what was asked before shows no two periods between which it moved so; say which, "
                "like “why did it fall in March 2024?”"
            )
        update = {"baseline_period": periods[0], "comparison_period": periods[1]}
        return wanted.model_copy(update=update), moving.told(periods, how)

    async def _periods(
        self, request: AnalysisRequest, intent: Intent, catalogue: Catalogue, read: Job
    ) -> tuple[tuple[DateRange, DateRange] | None, str]:
        from services.planner.domain.turns import moving

        split = moving.time_split(intent)
        if split is None:
            return moving.periods_of_filter(intent, catalogue), "its time and the one before"
        answer = (await self._with.jobs.get(read.tenant, read.job_id)).answer
        grain = split[1].grain
        if answer is None or answer.table is None or answer.table.rows > _MOST_ROWS or not grain:
            return None, ""
        table = await self._with.tools.read(answer.table)
        time = moving.column_named(table.column_names, split[1].label, answer.formats)
        label = next(measure.label for measure in intent.measures if measure.shown)
        if not time or label not in table.column_names:
            return None, ""
        days = moving.moments(table.column(time).to_pylist())
        values = table.column(label).to_pylist()
        rows = [
            (day, float(value))
            for day, value in zip(days, values, strict=True)
            if day is not None and value is not None
        ]
        return moving.largest_move(rows, grain, request.intent), "the largest such move in sight"

    def _caused(
        self, request: AnalysisRequest, intent: Intent, catalogue: Catalogue
    ) -> tuple[Work, str] | str:
        from services.planner.domain.turns import causing

        number = causing.table_of_number(intent)
        if number is None:
            return "what was asked before shows no number that is one column of the data"
        table, outcome = number
        said = causing.cause_in(request.intent)
        treatment = causing.column_called(said, catalogue, table)
        if not treatment or treatment == outcome:
            names = causing.names_in(catalogue.table(table))
            return f"“{said}” names no one column of {table} that could be it: there are {names}"
        wanted = CausalRequest(
            **_terms(request, CAUSAL_SECONDS),
            treatment=treatment,
            outcome=outcome,
            table=table,
            asked=request.intent,
        )
        return wanted, f"the effect of {treatment} on {outcome} of {table}"


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
