"""Calls that outlast a stopping server's grace are ended so that they are made again elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc as planner_grpc
from mesh.config import SERVICES, MeshSettings, load
from mesh.errors import SERVICE_UNAVAILABLE
from mesh.transport.dial import Dial, open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from mesh.transport.status import from_rpc_error


class Slow(  # type: ignore[misc]  # both have a GetStorage, which nobody calls here
    pb_grpc.AuditServiceServicer, planner_grpc.PlannerServiceServicer
):
    """Begins and never ends; notes that it was told to."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.told_to_end = 0

    async def Checkpoint(self, request: Any, context: Any) -> Any:
        await self._wait()

    async def WatchJob(self, request: Any, context: Any) -> AsyncIterator[Any]:
        yield planner_pb.WatchJobResponse()
        await self._wait()

    async def _wait(self) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.told_to_end += 1
            raise


class Serving:
    """A service with that servicer."""

    name = "audit"
    contracts = ()

    def __init__(self, slow: Slow) -> None:
        self._slow = slow

    def __call__(self, settings: MeshSettings, dial: Dial) -> Any:
        return self

    async def __aenter__(self) -> Serving:
        return self

    async def __aexit__(self, *exception: Any) -> None:
        return None

    def register(self, server: aio.Server) -> None:
        pb_grpc.add_AuditServiceServicer_to_server(self._slow, server)
        planner_grpc.add_PlannerServiceServicer_to_server(self._slow, server)

    async def started(self) -> None:
        return None

    async def drain(self) -> None:
        return None


@pytest.mark.parametrize("kind", ["one answer", "a stream"])
async def test_whoever_waits_is_told_that_the_server_stops_and_not_that_the_call_was_cancelled(
    tmp_path: Path, kind: str
) -> None:
    slow = Slow()  # type: ignore[abstract]
    addresses: dict[str, Any] = {f"{name}_address": f"unix:{tmp_path}/s" for name in SERVICES}
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1, **addresses)
    # Without retries: gRPC itself would try again, where nobody listens any more.
    async with open_channel(settings.audit_address, "ann", seal=seal_of(settings)) as channel:
        async with running([Serving(slow)], settings, settings.audit_address):
            asked: asyncio.Future[Any]
            if kind == "one answer":
                stub = pb_grpc.AuditServiceStub(channel)
                asked = asyncio.ensure_future(stub.Checkpoint(pb.CheckpointRequest()))
            else:
                watch = planner_grpc.PlannerServiceStub(channel).WatchJob(
                    planner_pb.WatchJobRequest(job_id="0" * 32)
                )
                asked = asyncio.ensure_future(all_of(watch))
            async with asyncio.timeout(20):
                await slow.begun.wait()
        with pytest.raises(aio.AioRpcError) as ended:
            await asked
    assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
    assert from_rpc_error(ended.value).reason is SERVICE_UNAVAILABLE
    assert slow.told_to_end == 1


async def all_of(stream: Any) -> list[Any]:
    return [each async for each in stream]
