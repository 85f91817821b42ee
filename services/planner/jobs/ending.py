"""The end of a job: decided, stored, logged, told, and covered by a checkpoint, in this order.

A job ends once. Its end is a decision like any other, with one id whether it is an answer or the
lack of one: the first to be stored is the job's end, whoever goes on after a crash carries it out,
and a cancel that comes later has come too late.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from mesh import context as calls
from mesh.errors import TIMEOUT, AssayError
from mesh.ids import derived_id
from mesh.processes.failpoint import failpoint
from services.planner.domain.analysis.past import Attempt
from services.planner.domain.calls import (
    Artifact,
    Observation,
    ObservationStatus,
    ToolCall,
    broken_off,
    is_broken_off,
    partial,
)
from services.planner.domain.decision import Decision
from services.planner.domain.failure import Failure
from services.planner.domain.jobs.ended import Ended
from services.planner.domain.jobs.job import Job, JobState
from services.planner.jobs import records, telling
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.ports import AuditEvent

log = logging.getLogger("assay.planner")

# What ending a job may take of a peer's time, also when the job's own time is over.
_LOG_SECONDS = 5.0


class Ending:
    """Ends one job."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context

    async def answered(self, job: Job, ended: Ended, reason: str, frames: list[str]) -> Job:
        """End a job with its answer, unless its end was decided before; the ended job.

        Raises AssayError when the answer cannot be logged: then nobody may be told of it.
        """
        await self._decide(job, ended, "narrate", reason, {"frames": frames})
        return await self._carry_out(job)

    async def unanswered(self, job: Job, state: JobState, failure: Failure) -> Job:
        """End a job without an answer, unless its end was decided before; the ended job.

        Files that its calls made are kept and marked as partial.
        """
        job = await self._with.jobs.get(job.tenant, job.job_id)
        if job.state.final:
            return job
        kept = await self.left_over(job, ())
        ended = Ended(state=state, failure=failure, partial_artifacts=kept)
        with _unhurried():
            await self._decide(job, ended, "end", failure.message, {})
            return await self._carry_out(job, otherwise=ended)

    async def left_over(self, job: Job, used: Sequence[Artifact]) -> tuple[Artifact, ...]:
        """The files that were made for a job and are none of those `used`, marked as partial."""
        seen = [o for _, o in await self._with.jobs.observations(job.job_id) if o is not None]
        job = await self._with.jobs.get(job.tenant, job.job_id)
        made = [partial(a) for observation in seen for a in observation.artifacts]
        left = {artifact.content_ref: artifact for artifact in (*made, *job.partial_artifacts)}
        for artifact in used:
            left.pop(artifact.content_ref, None)
        return tuple(left.values())

    async def resumed(self, job: Job) -> bool:
        """Carry out the end that was decided before a crash; whether there was one.

        Raises AssayError as `answered` does.
        """
        if await self._decided(job) is None:
            return False
        with _unhurried():
            await self._carry_out(job)
        return True

    async def _decide(
        self,
        job: Job,
        ended: Ended,
        kind: Literal["narrate", "end"],
        reason: str,
        given: dict[str, Any],
    ) -> None:
        decision = Decision(
            decision_id=derived_id(job.job_id, "end"),
            job_id=job.job_id,
            kind=kind,
            reasoner=self._with.reasoner.name,
            reason=reason,
            given=given,
            decided=ended.model_dump(mode="json"),
            timestamp=self._context.clock.now(),
        )
        await self._context.writer.save(job, decisions=[decision])

    async def _decided(self, job: Job) -> Ended | None:
        for decision in await self._with.jobs.decisions(job.job_id):
            if decision.decision_id == derived_id(job.job_id, "end"):
                return Ended.model_validate(decision.decided)
        return None

    async def _carry_out(self, job: Job, otherwise: Ended | None = None) -> Job:
        """Log the end that was decided, report it, and have the log's root signed over it.

        An answer that cannot be logged gives way to how the job ends `otherwise`; where there is
        no other way yet, AssayError is raised. An end without an answer is told all the same, or
        a full disk under the log would keep the job from ever ending, and is logged later.
        """
        ended = await self._decided(job)
        if ended is None:
            raise ValueError(f"no end of job {job.job_id} was decided")
        logged = True
        if ended.answer is None:
            await self._observe_broken_off(job, ended)
        try:
            await log_end(self._with, job, ended)
        except AssayError as error:
            if ended.answer is not None and otherwise is None:
                raise
            log.warning("the end of job %s is not logged yet: %s", job.job_id, error)
            ended, logged = otherwise or ended, False
            await self._observe_broken_off(job, ended)
        beside = (
            await self._context.at_end(self._with.jobs, job, ended) if self._context.at_end else []
        )
        job = ended.of(job).model_copy(update={"end_logged": logged})
        job = await self._context.writer.save(job, [*beside, *_list_events(job, ended)])
        self._context.notify()
        telling.ended(job, self._context.clock.now())
        # Whoever asked has the answer by now and does not wait for this.
        await publish(self._with, job.job_id)
        return job

    async def _observe_broken_off(self, job: Job, ended: Ended) -> None:
        """Record of every call that still ran that it came to nothing, and why: each call has an
        observation, and nobody asks for it again once the end was decided."""
        failure = ended.failure
        late = failure is not None and failure.reason == TIMEOUT.code
        status = ObservationStatus.TIMEOUT if late else ObservationStatus.ERROR
        why = failure.message if failure is not None else ended.state.value
        for call, observation in await self._with.jobs.observations(job.job_id):
            if observation is None:
                seen = broken_off(call, status, why, self._context.clock.now())
                await self._context.writer.keep_observation(job, call, seen)


