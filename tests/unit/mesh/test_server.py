"""Running services: opened in order, closed in reverse, announced while they serve."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from mesh.config import SERVICES, MeshSettings
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.telemetry import metrics
from mesh.transport.dial import Dial
from mesh.transport.server import running, until_stopped
from mesh.transport.service import ServiceFactory


@pytest.fixture
def settings() -> Iterator[MeshSettings]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        addresses: dict[str, Any] = {f"{n}_address": f"unix:{folder}/mesh.sock" for n in SERVICES}
        yield MeshSettings(home=Path(folder), drain_seconds=0.2, **addresses)


class Staged:
    """A service that notes what is done with it; `breaks` names the moment it fails at."""

    contracts = ()

    def __init__(self, name: str, story: list[str], breaks: str = "") -> None:
        self.name = name
        self._story = story
        self._breaks = breaks

    def _at(self, moment: str) -> None:
        if moment == self._breaks:
            raise RuntimeError(f"{self.name} broke")
        self._story.append(f"{moment} {self.name}")

    async def __aenter__(self) -> Staged:
        self._at("open")
        return self

    async def __aexit__(self, *exception: Any) -> None:
        self._story.append(f"close {self.name}")

    def register(self, server: aio.Server) -> None:
        self._at("register")

    async def started(self) -> None:
        self._at("start")

    async def drain(self) -> None:
        self._at("drain")


def factory(service: Staged) -> ServiceFactory:
    def make(settings: MeshSettings, dial: Dial) -> Any:
        return service

    return make


async def health_of(channel: aio.Channel) -> int:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    return int((await stub.Check(health_pb2.HealthCheckRequest())).status)


async def test_services_open_in_order_and_close_in_reverse(settings: MeshSettings) -> None:
    story: list[str] = []
    services = [factory(Staged(name, story)) for name in ("audit", "planner")]
    async with running(services, settings, settings.address("audit")):
        assert story == [
            "open audit",
            "open planner",
            "register audit",
            "register planner",
            "start audit",
            "start planner",
        ]
        async with aio.insecure_channel(settings.address("audit")) as channel:
            assert await health_of(channel) == health_pb2.HealthCheckResponse.SERVING
        story.clear()
    assert story == ["drain audit", "drain planner", "close planner", "close audit"]


async def test_services_tell_that_they_serve_though_nobody_calls_them(
    settings: MeshSettings,
) -> None:
    def serving() -> list[tuple[Any, float]]:
        data: Any = reader.get_metrics_data()
        return [
            (point.attributes["assay.service"], point.value)
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == "assay.serving"
            for point in metric.data.data_points
        ]

    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    metrics.install(provider.get_meter("test"), "gateway")
    try:
        services = [factory(Staged(name, [])) for name in ("audit", "gateway")]
        async with running(services, settings, settings.address("audit")):
            assert serving() == [("audit", 1), ("gateway", 1)]
        assert serving() == []
    finally:
        metrics.uninstall()
        provider.shutdown()


@pytest.mark.parametrize("moment", ["open", "register", "start"])
async def test_what_was_opened_is_closed_when_starting_fails(
    settings: MeshSettings, moment: str
) -> None:
    story: list[str] = []
    services = [
        factory(Staged("audit", story)),
        factory(Staged("planner", story, breaks=moment)),
    ]
    with pytest.raises(RuntimeError, match="planner broke"):
        async with running(services, settings, settings.address("audit")):
            raise AssertionError("it must not serve")
    closed = [line for line in story if line.startswith("close")]
    assert closed == (["close audit"] if moment == "open" else ["close planner", "close audit"])


async def test_port_nought_is_one_that_is_free_and_is_told(settings: MeshSettings) -> None:
    open_to_all = settings.model_copy(update={"public": "127.0.0.1:0"})
    async with running([], open_to_all, "127.0.0.1:0") as listening:
        ports = {place.rpartition(":")[2] for place in (listening.peers, listening.public)}
        assert len(ports) == 2 and "0" not in ports
        for place in (listening.peers, listening.public):
            async with aio.insecure_channel(place) as channel:
                assert await health_of(channel) == health_pb2.HealthCheckResponse.SERVING
    async with running([], settings, settings.address("audit")) as listening:
        assert (listening.peers, listening.public) == (settings.address("audit"), "")


async def test_an_address_that_is_taken_is_named(settings: MeshSettings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(AssayError) as refused:
            async with running([], settings, place):
                raise AssertionError("it must not serve")
    assert refused.value.reason is SERVICE_UNAVAILABLE
    assert place in refused.value.message


async def test_peers_at_one_address_share_a_channel(settings: MeshSettings) -> None:
    async with Dial(settings) as dial:
        assert dial.to("planner") is dial.to("executor")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_wait(number: signal.Signals) -> None:
    waiting = asyncio.create_task(until_stopped())
    await asyncio.sleep(0)  # lets it put its handlers in
    os.kill(os.getpid(), number)
    await asyncio.wait_for(waiting, 5)
    asyncio.get_running_loop().remove_signal_handler(number)


async def test_a_peer_that_goes_before_its_answer_leaves_no_traceback_in_the_log(
    settings: MeshSettings, caplog: pytest.LogCaptureFixture
) -> None:
    log = logging.getLogger("grpc._cython.cygrpc")
    async with running([], settings, settings.audit_address):
        log.error("ExecuteBatchError raised in core by servicer method [/a.Service/Call]")
        log.error("Unexpected [KeyError] raised by servicer method [/a.Service/Call]")
    assert [record.getMessage()[:10] for record in caplog.records if record.name == log.name] == [
        "Unexpected"
    ]
