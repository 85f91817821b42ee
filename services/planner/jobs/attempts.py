"""One attempt at one step: stored, logged, run, and what came back stored.

Nothing is logged that is not stored, and nothing is run that is not logged: whoever goes on after a
crash asks for the same call under the same id, and the executor answers from its record if it had
completed.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from mesh import context as calls
from mesh.errors import AssayError
from services.planner.domain.analysis.past import Evidence
from services.planner.domain.calls import Frame, Observation, ToolCall, call_id_of
from services.planner.domain.jobs.job import Job
from services.planner.domain.plan import Subtask
from services.planner.domain.step import Step
from services.planner.jobs import records
from services.planner.jobs.collaborators import Collaborators, JobContext

log = logging.getLogger("assay.planner")

# How long the executor may take to say what came of a call that it was told to stop.
_LAST_WORD_SECONDS = 1.0


class Attempts:
    """Makes the calls of one job."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context

    def call(
        self, plan_id: str, subtask: Subtask, arguments: dict[str, Any], attempt: int, change: str
    ) -> ToolCall:
        """The call of a step's attempt; made again, it has the same id."""
        return ToolCall(
            call_id=call_id_of(plan_id, subtask.task_id, attempt),
            plan_id=plan_id,
            task_id=subtask.task_id,
            tool_name=subtask.tool_name,
            arguments=arguments,
            timestamp=self._context.clock.now(),
            attempt_number=attempt,
            change_reason=change,
        )

    async def make(
        self,
        job: Job,
        step: Step,
        needs: tuple[str, ...],
        call: ToolCall,
        evidence: dict[str, Evidence],
    ) -> Observation:
        """Run a call on what the steps it `needs` gave; a tool's failure is an observation.

        Raises AssayError when executor, audit log or database cannot be reached.
        """
        inputs: dict[str, Frame] = {}
        for name in needs:
            if (frame := evidence[name].observation.frame) is not None:
                inputs[name] = frame
        await self._context.writer.save_step(job, step, call=call)
        self._context.notify()
        await self._with.audit.append(job.job_id, [records.called(call, inputs)])
        observation = await self._execute(job, call, inputs)
        await self._context.writer.keep_observation(job, call, observation)
        return observation

    async def _execute(self, job: Job, call: ToolCall, inputs: dict[str, Frame]) -> Observation:
        asked = asyncio.create_task(self._ask(job, call, inputs))
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            await asyncio.shield(self._stop(job, call, asked))
            raise

    async def _ask(self, job: Job, call: ToolCall, inputs: dict[str, Frame]) -> Observation:
        async with aclosing(self._with.tools.execute(job.request, call, inputs)) as updates:
            async for update in updates:
                if isinstance(update, Observation):
                    return update
        raise ValueError(f"the executor ended call {call.call_id} without an observation")

    async def _stop(self, job: Job, call: ToolCall, asked: asyncio.Task[Observation]) -> None:
        """Have the executor stop a call, also when the job's own time is over.

        A call that was completed all the same is kept: its files are there.
        """
        with calls.entered(replace(calls.current(), deadline=None)):
            try:
                if await self._context.writer.held():  # else the call is another planner's by now
                    await self._with.tools.cancel(call.call_id)
                    await asyncio.wait([asked], timeout=_LAST_WORD_SECONDS)
                    observation = _last_word(asked)
                    if observation is not None and observation.succeeded:
                        await self._context.writer.keep_observation(job, call, observation)
            except AssayError as error:  # then the end of the stream has to tell it
                log.warning("call %s could not be cancelled: %s", call.call_id, error)
            finally:
                asked.cancel()
                await asyncio.wait([asked])


def _last_word(asked: asyncio.Task[Observation]) -> Observation | None:
    """What came of a call that was stopped, if the executor has said so."""
    if not asked.done() or asked.cancelled() or asked.exception() is not None:
        return None
    return asked.result()
