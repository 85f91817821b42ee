"""A causal job beside a language model: what it supposes is kept, told and proved as its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import data_pb2, findings_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from mesh.testing.model_server import Answered, Refused, Turn
from tests.mesh.test_causal_jobs import study, visits
from tests.mesh.with_model import MODEL, mesh_with_model

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
pytestmark = pytest.mark.timeout(900)


def _said(kind: str, column: str = "", because: str = "", **more: str) -> dict[str, str]:
    return {"kind": kind, "table": "visits", "column": column, "because": because, **more}


CAUSES: dict[str, Any] = {
    "suggestions": [
        _said("after", "income", "pay follows promotion"),
        _said("confounder", "weather"),
    ]
}
DOUBTS: dict[str, Any] = {
    "suggestions": [
        _said(
            "doubt", topic="identification", because="Loyal customers may be sent more promotions."
        )
    ]
}


def _scripted(request: dict[str, Any]) -> Turn:
    assert request["tools"][0]["function"]["name"] == "suggest"
    return Answered(DOUBTS if "You are the sceptic" in str(request["messages"]) else CAUSES)


async def test_what_a_model_supposes_keeps_the_study_open_and_is_told_as_its_own(
    home: Path, tmp_path: Path
) -> None:
    async with mesh_with_model(home) as ours:
        ours.model.script = _scripted
        data = visits(tmp_path / "visits.csv", 300)
        asked = study(data, tiers=False)
        asked.causal.policy.disclosure = data_pb2.DISCLOSURE_NAMES
        job = await ours.caller.create(asked)
        await ours.caller.watched(job.job_id)
        job = await ours.caller.job(job.job_id)

        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        result = job.causal_result
        assert result.verdict == findings_pb2.CRITIQUE_DECISION_ITERATE
        assert f"Assumed by {MODEL}, and known from nobody: income follows promo" in job.answer.text
        told = [dict(turn) for turn in result.state.debate_history]
        assert [turn["made_by"] for turn in told if "made_by" in turn] == [MODEL]
        assert job.answer.model_use.requests == 2, "once for what is known, once for the debate"
        sent = " ".join(ours.model.prompts)
        assert "promo" in sent
        first_row = data.read_text().splitlines()[1].split(",")
        assert not any(value in sent for value in first_row if len(value) > 3), "no value is sent"

        advised = [
            json.loads(entry.event_data_json)
            for entry in await ours.entries(job.job_id)
            if json.loads(entry.event_data_json).get("decision") == "advise"
        ]
        assert [(one["agent"], one["reasoner"]) for one in advised] == [
            ("domain_knowledge", MODEL),
            ("critique", MODEL),
        ]
        verify = records_pb.VerifyJobRequest(job_id=job.job_id)
        verified = await ours.caller.records.VerifyJob(verify)
        assert verified.ok, verified


async def test_a_model_that_is_away_leaves_the_rules_to_decide(home: Path, tmp_path: Path) -> None:
    async with mesh_with_model(home) as ours:
        ours.model.will(Refused(400))
        job = await ours.caller.create(study(visits(tmp_path / "visits.csv", 300)))
        await ours.caller.watched(job.job_id)
        job = await ours.caller.job(job.job_id)

        result = job.causal_result
        assert result.verdict == findings_pb2.CRITIQUE_DECISION_APPROVE
        assert any("gave nothing" in caveat for caveat in job.answer.caveats), job.answer.caveats
