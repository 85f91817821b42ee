"""SIGTERM under load: every service says so at once, finishes what it has, and loses nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from assay.common.v1 import job_pb2
from clients.python.client import AssayClient
from mesh.config import SERVICES, MeshSettings
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.busy import allowing
from tests.fault.gateway_load import CALLERS, Load, once, work_for
from tests.fault.support import Ledger, asked
from tests.mesh.support import processes

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOT_SERVING_WITHIN = 0.1
# Where more wants to run than there are processors, handler and test wait for their turns.
NOT_SERVING_LOADED = 1.0
PATIENCE_OF_KUBERNETES = 30.0  # the default of terminationGracePeriodSeconds: then it kills
STOPS = 1 if int(os.environ.get("ASSAY_FAULT_KILLS", "2")) <= 2 else 10


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def home(ledger: Ledger) -> AsyncIterator[Path]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        yield Path(folder)


async def not_serving(settings: MeshSettings, service: str, since: asyncio.Future[float]) -> float:
    """Seconds from the signal to the moment at which watchers of its health were told."""
    async with once(settings, service) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)  # the generated code has no types
        async for state in stub.Watch(health_pb2.HealthCheckRequest()):
            if state.status == health_pb2.HealthCheckResponse.NOT_SERVING:
                return time.monotonic() - await since
    raise AssertionError("it never said that it does not serve")


@pytest.mark.parametrize("turn", range(STOPS))
@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_told_to_stop_under_load_says_so_finishes_its_calls_and_loses_nothing(
    home: Path, sales: Path, service: str, turn: int, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running_mesh(
        home, factories, apart=True, without=[service], drain_seconds=5.0
    ) as settings:
        load = Load()
        async with processes(settings, [[service]]) as started:
            process = started[service].process
            signalled: asyncio.Future[float] = asyncio.get_running_loop().create_future()
            told = asyncio.create_task(not_serving(settings, service, signalled))
            channels = [once(settings, service) for _ in range(CALLERS)]
            calls = [
                asyncio.create_task(load.call(work_for(service, channel, sales)[0]))
                for channel in channels
            ]
            await asyncio.wait_for(load.begun.wait(), 60)
            process.send_signal(signal.SIGTERM)
            signalled.set_result(time.monotonic())
            latency = await told
            await asyncio.gather(*calls)
            assert await asyncio.to_thread(process.wait, 2 * PATIENCE_OF_KUBERNETES) == 0
            stopped = time.monotonic() - signalled.result()
            for channel in channels:
                await channel.close()
        with capsys.disabled():
            print(
                f"\n{service}: NOT_SERVING after {latency * 1000:.1f} ms, gone after "
                f"{stopped:.2f} s; {len(load.acknowledged)} calls answered, "
                f"the last {load.answered_after - signalled.result():+.3f} s from the signal"
            )
        loaded = os.getloadavg()[0] > (os.cpu_count() or 1)
        assert latency < (NOT_SERVING_LOADED if loaded else NOT_SERVING_WITHIN)
        answered = load.answered_after - signalled.result()
        assert answered < settings.drain_seconds, "its calls were not waited for in vain"
        assert stopped < PATIENCE_OF_KUBERNETES
        assert set(load.statuses) == {grpc.StatusCode.UNAVAILABLE}
        async with processes(settings, [[service]]), once(settings, service) as channel:
            change, look = work_for(service, channel, sales)
            for key in load.refused:
                load.acknowledged[key] = await change(key)
            for key, answer in load.acknowledged.items():
                await look(key, answer)


async def test_who_watches_a_job_goes_on_at_the_next_gateway_when_one_is_told_to_stop(
    home: Path, sales: Path, ledger: Ledger
) -> None:
    around = running_mesh(home, factories, apart=True, without=["gateway"])
    async with around as settings, processes(settings, [["gateway"]]) as first:
        client = AssayClient(settings.gateway_address, "ann")
        with ledger.holding("plot_render"):
            job = await client.submit(asked(sales))
            watching = asyncio.create_task(_all(client, job.job_id))
            assert await asyncio.to_thread(ledger.held.wait, 30)
            started = time.monotonic()
            assert await asyncio.to_thread(first["gateway"].stop) == 0
            assert time.monotonic() - started < allowing(settings.drain_seconds), (
                "held up by watchers"
            )
            async with processes(settings, [["gateway"]]), client:
                ledger.door.set()
                told = await watching
                assert told == await _all(client, job.job_id)
                assert (await client.get_job(job.job_id)).state == job_pb2.JOB_STATE_COMPLETED
    assert [event.sequence for event in told] == list(range(1, len(told) + 1))


async def _all(client: AssayClient, job_id: str) -> list[job_pb2.JobEvent]:
    """What is kept of a job; its places in the queue are told and not kept."""
    return [
        event
        async for event in client.watch(job_id)
        if not (event.HasField("progress") and event.progress.HasField("queue_position"))
    ]
