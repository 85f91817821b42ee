"""What jobs made goes with their session: all but its proof when that is over, else all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as pb
from mesh.ids import new_id
from tests.unit.gateway.conftest import Caller, Mesh

HOUR = 3600.0
CITED, SHOWN = "c" * 64, "d" * 64


@pytest.fixture
def limits() -> dict[str, object]:
    return {"gateway_sweep_seconds": 0.01}


async def opened(caller: Caller) -> str:
    made = await caller.sessions.CreateSession(pb.CreateSessionRequest(request_id=new_id()))
    return made.session.session_id


async def asked(caller: Caller, session_id: str, job_id: str = "") -> str:
    request = analysis_pb2.AnalysisRequest(
        intent="total amount",
        data_sources=[data_pb2.DataSource(connection_string="connection://shop")],
    )
    create = jobs_pb.CreateJobRequest(
        request_id=job_id or new_id(), analysis=request, session_id=session_id
    )
    return (await caller.jobs.CreateJob(create)).job.job_id


async def deleted(caller: Caller, session_id: str) -> None:
    await caller.sessions.DeleteSession(pb.DeleteSessionRequest(session_id=session_id))


def answered(mesh: Mesh, job_id: str) -> None:
    _, job = mesh.peers.planner.jobs[job_id]
    job.state = job_pb2.JOB_STATE_COMPLETED
    job.answer.table.digest = SHOWN
    job.answer.claims.append(analysis_pb2.Claim(frame_digest=CITED))


async def until(true: Callable[[], bool | Awaitable[bool]]) -> None:
    """Return once something is true that comes of sweeping; what it is may be asked of the mesh."""
    async with asyncio.timeout(10):
        while not (await found if isinstance(found := true(), Awaitable) else found):
            await asyncio.sleep(0.01)


async def test_a_session_over_keeps_the_proof_of_each_job_until_it_is_deleted(mesh: Mesh) -> None:
    session, released = await opened(mesh.ann), mesh.peers.executor.released
    jobs = {await asked(mesh.ann, session) for _ in range(2)}
    for job_id in jobs:
        answered(mesh, job_id)
    mesh.clock.advance(24 * HOUR)
    await until(lambda: len(released) == 2)
    assert {request.request_id for request in released} == jobs
    for request in released:
        assert request.keep_artifacts
        assert set(request.keep_frames) == {CITED, SHOWN}
    released.clear()
    await deleted(mesh.ann, session)
    await until(lambda: len(released) == 2)
    wanted = [executor_pb.ReleaseJobRequest(request_id=job_id) for job_id in sorted(jobs)]
    assert sorted(released, key=lambda request: request.request_id) == wanted


async def test_a_job_at_work_is_stopped_first_when_its_session_is_deleted(mesh: Mesh) -> None:
    session = await opened(mesh.ann)
    job_id = await asked(mesh.ann, session)
    _, job = mesh.peers.planner.jobs[job_id]
    job.state = job_pb2.JOB_STATE_EXECUTING
    await deleted(mesh.ann, session)
    await until(lambda: bool(mesh.peers.executor.released))
    assert job.state == job_pb2.JOB_STATE_CANCELLED


async def test_a_job_that_is_just_being_created_goes_with_its_deleted_session(
    mesh: Mesh, refused: Callable[..., Any]
) -> None:
    session, planner = await opened(mesh.ann), mesh.peers.planner
    planner.may_create.clear()
    creating = asyncio.create_task(asked(mesh.ann, session))
    await asyncio.wait_for(planner.creating.wait(), 5)
    await deleted(mesh.ann, session)
    await until(lambda: len(planner.looked_up) >= 2)
    planner.may_create.set()
    with refused("NOT_FOUND"):
        await creating
    [job_id] = planner.jobs
    answered(mesh, job_id)
    await until(lambda: bool(mesh.peers.executor.released))
    assert mesh.peers.executor.released == [executor_pb.ReleaseJobRequest(request_id=job_id)]


async def test_who_names_somebody_elses_job_in_a_session_takes_nothing_away_with_it(
    mesh: Mesh, refused: Callable[..., Any]
) -> None:
    theirs, session = await asked(mesh.ann, ""), await opened(mesh.bob)
    answered(mesh, theirs)
    with refused("NOT_FOUND"):
        await asked(mesh.bob, session, theirs)
    own = await asked(mesh.bob, session)
    answered(mesh, own)
    mesh.clock.advance(HOUR)  # longer than anything takes to be created
    await deleted(mesh.bob, session)
    await until(lambda: bool(mesh.peers.executor.released))
    assert [request.request_id for request in mesh.peers.executor.released] == [own]
