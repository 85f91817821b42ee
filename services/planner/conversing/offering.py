"""Suggestions after an answer: each is planned before it is offered, and recorded with the job."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from mesh.clock import Clock
from mesh.errors import AssayError
from mesh.ids import derived_id, new_id
from services.planner.analysis.meaning import describe_sources
from services.planner.app import Planner
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.conversation.response import MOST_SUGGESTIONS
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job
from services.planner.domain.question import AnalysisRequest
from services.planner.jobs.collaborators import Collaborators

_MOST_TRIED = 5


class Offering:
    """Finds what can be said next."""

    def __init__(
        self, planner: Planner, with_: Collaborators, clock: Clock, seconds: float
    ) -> None:
        self._planner = planner
        self._with = with_
        self._clock = clock
        self._seconds = seconds

    async def offer(self, job: Job, sequence: int) -> None:
        """Record what may be said after the answer that a job gave with an event.

        What takes longer than a suggestion may is left out.
        """
        decision_id = derived_id(job.job_id, "suggest", str(sequence))
        decisions = await self._with.jobs.decisions(job.job_id)
        if any(decision.decision_id == decision_id for decision in decisions):
            return
        plans = [Planning.model_validate(d.decided) for d in decisions if d.kind == "plan"]
        found: list[str] = []
        if isinstance(job.request, AnalysisRequest) and plans and plans[-1].intent:
            try:
                async with asyncio.timeout(self._seconds):
                    await self._find(job, job.request, plans[-1], found)
            except (TimeoutError, AssayError):
                pass  # an answer is none the worse without
        decision = Decision(
            decision_id=decision_id,
            job_id=job.job_id,
            kind="suggest",
            reasoner="rules",
            reason=f"{len(found)} of the words tried have a plan",
            given={"sequence": sequence},
            decided={"suggestions": found},
            timestamp=self._clock.now(),
        )
        await self._with.jobs.note(decision)

    async def _find(
        self, job: Job, request: AnalysisRequest, planning: Planning, found: list[str]
    ) -> None:
        if request.domains:
            request = request.going_on_from(request, planning.domain)
        described = await describe_sources(self._with.tools, request)
        rows = job.answer.table.rows if job.answer and job.answer.table else 0
        words = await asyncio.to_thread(_words, planning, described.catalogue, rows)
        for text in words[:_MOST_TRIED]:
            if len(found) == MOST_SUGGESTIONS:
                return
            follow_up = request.model_copy(
                update={
                    "request_id": new_id(),
                    "intent": text,
                    "follows_job_id": job.job_id,
                    "choice": "",
                    "corrections": (),
                }
            )
            if (await self._planner.plan(follow_up, by_rules=True)).plan is not None:
                found.append(text)


def _words(planning: Planning, catalogue: object, rows: int) -> list[str]:
    from services.planner.domain.analysis.adapting import restored
    from services.planner.domain.catalogue import Catalogue
    from services.planner.domain.conversation.suggesting import suggested
    from services.planner.domain.query.intent import Intent

    assert isinstance(catalogue, Catalogue)
    intent = Intent.model_validate(restored(dict(planning.intent), catalogue))
    offered: Iterator[str] = suggested(intent, catalogue, rows)
    return list(dict.fromkeys(offered))