async def log_end(with_: Collaborators, job: Job, ended: Ended) -> None:
    """Append a job's end: its answer, or that it has none, after whatever of its calls was stored
    and not logged. Repeating it changes nothing. Raises AssayError."""
    job_id = job.job_id
    if ended.answer is not None:
        await with_.audit.append(job_id, records.answered(job_id, ended))
        return
    recorded = await with_.jobs.observations(job_id)
    events: list[AuditEvent] = []
    for call, observation in recorded:
        if observation is not None:
            events += _not_begun(job, call, observation, recorded)
            events += records.observed(observation)
    artifacts = [artifact for artifact in ended.partial_artifacts if records.of_the_end(artifact)]
    events += [records.concluded(job_id, file) for file in artifacts]
    await with_.audit.append(job_id, [*events, *records.ended(job_id, ended)])
    failpoint("planner: end, appended")


def _not_begun(
    job: Job, call: ToolCall, observation: Observation, recorded: Sequence[Attempt]
) -> list[AuditEvent]:
    """The entry of a call that was broken off, which may have been stored and not logged yet. It is
    made of what the call was to work on, so that it is the entry that is there, where one is."""
    if not is_broken_off(observation) or job.plan is None or call.plan_id != job.plan.plan_id:
        return []
    needs = next(t.dependencies for t in job.plan.draft.subtasks if t.task_id == call.task_id)
    given = {
        done.task_id: seen.frame
        for done, seen in recorded
        if seen is not None and seen.succeeded and done.plan_id == call.plan_id
    }
    inputs = {name: frame for name in needs if (frame := given.get(name)) is not None}
    return [records.called(call, inputs)]


async def log_end_again(with_: Collaborators, job: Job) -> None:
    """Append the end of a job that the log could not take when it ended. Raises AssayError."""
    ended = Ended(state=job.state, failure=job.failure, partial_artifacts=job.partial_artifacts)
    await log_end(with_, job, ended)
    await with_.jobs.end_logged(job.job_id)


async def publish(with_: Collaborators, job_id: str) -> None:
    """Have a checkpoint published that covers all of a job; without, the interval brings one."""
    try:
        with _unhurried():
            await with_.audit.publish()
    except AssayError as error:
        log.warning("no checkpoint was published at the end of job %s: %s", job_id, error)


def _list_events(job: Job, ended: Ended) -> list[tuple[str, dict[str, Any]]]:
    """What watchers of an ended job are told, the state last: with it they stop watching."""
    pairs: list[tuple[str, dict[str, Any]]] = []
    if job.plan is not None:
        pairs.append(("plan", job.plan.model_dump(mode="json")))
    if ended.answer is not None:
        pairs.append(("answer", ended.answer.model_dump(mode="json")))
    if ended.failure is not None:
        pairs.append(("failure", ended.failure.model_dump(mode="json")))
    return [*pairs, ("state", {"state": ended.state.value})]


@contextmanager
def _unhurried() -> Iterator[None]:
    """Time to end a job in, whatever is left of its own."""
    here = replace(calls.current(), deadline=None)
    with calls.entered(here), calls.changed(seconds=_LOG_SECONDS):
        yield
