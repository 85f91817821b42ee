"""The client for programs without an event loop: its calls wait for their answers.

There is one client, and it is asynchronous. This runs it in a thread of its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from assay.common.v1.job_pb2 import Job, JobEvent
from assay.gateway.v1.audit_service_pb2 import VerifyJobResponse
from clients.python.calls import within
from clients.python.client import AssayClient
from clients.python.question import Question
from mesh.errors import CLARIFICATION_NEEDED, INTERNAL, REASONS, AssayError

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")


class Assay:
    """A connection to a mesh, as AssayClient; a context manager. Methods raise AssayError.

    `seconds`, where given, bounds each call. What is interrupted is cancelled, also at the mesh's
    end; a job goes on until it is cancelled.
    """

    def __init__(
        self,
        target: str,
        user: str | None = None,
        *,
        token: str | None = None,
        authority: Path | None = None,
        seconds: float | None = None,
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._seconds = seconds

        async def opened() -> AssayClient:
            return AssayClient(target, user, token=token, authority=authority)

        self._client = self._waited(opened())

    def __enter__(self) -> Self:
        """Connections are made by the first call."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()

    def close(self) -> None:
        """Close the connection; calls still running on it are cancelled."""
        if not self._thread.is_alive():
            return
        self._waited(self._client.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def ask(self, question: Question) -> Job:
        """Ask, and wait until it is answered, fails or needs a decision; the job as it stands."""

        async def asked(client: AssayClient) -> Job:
            job = await client.submit(await client.request(question))
            async with aclosing(client.watch(job.job_id)) as events:
                async for _ in events:
                    pass
            return await client.get_job(job.job_id)

        return self.run(asked)

    def watch(self, job_id: str, after_sequence: int = 0) -> Iterator[JobEvent]:
        """Events after a sequence number, each once, also through broken connections."""
        return self.each(lambda client: client.watch(job_id, after_sequence))

    def table(self, job: Job) -> pa.Table:
        """The table of a job's answer, checked against its digest; `.to_pandas()` has it there.

        Raises AssayError, where there is no answer with why there is none.
        """
        if job.HasField("failure"):
            reason = REASONS.get(job.failure.reason, INTERNAL)
            raise AssayError(reason, job.failure.message, hint=job.failure.hint)
        if job.HasField("clarification"):
            raise AssayError(CLARIFICATION_NEEDED, job.clarification.question)
        return self.run(lambda client: client.read_frame(job.job_id, job.answer.table))

    def verify(self, job_id: str) -> VerifyJobResponse:
        """Check a job's chain, its place in the tree, its artifacts and its claims."""
        return self.run(lambda client: client.verify(job_id))

    def run(self, work: Callable[[AssayClient], Awaitable[T]]) -> T:
        """What any call of the client gives: `assay.run(lambda client: client.get_job(job_id))`."""

        async def bounded() -> T:
            if self._seconds is None:
                return await work(self._client)
            with within(self._seconds):
                return await work(self._client)

        return self._waited(bounded())

    def each(self, stream: Callable[[AssayClient], AsyncGenerator[T]]) -> Iterator[T]:
        """What any stream of the client gives, one by one; leaving early cancels it."""
        messages = stream(self._client)

        async def following() -> tuple[T, ...]:
            try:
                return (await anext(messages),)
            except StopAsyncIteration:
                return ()

        try:
            while told := self._waited(following()):
                yield told[0]
        finally:
            if self._thread.is_alive():
                self._waited(messages.aclose())

    def _waited(self, work: Coroutine[Any, Any, T]) -> T:
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        except BaseException:
            running.cancel()
            raise
