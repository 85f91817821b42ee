"""What the chain says of recorded calls and read sources is held against what is kept of them."""

from __future__ import annotations

import pytest

from mesh.ids import new_id
from tests.unit.gateway.conftest import Mesh
from tests.unit.gateway.test_proofs import Told, a_finished_job, verified


@pytest.fixture
def told(mesh: Mesh) -> Told:
    return a_finished_job(mesh.peers)


async def test_what_the_chain_says_of_calls_and_sources_is_held_against_them(
    mesh: Mesh, told: Told
) -> None:
    audit, job_id = mesh.peers.audit, told.job.job_id
    call, digests = new_id(), ["5" * 64, "6" * 64]
    plan = {"source_digests": digests, "source_seals": ["a" * 64, ""]}
    audit.append(job_id, "plan_created", plan)
    seen = {"call_id": call, "status": "success", "record_seal": "b" * 64}
    audit.append(job_id, "observation_recorded", seen)
    checks = (await verified(mesh, told)).checks
    assert mesh.peers.executor.seals == {digests[0]: "a" * 64, call: "b" * 64}
    assert [check.detail for check in checks][2] == "1 file matches its hash"


async def test_what_an_older_version_recorded_is_not_covered_by_the_chain(
    mesh: Mesh, told: Told
) -> None:
    audit, job_id = mesh.peers.audit, told.job.job_id
    audit.append(job_id, "plan_created", {"source_digests": ["5" * 64]})
    for status in ("success", "success", "error"):
        seen = {"call_id": new_id(), "status": status}
        audit.append(job_id, "observation_recorded", seen)
    checks = (await verified(mesh, told)).checks
    assert [(check.ok, check.detail) for check in checks][2] == (
        True,
        "1 file matches its hash; not covered by the chain: what is kept of 2 calls and 1 source",
    )
