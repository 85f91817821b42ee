"""Memory is told what jobs taught, at once or when it is back; nobody waits for it for long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest

from mesh.clock import HeldClock
from mesh.context import current
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, SERVICE_UNAVAILABLE, AssayError
from mesh.ids import new_id
from mesh.storage.database import open_database
from mesh.transport.breaker import Breaker, BreakerState
from mesh.transport.status import from_rpc_error
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.memory import RemoteMemory
from services.planner.domain.lesson import Lesson
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.lessons import tell_kept_lessons, tell_or_keep
from tests.contract.jobs import FIRST, MIGRATIONS, NOW, new_job

pytestmark = pytest.mark.asyncio


class Forgetful:
    """A memory that answers as `error` says, and remembers who told it what."""

    def __init__(self) -> None:
        self.error: AssayError | None = None
        self.told: list[tuple[str, ...]] = []

    async def record_outcome(self, recipe_id: str, job_id: str, failure: str = "") -> None:
        self._take("outcome", recipe_id, failure)

    async def store_document(self, job_id: str, content: str, session_id: str = "") -> None:
        self._take("document", job_id, content)

    def _take(self, *what: str) -> None:
        if self.error is not None:
            raise self.error
        self.told.append((current().tenant, *what))


@pytest.fixture
async def jobs(tmp_path: Path) -> AsyncIterator[SqlJobStore]:
    url = f"sqlite:///{tmp_path / 'jobs.sqlite'}"
    database = await asyncio.to_thread(open_database, url, MIGRATIONS)
    yield SqlJobStore(database, HeldClock(NOW))
    await database.close()


async def taught(jobs: SqlJobStore, memory: Forgetful) -> tuple[Collaborators, Lesson]:
    job, _ = await jobs.create(new_job(), FIRST)
    with_ = Collaborators(jobs, None, memory, None, None)  # type: ignore[arg-type]
    return with_, Lesson(job_id=job.job_id, worked="r" * 32, document="forty-two")


async def test_what_memory_takes_is_not_kept(jobs: SqlJobStore) -> None:
    with_, lesson = await taught(jobs, memory := Forgetful())
    assert await tell_or_keep(with_, lesson)
    assert [kind for _, kind, *_ in memory.told] == ["outcome", "document"]
    assert await jobs.kept_lessons() == []


async def test_what_memory_cannot_take_is_told_when_it_is_back(jobs: SqlJobStore) -> None:
    with_, lesson = await taught(jobs, memory := Forgetful())
    memory.error = AssayError(SERVICE_UNAVAILABLE, "away")
    assert not await tell_or_keep(with_, lesson)
    await tell_kept_lessons(with_)
    assert await jobs.kept_lessons() == [("ann", lesson)]
    memory.error = None
    await tell_kept_lessons(with_)
    assert [told[0] for told in memory.told] == ["ann", "ann"], "as the tenant whose job it was"
    assert await jobs.kept_lessons() == []


async def test_what_memory_refuses_is_not_told_for_ever(jobs: SqlJobStore) -> None:
    with_, lesson = await taught(jobs, memory := Forgetful())
    memory.error = AssayError(INVALID_ARGUMENT, "malformed")
    assert not await tell_or_keep(with_, lesson)
    await tell_kept_lessons(with_)
    assert await jobs.kept_lessons() == []


async def test_a_recipe_that_was_forgotten_meanwhile_needs_no_outcome(jobs: SqlJobStore) -> None:
    with_, lesson = await taught(jobs, memory := Forgetful())
    memory.error = AssayError(NOT_FOUND, "no such recipe")
    assert await tell_or_keep(with_, lesson.model_copy(update={"document": ""}))
    assert await jobs.kept_lessons() == []


class Answers:
    """Stands for a stub's method: fails with a status, or answers."""

    def __init__(self) -> None:
        self.code: grpc.StatusCode | None = None
        self.asked = 0

    async def __call__(self, request: Any) -> Any:
        self.asked += 1
        if self.code is not None:
            raise grpc.aio.AioRpcError(self.code, grpc.aio.Metadata(), grpc.aio.Metadata())
        return request


def remote(method: Answers) -> tuple[RemoteMemory, Breaker, HeldClock]:
    clock = HeldClock(datetime(2026, 1, 1, tzinfo=UTC))
    breaker = Breaker(3, 10.0, clock)
    channel = grpc.aio.insecure_channel("unix:/nowhere")
    memory = RemoteMemory(channel, breaker)
    for name in ("RecordOutcome", "StoreDocument", "DeleteRecipe"):
        setattr(memory._stub, name, method)
    return memory, breaker, clock


async def failing(memory: RemoteMemory) -> AssayError:
    with pytest.raises(AssayError) as refused:
        await memory.record_outcome("r" * 32, new_id())
    return refused.value


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED])
async def test_jobs_stop_asking_a_memory_that_failed_thrice(code: grpc.StatusCode) -> None:
    memory, _, clock = remote(method := Answers())
    method.code = code
    errors = [await failing(memory) for _ in range(6)]
    assert method.asked == 3
    assert errors[-1].reason is SERVICE_UNAVAILABLE
    assert "asked again in 10.0 s" in errors[-1].message
    clock.advance(10.0)
    await failing(memory)
    await failing(memory)
    assert method.asked == 4, "one probe"
    clock.advance(10.0)
    method.code = None
    for _ in range(3):
        await memory.record_outcome("r" * 32, new_id())
    assert method.asked == 7


async def test_a_person_is_never_refused_by_the_breaker() -> None:
    memory, breaker, _ = remote(method := Answers())
    method.code = grpc.StatusCode.UNAVAILABLE
    for _ in range(4):
        await failing(memory)
    method.code = None
    await memory.delete_recipe("r" * 32)
    assert breaker.state is BreakerState.CLOSED, "and what came of it is heard"


async def test_a_refusal_is_an_answer() -> None:
    memory, breaker, _ = remote(method := Answers())
    method.code = grpc.StatusCode.INVALID_ARGUMENT
    for _ in range(5):
        error = await failing(memory)
    assert (
        error.reason
        is from_rpc_error(
            grpc.aio.AioRpcError(method.code, grpc.aio.Metadata(), grpc.aio.Metadata())
        ).reason
    )
    assert (breaker.state, method.asked) == (BreakerState.CLOSED, 5)
