"""Sentences that our own check refuses cost the sentences, not the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from services.planner.domain.analysis import narrate
from services.planner.domain.reporting.stating import UnstatedError
from tests.mesh import shared
from tests.mesh.support import Caller, question

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann

EVERYTHING = tuple(analysis_pb2.Deliverable.values())[1:]


async def test_an_answer_without_a_sentence_still_has_its_table_and_its_proof(
    ann: Caller, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> None:
        raise UnstatedError("it is another's number")

    monkeypatch.setattr(narrate, "check_stated", refuses)
    job = await ann.asked(question("total quantity by region", sales, deliverables=EVERYTHING))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.text == "The result is in the table below."
    assert not job.answer.claims
    assert job.answer.table.rows == 3
    assert any(caveat.startswith("No sentence about this") for caveat in job.answer.caveats)
    assert {artifact.artifact_type for artifact in job.answer.artifacts} >= {
        analysis_pb2.ARTIFACT_TYPE_CHART,
        analysis_pb2.ARTIFACT_TYPE_REPORT,
    }
    verify = records_pb.VerifyJobRequest(job_id=job.job_id)
    verified = await ann.records.VerifyJob(verify)
    assert verified.ok, verified
