"""How many streams are sent at once: half of the places for one tenant, a refusal in words else."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from gateway.files.readers import AGAIN_SECONDS, Readers
from mesh.context import CallContext, entered
from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from mesh.processes.giving_back import Trimming, trim


async def taken(stack: AsyncExitStack, readers: Readers, tenant: str, places: int) -> None:
    with entered(CallContext(tenant=tenant)):
        for _ in range(places):
            await stack.enter_async_context(readers.place())


async def refusal(readers: Readers, tenant: str) -> str:
    with entered(CallContext(tenant=tenant)), pytest.raises(AssayError) as refused:
        async with readers.place():
            pass
    assert refused.value.reason is RESOURCE_EXHAUSTED
    assert refused.value.retry_seconds == AGAIN_SECONDS
    return refused.value.message


async def test_half_of_the_places_are_for_one_tenant_and_come_back() -> None:
    readers = Readers(4, wait_seconds=0.01)
    async with AsyncExitStack() as stack:
        await taken(stack, readers, "ann", 2)
        assert "2 of yours are being sent" in await refusal(readers, "ann")
        await taken(stack, readers, "bob", 2)
        assert "4 streams are being sent" in await refusal(readers, "cid")
    async with AsyncExitStack() as stack:
        await taken(stack, readers, "cid", 2)


async def test_who_waits_is_served_when_another_ends() -> None:
    readers = Readers(2, wait_seconds=60)
    async with AsyncExitStack() as later:
        async with AsyncExitStack() as stack:
            await taken(stack, readers, "ann", 1)
            waiting = asyncio.create_task(taken(later, readers, "ann", 1))
            await asyncio.sleep(0)
            assert not waiting.done()
        await waiting


async def test_no_limit_is_none() -> None:
    async with AsyncExitStack() as stack:
        await taken(stack, Readers(0, wait_seconds=0.01), "ann", 500)


async def test_memory_is_given_back_once_for_all_that_ends_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trim()
    trimmed: list[int] = []
    over = asyncio.Event()
    loop = asyncio.get_running_loop()

    def counted() -> None:
        trimmed.append(1)
        loop.call_soon_threadsafe(over.set)

    monkeypatch.setattr("mesh.processes.giving_back.trim", counted)
    trimming = Trimming(soon_seconds=0)
    for _ in range(5):
        trimming.soon()
    await over.wait()
    assert len(trimmed) == 1
