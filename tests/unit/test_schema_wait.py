"""A service started before its database is migrated waits for that, told, and not for ever."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc import StatusCode, aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from mesh.errors import SCHEMA_BEHIND, SERVICE_UNAVAILABLE, AssayError
from mesh.storage import schema_wait
from mesh.storage.schema_wait import until_migrated
from services.__main__ import migrate, serve

PLANNER = "assay.planner.v1.PlannerService"


@pytest.fixture(autouse=True)
def _looked_for_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_wait, "EVERY_SECONDS", 0.01)


@pytest.fixture
def port() -> Iterator[int]:
    """One that nobody listens on, and nobody else is given."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


class Store:
    """Is behind for some times that it is opened, and then says something else, or opens."""

    def __init__(self, behind: int, then: AssayError | None = None) -> None:
        self.opened, self._behind, self._then = 0, behind, then

    async def open(self) -> None:
        self.opened += 1
        if self.opened <= self._behind:
            raise AssayError(SCHEMA_BEHIND, "the database has no tables of Assay yet")
        if self._then is not None:
            raise self._then


async def test_it_waits_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="assay.schema")
    store = Store(behind=3)

    await until_migrated(store.open, 60)

    assert store.opened == 4
    assert caplog.messages == [
        "waiting for the schema, up to 60 s: the database has no tables of Assay yet",
        "the schema is there",
    ]


async def test_it_ends_when_the_schema_does_not_come() -> None:
    with pytest.raises(AssayError, match=r"SCHEMA_BEHIND.*no tables.*; waited 0.05 s for it"):
        await until_migrated(Store(behind=1_000_000).open, 0.05)


@pytest.mark.parametrize("behind", [0, 2])
async def test_nothing_else_is_waited_for(behind: int) -> None:
    store = Store(behind, AssayError(SERVICE_UNAVAILABLE, "the database is away"))

    with pytest.raises(AssayError, match="the database is away"):
        await until_migrated(store.open, 60)

    assert store.opened == behind + 1


async def test_a_planner_lives_while_it_waits_and_serves_when_its_database_is_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    said = {
        "HOME": str(tmp_path),
        "MIGRATIONS": "check",
        "HEALTH": f"127.0.0.1:{port}",
        "PLANNER_ADDRESS": f"unix:{tmp_path}/p",
        "DRAIN_SECONDS": "0.1",
    }
    for name, value in said.items():
        monkeypatch.setenv(f"ASSAY_{name}", value)
    stop = asyncio.Event()
    monkeypatch.setattr("mesh.transport.server.until_stopped", stop.wait)

    serving = asyncio.create_task(serve(["planner"]))
    async with aio.insecure_channel(said["HEALTH"]) as channel:
        probe: Any = health_pb2_grpc.HealthStub(channel)
        alive = await probe.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True)
        assert alive.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(aio.AioRpcError) as not_ready:
            await probe.Check(health_pb2.HealthCheckRequest(service=PLANNER))
        assert not_ready.value.code() is StatusCode.NOT_FOUND
        assert not serving.done()

    await asyncio.to_thread(migrate)
    async with aio.insecure_channel(said["HEALTH"]) as channel:
        probe = health_pb2_grpc.HealthStub(channel)
        is_ready = False
        while not is_ready:
            assert not serving.done(), serving.result()
            try:
                asked = health_pb2.HealthCheckRequest(service=PLANNER)
                told = await probe.Check(asked, wait_for_ready=True)
                is_ready = told.status == health_pb2.HealthCheckResponse.SERVING
            except aio.AioRpcError:  # of the process that waits, or that changes over
                await asyncio.sleep(0.01)
    stop.set()
    await serving
