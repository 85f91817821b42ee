"""What nobody deletes goes in time: what jobs without a session made, and sessions long over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import publication_service_pb2 as pages_pb
from assay.gateway.v1 import session_service_pb2 as pb
from gateway.settings import GatewaySettings
from tests.mesh.cases_publications import published
from tests.unit.gateway.conftest import Mesh
from tests.unit.gateway.test_session_ends import CITED, HOUR, SHOWN, answered, asked, opened, until

DAY = 24 * HOUR


@pytest.fixture
def limits() -> dict[str, object]:
    return {"gateway_sweep_seconds": 0.01, "gateway_job_hours": 2.0, "gateway_keep_days": 30.0}


async def test_a_job_without_a_session_keeps_its_proof_and_in_the_end_nothing(mesh: Mesh) -> None:
    released = mesh.peers.executor.released
    job_id = await asked(mesh.ann, "")
    answered(mesh, job_id)
    mesh.clock.advance(1.9 * HOUR)
    lasting = await opened(mesh.ann)  # a call later, nothing was let go
    assert lasting and not released

    mesh.clock.advance(0.2 * HOUR)
    await until(lambda: bool(released))
    (request,) = released
    assert (request.request_id, request.keep_artifacts) == (job_id, True)
    assert set(request.keep_frames) == {CITED, SHOWN}
    released.clear()

    mesh.clock.advance(30 * DAY)
    await until(lambda: bool(released))
    assert released == [executor_pb.ReleaseJobRequest(request_id=job_id)]


async def test_a_session_long_over_is_deleted_with_what_its_jobs_keep(
    mesh: Mesh, refused: Callable[..., Any]
) -> None:
    released = mesh.peers.executor.released
    session = await opened(mesh.ann)
    job_id = await asked(mesh.ann, session)
    answered(mesh, job_id)
    mesh.clock.advance(24 * HOUR)
    await until(lambda: bool(released))
    assert released.pop().keep_artifacts
    listed = await mesh.ann.sessions.ListSessions(pb.ListSessionsRequest())
    assert [each.session_id for each in listed.sessions] == [session]

    mesh.clock.advance(30 * DAY + HOUR)
    await until(lambda: bool(released))
    assert released == [executor_pb.ReleaseJobRequest(request_id=job_id)]
    with refused("NOT_FOUND"):
        await mesh.ann.sessions.GetSession(pb.GetSessionRequest(session_id=session))


def test_nothing_but_what_no_proof_needs_goes_by_itself_unless_it_is_asked_for() -> None:
    usual = GatewaySettings().retention
    assert (usual.everything, usual.proof) == (timedelta(days=7), None)
    never = GatewaySettings(gateway_job_hours=0, gateway_keep_days=0).retention
    assert (never.everything, never.proof) == (None, None)


async def test_a_page_is_given_out_for_as_long_as_proofs_are_kept(mesh: Mesh) -> None:
    made = (await mesh.ann.publications.Publish(iter(published()))).publication
    request = pages_pb.GetPublicationRequest(publication_id=made.publication_id)

    async def given() -> list[pages_pb.GetPublicationResponse]:
        return [part async for part in mesh.ann.publications.GetPublication(request)]

    mesh.clock.advance(29 * DAY)
    await opened(mesh.ann)
    assert len(await given()) == 2
    mesh.clock.advance(2 * DAY)

    async def is_ended() -> bool:
        return len(await given()) == 1

    await until(is_ended)
    (record,) = await given()
    ended = record.kept.publication.revocation
    assert ended.revoked_by == "" and "time" in ended.reason
