"""What processes tell of themselves: each behind one name is found, and nobody without the seal."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from grpc import aio

from mesh.config import MeshSettings, load
from mesh.errors import AssayError
from mesh.transport.dial import Dial, open_channel
from mesh.transport.seal import seal_of
from mesh.transport.server import running
from mesh.transport.standing import METHOD, ThisProcess, standings
from mesh.transport.status import from_rpc_error
from services.audit.service import AuditService


async def test_every_process_behind_one_name_is_told_once(tmp_path: Path) -> None:
    settings = {
        name: load(MeshSettings, home=tmp_path / name, drain_seconds=0.1, mesh_key="k" * 32)
        for name in ("one", "two", "three")
    }
    async with AsyncExitStack() as stack:
        serving = [
            await stack.enter_async_context(running([AuditService], each, "127.0.0.1:0"))
            for each in settings.values()
        ]
        target = "ipv4:" + ",".join(each.peers for each in serving)
        channel = open_channel(target, seal=seal_of(settings["one"]))
        await stack.enter_async_context(channel)
        async with asyncio.timeout(20):
            while len(found := await standings(channel, "audit", 5)) < 3:
                pass  # until all are connected
        assert len({one.instance for one in found}) == 3
        assert {one.process_id for one in found} == {os.getpid()}
        assert all(one.started_at > 1.7e9 and one.memory_bytes > 1e6 for one in found)
        assert all(one.processor_seconds > 0 and one.version for one in found)


async def test_whoever_has_not_the_seal_is_told_nothing(tmp_path: Path) -> None:
    settings = load(MeshSettings, home=tmp_path, drain_seconds=0.1)
    async with (
        running([AuditService], settings, "127.0.0.1:0") as listening,
        aio.insecure_channel(listening.peers) as channel,
    ):
        ask: Any = channel.unary_unary(METHOD, request_serializer=Empty.SerializeToString)
        with pytest.raises(grpc.RpcError) as refused:
            await ask(Empty(), timeout=5)
        assert from_rpc_error(refused.value).reason.code == "PEER_REFUSED"


async def test_who_does_not_answer_is_away(tmp_path: Path) -> None:
    settings = load(MeshSettings, home=tmp_path, audit_address=f"unix:{tmp_path / 'nobody.sock'}")
    async with Dial(settings, seal_of(settings)) as dial:
        with pytest.raises(AssayError) as away:
            await dial.standing("audit", 0.5)
        assert away.value.reason.code in ("SERVICE_UNAVAILABLE", "TIMEOUT")


def test_calls_are_counted_by_the_service_that_they_are_of() -> None:
    process = ThisProcess(
        lambda: [
            "/assay.gateway.v1.JobService/WatchJob",
            "/assay.gateway.v1.JobService/GetJob",
            "/assay.planner.v1.PlannerService/WatchJob",
        ]
    )
    assert process.standing().calls == {"gateway": 2, "planner": 1}
