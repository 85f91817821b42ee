"""Running one job of any kind within its time, and ending it when it is stopped or fails."""

from __future__ import annotations

import asyncio
import logging

from mesh import context as calls
from mesh.errors import CANCELLED, INTERNAL, QUEUE_FULL, REASONS, TIMEOUT, AssayError
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.job import Job, JobState
from services.planner.domain.jobs.lease import LeaseLostError
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.jobs.ending import Ending
from services.planner.jobs.work import Work

log = logging.getLogger("assay.planner")

# The message of a task's cancellation that ends the job too; any other only lets go of it.
CANCEL = "cancel the job"


class Running:
    """Runs a job by what its kind of work says."""

    def __init__(self, with_: Collaborators, context: JobContext, work: Work) -> None:
        self._with = with_
        self._ending = Ending(with_, context)
        self._work = work

    async def run(self, job: Job) -> None:
        """Take the job to its end, or to a question back.

        Stops without a trace when another planner has the job by now, and when it is cancelled,
        unless with the message CANCEL: that ends the job. Raises only CancelledError, and
        AssayError when not even a failure can be stored.
        """
        try:
            async with asyncio.timeout(calls.current().seconds_left(job.request.most_seconds)):
                if not await self._ending.resumed(job):
                    await self._work.advance(job)
        except asyncio.CancelledError as error:
            if error.args == (CANCEL,):
                await self.cancel(job)
            raise
        except LeaseLostError as lost:
            log.warning("%s", lost.message)
        except TimeoutError:
            await self._out_of_time(job)
        except AssayError as error:
            if error.reason is TIMEOUT and calls.current().seconds_left(1.0) == 0.0:
                await self._out_of_time(job)  # a peer, given the same deadline, was first
                return
            failure = Failure(reason=error.reason.code, message=error.message, hint=error.remedy)
            await self._end(job, JobState.FAILED, failure)
        except Exception:
            log.exception("job %s failed", job.job_id)
            text = f"something went wrong inside Assay (job {job.job_id[:8]})"
            await self._stop(job, JobState.FAILED, INTERNAL.code, text)

    async def cancel(self, job: Job) -> None:
        """End a job because somebody asked for it."""
        await self._stop(job, JobState.CANCELLED, CANCELLED.code, "cancelled by request")

    async def shed(self, job: Job, waited: float) -> None:
        """End a job that has waited for its turn for too long to be begun."""
        message = f"the job waited {waited:.0f} s for its turn and was not begun: too much else"
        failure = Failure(
            reason=QUEUE_FULL.code,
            message=f"{message} was being worked on",
            hint="Ask again when there is less to do.",
        )
        await self._end(job, JobState.FAILED, failure)

    async def too_late(self, job: Job) -> None:
        """End a job whose time was over before its turn came."""
        seconds = job.request.constraints.timeout_seconds
        failure = Failure(
            reason=TIMEOUT.code,
            message=f"the job waited {seconds:g} s for its turn, which is all its time, and was "
            "not begun: too much else was being worked on",
            hint="Ask again when there is less to do, or give it more time.",
        )
        await self._end(job, JobState.FAILED, failure)

    async def _out_of_time(self, job: Job) -> None:
        seconds = job.request.constraints.timeout_seconds
        await self._stop(job, JobState.FAILED, TIMEOUT.code, f"stopped after {seconds:g} s")

    async def _stop(self, job: Job, state: JobState, reason: str, message: str) -> None:
        """End a job in the middle and say what is kept of it."""
        hint = REASONS[reason].remedy
        kept = (await self._with.jobs.get(job.tenant, job.job_id)).steps
        done = sum(step.state.value == "done" for step in kept)
        if kept:
            message += f"; {done} of {len(kept)} steps done and kept"
        await self._end(job, state, Failure(reason=reason, message=message, hint=hint))

    async def _end(self, job: Job, state: JobState, failure: Failure) -> None:
        await asyncio.shield(self._ending.unanswered(job, state, failure))
