"""What an orchestrator sees: health, reflection, and a stop that loses nothing."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from assay.common.v1 import analysis_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.config import SERVICES, MeshSettings
from tests.mesh.heavy import heavy_call
from tests.mesh.support import Caller, processes, question

SERVING = health_pb2.HealthCheckResponse.SERVING
CONTRACTS = {
    "gateway": {
        f"assay.gateway.v1.{name}Service"
        for name in ("Session", "File", "Job", "Artifact", "Catalogue", "Audit")
    },
    "planner": {"assay.planner.v1.PlannerService"},
    "executor": {"assay.executor.v1.ExecutorService"},
    "memory": {"assay.memory.v1.MemoryService"},
    "audit": {"assay.audit.v1.AuditService"},
}


def health(caller: Caller, service: str) -> Any:
    # The generated code has no types.
    return health_pb2_grpc.HealthStub(caller.channel(service))


async def reflected(caller: Caller, service: str) -> set[str]:
    channel: Any = caller.channel(service)  # the published types know no grpc.aio
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    call = stub.ServerReflectionInfo(iter([request]))
    names = {item.name async for answer in call for item in answer.list_services_response.service}
    call.cancel()
    return names


async def test_every_service_says_that_it_serves_and_lists_its_contract(ann: Caller) -> None:
    for service in SERVICES:
        names = CONTRACTS[service]
        for name in names:
            answer = await health(ann, service).Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == SERVING, name
        assert names <= await reflected(ann, service)


async def test_a_service_of_its_own_lists_only_its_own_contract(apart: MeshSettings) -> None:
    async with processes(apart, [[name] for name in SERVICES]), Caller(apart) as caller:
        everything = set().union(*CONTRACTS.values())
        for service in SERVICES:
            assert await reflected(caller, service) & everything == CONTRACTS[service]


@pytest.mark.parametrize("arrangement", ["together", "executor alone"])
async def test_asked_to_stop_it_turns_calls_away_finishes_those_it_has_and_exits_with_zero(
    together: MeshSettings, apart: MeshSettings, sales: Path, arrangement: str
) -> None:
    settings = together if arrangement == "together" else apart
    groups = [list(SERVICES)] if arrangement == "together" else [[name] for name in SERVICES]
    async with processes(settings, groups) as running, Caller(settings) as caller:
        watching = health(caller, "executor").Watch(health_pb2.HealthCheckRequest())
        states = aiter(watching)
        assert (await anext(states)).status == SERVING
        call = caller.executor.Execute(heavy_call(sales, seconds=3))
        updates = aiter(call)
        assert (await anext(updates)).WhichOneof("update") == "progress"
        stopping = asyncio.create_task(asyncio.to_thread(running["executor"].stop))
        assert (await asyncio.wait_for(anext(states), 2)).status != SERVING
        last = [update async for update in updates][-1]
        assert last.observation.status == analysis_pb2.OBSERVATION_STATUS_TIMEOUT
        assert await stopping == 0
        watching.cancel()


async def test_a_watcher_is_sent_on_when_its_planner_stops_instead_of_holding_it_up(
    together: MeshSettings, sales: Path
) -> None:
    async with processes(together, [list(SERVICES)]) as running, Caller(together) as caller:
        request = question("total quantity", sales, assume=False)
        job = await caller.create(request)
        events = aiter(caller.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job.job_id)))
        assert (await anext(events)).event.sequence == 1
        started = asyncio.get_running_loop().time()
        assert await asyncio.to_thread(running["planner"].stop) == 0
        assert asyncio.get_running_loop().time() - started < together.drain_seconds
        with contextlib.suppress(grpc.aio.AioRpcError):  # or it was quick, and ended before
            assert [event async for event in events][-1].event.sequence > 1
