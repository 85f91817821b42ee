"""Whom a server that is about to stop sends elsewhere, and whom it answers itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from grpc import aio

from assay.audit.v1 import audit_service_pb2 as pb
from assay.audit.v1 import audit_service_pb2_grpc as pb_grpc
from mesh.transport.dial import open_channel
from mesh.transport.interceptors.draining import Gate


@dataclass
class Counting(pb_grpc.AuditServiceServicer):
    """Answers, and counts how often."""

    answered: int = 0
    gate: Gate = field(default_factory=Gate)
    address: str = ""

    async def Checkpoint(self, request: Any, context: Any) -> pb.CheckpointResponse:
        self.answered += 1
        return pb.CheckpointResponse()


@asynccontextmanager
async def served() -> AsyncIterator[Counting]:
    counting = Counting()  # type: ignore[abstract]
    server = aio.server(interceptors=[counting.gate], options=[("grpc.so_reuseport", 0)])
    pb_grpc.add_AuditServiceServicer_to_server(counting, server)
    counting.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield counting
    finally:
        await server.stop(0)


def asking(channel: aio.Channel) -> Callable[[], Awaitable[Any]]:
    stub = pb_grpc.AuditServiceStub(channel)
    return lambda: stub.Checkpoint(pb.CheckpointRequest(), timeout=20)


async def test_who_knows_of_another_is_answered_there() -> None:
    async with (
        served() as stopping,
        served() as other,
        open_channel(f"ipv4:{stopping.address},{other.address}") as channel,
    ):
        ask = asking(channel)
        while not stopping.answered or not other.answered:  # until both are connected
            await ask()
        before = stopping.answered
        stopping.gate.close()
        for _ in range(6):
            await ask()
        assert stopping.answered == before


async def test_who_knows_of_no_other_is_answered_by_the_one_that_stops() -> None:
    """As the caller does whose other replica was just started, and is not connected yet."""
    async with served() as stopping, open_channel(stopping.address) as channel:
        stopping.gate.close()
        await asking(channel)()
        assert stopping.answered == 1


async def test_who_asks_but_once_is_told_to_ask_elsewhere() -> None:
    async with served() as stopping, aio.insecure_channel(stopping.address) as channel:
        stopping.gate.close()
        with pytest.raises(aio.AioRpcError) as refused:
            await asking(channel)()
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert stopping.answered == 0
