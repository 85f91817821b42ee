"""Taking a person's answer to the question that a job waits with, and going on with the job."""

from __future__ import annotations

import asyncio

from mesh.errors import INVESTIGATION_NOT_COMPLETE, NO_PENDING_QUESTION, AssayError
from services.planner.domain.decision import Decision
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.permission import reply_refused
from services.planner.domain.request import JobKind
from services.planner.jobs import records
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.keeper import Keeper
from services.planner.store_ports import Leases


class Answering:
    """Stores an answer under the job's lease, and has the job begun if there is a slot for it."""

    def __init__(self, with_: Collaborators, leases: Leases, keeper: Keeper) -> None:
        self._with = with_
        self._leases = leases
        self._keeper = keeper

    async def answer(self, job: Job, option_id: str, text: str, turn: Decision | None) -> Job:
        """The job as it goes on. Raises as `Planner.answer` does."""
        if refused := await asyncio.to_thread(reply_refused, text, job.request.policy):
            event = records.refused(job.job_id, refused.reason.code, refused.message)
            await self._with.audit.append(job.job_id, [event])
            raise refused
        if job.kind is JobKind.INVESTIGATION and not job.state.final:
            raise AssayError(
                INVESTIGATION_NOT_COMPLETE,
                f"investigation {job.job_id[:8]} is {job.state}; it has no report to ask about yet",
            )
        reply = job.clarification.reply(option_id, text) if job.clarification else ""
        lease = await self._leases.claim(job.job_id) if reply else None
        if lease is None:
            raise AssayError(
                NO_PENDING_QUESTION, f"job {job.job_id[:8]} is {job.state}, not waiting"
            )
        update = {
            "reply": reply,
            "replies": job.replies + 1,
            "state": JobState.PLANNING,
            "clarification": None,
        }
        try:
            job = await self._with.jobs.under(lease).save(
                job.model_copy(update=update),
                [("state", {"state": JobState.PLANNING.value})],
                (turn,) if turn is not None else (),
            )
        except BaseException:
            await self._leases.release(lease)
            raise
        if self._keeper.slots.take():
            await self._keeper.begin(lease, slotted=True)
        else:  # it goes before all that was never begun
            await self._leases.release(lease, rested=True)
            self._keeper.waits()
        return job
