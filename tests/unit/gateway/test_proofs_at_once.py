"""A proof that is shown beside something else is not waited for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from assay.gateway.v1 import audit_service_pb2 as pb
from tests.unit.gateway.conftest import Mesh
from tests.unit.gateway.test_proofs import Told, a_finished_job, verified


@pytest.fixture
def told(mesh: Mesh) -> Told:
    return a_finished_job(mesh.peers)


@pytest.mark.parametrize("method", ["List", "Checkpoint", "InclusionProof"])
async def test_a_proof_beside_something_else_is_not_waited_for(
    mesh: Mesh, told: Told, refused: Any, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr("mesh.transport.patience.AT_ONCE_SECONDS", 0.05)
    mesh.peers.audit.hanging = method
    wanted = pb.VerifyJobRequest(job_id=told.job.job_id, at_once=True)
    with refused("SERVICE_UNAVAILABLE") as error:
        await asyncio.wait_for(mesh.ann.audit.VerifyJob(wanted), 10)
    assert error.message == "the audit service does not answer"


async def test_a_proof_that_is_there_is_checked_at_once(mesh: Mesh, told: Told) -> None:
    wanted = pb.VerifyJobRequest(job_id=told.job.job_id, at_once=True)
    assert (await mesh.ann.audit.VerifyJob(wanted)).checks == (await verified(mesh, told)).checks
