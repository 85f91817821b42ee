"""Work that a tool has done: told of while it goes on, and stopped when nobody waits any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress

from assay.common.v1.conversation_pb2 import AgentResponse
from assay.common.v1.job_pb2 import Job, JobEvent, JobState
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from clients.python.cli.result import failure_of
from clients.python.cli.words import short_id
from clients.python.client import AssayClient
from mesh.errors import CANCELLED, INTERNAL, REASONS, AssayError
from mesh.ids import new_id

Tell = Callable[[float, str], Awaitable[None]]
"""Told how far work is, 0 to 100, and what is done, for people."""

_CANCEL_SECONDS = 2.0
_LEAST_STEP = 0.01
AT_WORK = {
    JobState.JOB_STATE_SUBMITTED,
    JobState.JOB_STATE_PLANNING,
    JobState.JOB_STATE_EXECUTING,
}


class Progress:
    """How far a job is, as a protocol wants it: each number is larger than the one before."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._last = -1.0
        self._last_text = ""

    async def take(self, event: JobEvent, job_id: str) -> None:
        """Tell of an event what is new in it."""
        kind = event.WhichOneof("event")
        if kind == "progress":
            await self._notify(float(event.progress.percent), event.progress.reason, job_id)
        elif kind == "understood":
            await self._notify(self._last, event.understood, job_id)

    async def _notify(self, percent: float, words: str, job_id: str) -> None:
        if words == self._last_text and percent <= self._last:
            return
        self._last = min(max(percent, self._last + _LEAST_STEP), 100.0)
        self._last_text = words
        await self._tell(self._last, f"job {short_id(job_id)}: {words}")


class Turn:
    """What came of something that was said in a conversation."""

    def __init__(self, conversation: str, job_id: str) -> None:
        self.conversation = conversation
        self.job_id = job_id
        self.response: AgentResponse | None = None


async def run_turn(
    client: AssayClient,
    content: str,
    progress: Progress,
    *,
    conversation: str = "",
    terms: CreateJobRequest | None = None,
) -> tuple[Job, Turn]:
    """Say something in a conversation and wait for all that comes of it.

    Cancelling cancels the job. Raises AssayError, also where the job has no answer.
    """
    request_id = new_id()
    turn = Turn(conversation, request_id)
    async with _stopped_with_us(client, lambda: turn.job_id):
        stream = client.conversations.send(
            content, conversation_id=conversation, terms=terms, request_id=request_id
        )
        async with aclosing(stream):
            async for one in stream:
                kind = one.WhichOneof("told")
                if kind == "asked":
                    turn.conversation = one.asked.conversation.conversation_id
                elif kind == "reading":
                    turn.job_id = one.reading.job_id or request_id
                elif kind == "event":
                    await progress.take(one.event, turn.job_id)
                elif kind == "response":
                    turn.response = one.response
        response = turn.response
        if response is None:
            raise AssayError(INTERNAL, "the turn ended without an answer")
        if not response.job_id:
            reason = REASONS.get(response.failure.reason, INTERNAL)
            raise AssayError(reason, response.failure.message, hint=response.failure.hint)
        job = await _ended(client, response.job_id, progress, response.job_sequence)
    return checked(job), turn


async def done(client: AssayClient, request: CreateJobRequest, progress: Progress) -> Job:
    """Have a job done and wait for its end. Cancelling cancels it. Raises AssayError as `said`."""
    async with _stopped_with_us(client, lambda: request.request_id):
        at_work = (await client.submit(request)).state in AT_WORK
        return checked(await _ended(client, request.request_id, progress, at_work=at_work))


def checked(job: Job) -> Job:
    """The job. Raises AssayError for one that ended without an answer, and says which it is."""
    failed = failure_of(job)
    if failed is None:
        return job
    raise AssayError(
        failed.reason, failed.message, hint=failed.hint, metadata={"job": job.job_id}
    ) from failed


async def _ended(
    client: AssayClient,
    job_id: str,
    progress: Progress,
    after_sequence: int = 0,
    *,
    at_work: bool = False,
) -> Job:
    """The job once it has ended or waits for a person; `at_work` says that it was seen to be."""
    job = None if at_work else await client.get_job(job_id)
    while job is None or job.state in AT_WORK:
        async with aclosing(client.watch(job_id, after_sequence)) as events:
            async for event in events:
                after_sequence = event.sequence
                await progress.take(event, job_id)
        job = await client.get_job(job_id)
    return job


@asynccontextmanager
async def _stopped_with_us(client: AssayClient, job_id: Callable[[], str]) -> AsyncGenerator[None]:
    """Cancel the job when whoever waits is cancelled; never longer than a moment."""
    import anyio

    try:
        yield
    except asyncio.CancelledError:
        with anyio.move_on_after(_CANCEL_SECONDS, shield=True), suppress(AssayError):
            await client.cancel(job_id())
        raise
    except AssayError as error:
        if error.reason is CANCELLED:
            raise AssayError(CANCELLED, "the job was cancelled") from error
        raise
