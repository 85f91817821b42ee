"""What a statement means: held against what its author declares, and against what the same names
meant before in its session."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.finding import Finding
from services.planner.domain.evidence import Evidence
from services.planner.domain.jobs.job import Job, JobFilter, JobState
from services.planner.domain.proposals.considered import Considered
from services.planner.domain.question import AnalysisRequest, analysis_of
from services.planner.domain.twin.reported import Reported
from services.planner.store_ports import JobStore

if TYPE_CHECKING:
    from services.planner.domain.statements.picked import Picked

_ANSWERED = (JobState.COMPLETED, JobState.PARTIAL_SUCCESS)
_MOST_BEFORE = 100
_MOST_KEPT = 2_000


@dataclass(frozen=True)
class Declared:
    """What was found of a statement's meaning, what could not be checked, and how many tests were
    `tried` before in its session, and what was `picked` for a test out of others."""

    findings: tuple[Finding, ...] = ()
    others: tuple[Considered, ...] = ()
    not_checked: tuple[str, ...] = ()
    reported: tuple[Reported, ...] = ()
    tried: int = 0
    picked: Picked | None = None


class Meanings:
    """Judges what statements mean. Of jobs that were decided, what they report is kept."""

    def __init__(self, jobs: JobStore) -> None:
        self._jobs = jobs
        self._kept: OrderedDict[str, tuple[Reported, ...]] = OrderedDict()

    async def judge(self, job: Job, catalogue: Catalogue, evidence: Evidence) -> Declared:
        """What is to be told of a job's statement."""
        # Here, because lists of jobs come by this module and take no statement apart.
        from services.planner.domain.twin.finding import found_of_name, found_of_twin
        from services.planner.domain.twin.holding import hold
        from services.planner.domain.twin.reported import find_other_meaning, reported_by

        request = analysis_of(job.request)
        held = await hold(request.statement, request.means, catalogue, evidence)
        found = [one for one in (found_of_twin(held),) if one is not None]
        reported = await asyncio.to_thread(reported_by, request.statement, catalogue)
        earlier = await self._earlier(job) if reported or request.test.kind else []
        before = await self._before(earlier) if reported else []
        picked = await self._picked(request, earlier, catalogue)
        for one in reported:
            if text := find_other_meaning(one, before):
                found.append(found_of_name(one.name, text))
        return Declared(
            findings=tuple(found),
            others=(held.beside,) if held.beside is not None else (),
            not_checked=held.not_checked,
            reported=reported,
            tried=sum(analysis_of(one.request).test.counts for one in earlier)
            + (picked.count - 1 if picked is not None else 0),
            picked=picked,
        )

    async def _earlier(self, job: Job) -> list[Job]:
        """The statements of its session that were answered before, the oldest first."""
        if not job.session_id:
            return []
        wanted = JobFilter(session_id=job.session_id, states=_ANSWERED)
        page, _ = await self._jobs.page(job.tenant, wanted, _MOST_BEFORE, "")
        others = (one for one in reversed(page) if one.job_id != job.job_id)
        return [one for one in others if getattr(one.request, "frame", "")]

    async def _picked(
        self, request: AnalysisRequest, earlier: Sequence[Job], catalogue: Catalogue
    ) -> Picked | None:
        """What a tested statement picks out of earlier frames of its session."""
        if not request.test.counts:
            return None
        # Here, for the same reason as above.
        from services.planner.domain.statements.picked import find_picked

        frames: list[tuple[str, str, int]] = []
        for one in earlier:
            asked = analysis_of(one.request)
            if asked.test.kind or "group" not in asked.statement.casefold():
                continue
            whole = await self._jobs.get(one.tenant, one.job_id)  # pages hold no answers
            table = whole.answer.table if whole.answer is not None else None
            frames.append((asked.frame, asked.statement, table.rows if table is not None else 0))
        return find_picked(request.statement, frames, catalogue)

    async def _before(self, earlier: Sequence[Job]) -> list[tuple[str, Reported]]:
        """What a session reported until now, by the names of its frames."""
        return [
            (analysis_of(one.request).frame, number)
            for one in earlier
            for number in await self._reported(one)
        ]

    async def _reported(self, job: Job) -> tuple[Reported, ...]:
        if job.job_id not in self._kept:
            made = [one for one in await self._jobs.decisions(job.job_id) if one.kind == "plan"]
            decided = Planning.model_validate(made[-1].decided) if made else Planning()
            self._kept[job.job_id] = decided.reported
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return self._kept[job.job_id]
