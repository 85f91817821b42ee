"""A server that is told to stop while calls come without a pause ends, and no call fails by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from mesh.config import SERVICES, MeshSettings, load
from mesh.transport.dial import Dial, open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from tests.thorough import times

CALLERS = times(4, 16)
STOPS = times(2, 20)
NEVER_SECONDS = 3_600.0
"""A grace that a test does not wait for."""


class Log(pb_grpc.AuditServiceServicer):
    """Answers at once, and one kind of call when it is let."""

    name = "audit"
    contracts = ()

    def __init__(self) -> None:
        self.found = asyncio.Event()
        self.begun = asyncio.Event()
        self.let = asyncio.Event()

    def __call__(self, settings: MeshSettings, dial: Dial) -> Any:
        return self

    async def __aenter__(self) -> Log:
        return self

    async def __aexit__(self, *exception: Any) -> None:
        return None

    def register(self, server: aio.Server) -> None:
        pb_grpc.add_AuditServiceServicer_to_server(self, server)

    async def started(self) -> None:
        return None

    async def drain(self) -> None:
        return None

    async def Checkpoint(self, request: Any, context: Any) -> pb.CheckpointResponse:
        self.found.set()
        return pb.CheckpointResponse()

    async def InclusionProof(self, request: Any, context: Any) -> pb.InclusionProofResponse:
        self.begun.set()
        await self.let.wait()
        return pb.InclusionProofResponse()


@pytest.fixture
def settings(tmp_path: Path) -> MeshSettings:
    addresses: dict[str, Any] = {f"{name}_address": f"unix:{tmp_path}/s" for name in SERVICES}
    addresses["gateway_address"] = f"unix:{tmp_path}/elsewhere"  # replicas wait for who comes back
    return load(MeshSettings, home=tmp_path, drain_seconds=NEVER_SECONDS, **addresses)


@asynccontextmanager
async def calling(channel: aio.Channel) -> AsyncIterator[list[aio.AioRpcError]]:
    """Calls without a pause; those that fail."""
    over, failed = asyncio.Event(), list[aio.AioRpcError]()
    stub: Any = pb_grpc.AuditServiceStub(channel)

    async def one_after_another() -> None:
        while not over.is_set():
            try:
                await stub.Checkpoint(pb.CheckpointRequest(), timeout=60)
            except aio.AioRpcError as error:
                failed.append(error)

    callers = [asyncio.create_task(one_after_another()) for _ in range(CALLERS)]
    try:
        yield failed
    finally:
        over.set()
        await asyncio.gather(*callers)


async def test_it_ends_once_the_calls_it_had_are_answered_however_many_more_come(
    settings: MeshSettings,
) -> None:
    log: Any = Log()  # type: ignore[abstract]
    async with (
        asyncio.timeout(60),
        open_channel(settings.audit_address, "ann", seal=seal_of(settings)) as channel,
        aio.insecure_channel(settings.audit_address) as once,
        AsyncExitStack() as server,
    ):
        await server.enter_async_context(running([log], settings, settings.audit_address))
        async with calling(channel) as failed:
            waiting: Any = pb_grpc.AuditServiceStub(channel)
            asked = asyncio.ensure_future(waiting.InclusionProof(pb.InclusionProofRequest()))
            await log.begun.wait()
            stopping = asyncio.create_task(server.aclose())
            refused: Any = pb_grpc.AuditServiceStub(once)
            for _ in range(
                20
            ):  # those who ask but once are sent elsewhere from the first moment on
                with pytest.raises(aio.AioRpcError) as sent:
                    await refused.Checkpoint(pb.CheckpointRequest())
                if sent.value.code() is grpc.StatusCode.UNAVAILABLE:
                    break
            assert sent.value.code() is grpc.StatusCode.UNAVAILABLE
            assert not stopping.done() and not asked.done()
            assert not failed  # who comes back is answered meanwhile
            log.let.set()
            await asked
            await stopping


async def test_no_call_fails_while_replicas_are_stopped_in_turn(settings: MeshSettings) -> None:
    async with asyncio.timeout(20 * STOPS), AsyncExitStack() as all_of_them:
        places, replicas, logs = [], [], [Log(), Log()]  # type: ignore[abstract]
        for log in logs:
            replicas.append(await all_of_them.enter_async_context(AsyncExitStack()))
            places.append(await _serving(log, replicas[-1], settings, "127.0.0.1:0"))
        target = "ipv4:" + ",".join(places)
        channel = open_channel(target, "ann", seal=seal_of(settings))
        async with channel, calling(channel) as failed:
            for number in range(STOPS):
                one = number % 2
                await logs[1 - one].found.wait()  # callers know where to go on
                await replicas[one].aclose()
                logs[one] = Log()  # type: ignore[abstract]
                await _serving(logs[one], replicas[one], settings, places[one])
        assert [(error.code(), error.details()) for error in failed] == []


async def _serving(log: Any, replica: AsyncExitStack, settings: MeshSettings, place: str) -> str:
    return (await replica.enter_async_context(running([log], settings, place))).peers
