"""An investigation beside a language model: what it would look at is measured, not believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from mesh.testing.model_server import Answered
from tests.mesh.movements import movement, write_orders
from tests.mesh.with_model import MODEL, mesh_with_model

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")

METRIC = "the flimflam of gribbles"  # which no rule can read


def lead(column: str, kind: str = "dimension", **more: str) -> dict[str, str]:
    return {"kind": kind, "table": "orders", "column": column, **more}


def suggest(*suggestions: dict[str, str]) -> Answered:
    return Answered({"suggestions": suggestions})


async def test_what_a_model_says_is_measured_like_all_else_and_never_a_finding(
    home: Path, tmp_path: Path
) -> None:
    path = write_orders(tmp_path / "orders.csv")
    async with mesh_with_model(home) as ours:
        ours.model.will(
            suggest(
                lead("", "metric", sql="sum(revenue)"),
                lead("channel", "hypothesis", because="a campaign for web orders ended"),
                lead("region", because="it differs between shops"),
            )
        )
        job = await ours.caller.create(movement(path, metric=METRIC))
        await ours.caller.watched(job.job_id)
        job = await ours.caller.job(job.job_id)

        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert job.answer.model_use.requests == 1
        first = job.investigation_result.explanations[0]
        found = {value.dimension: value.value for value in first.segment}
        assert found == {"region": "North", "channel": "web"}, "as without a model"
        read, *told = [c for c in job.answer.caveats if MODEL in c]
        assert f"was read by {MODEL} as" in read, "and is not sure"
        assert job.answer.confidence == analysis_pb2.CONFIDENCE_MEDIUM
        assert len(told) == 1 and "measured like every other split" in told[0], told
        assert "channel" in told[0] and "it differs" not in told[0], "its reasons are not told"
        assert "strike" not in job.answer.text + " ".join(job.answer.caveats)

        entries = [e for e in await ours.entries(job.job_id) if e.event_type == "plan_created"]
        began: dict[str, Any] = json.loads(entries[0].event_data_json)
        assert [one["name"] for one in began["suggestions"]["suggestions"][1:]] == [
            "channel",
            "region",
        ]
        assert began["suggestions"]["by"] == MODEL
        assert began["proposal"]["proposer"] == f"model:{MODEL}", "the metric is a proposal"
        assert began["proposal"]["bindings"][0]["words"] == METRIC
        verified = await ours.caller.records.VerifyJob(
            records_pb.VerifyJobRequest(job_id=job.job_id)
        )
        assert verified.ok, verified
        again = records_pb.RecomputeJobRequest(job_id=job.job_id)
        recomputed = [step async for step in ours.caller.records.RecomputeJob(again)]
        assert recomputed and not any(step.detail for step in recomputed), recomputed
        assert recomputed[-1].task_id == "checks", "those of the metric too"
        [report] = (home / "artifacts").rglob("report.md")
        written = report.read_text()
        assert "which these data do not show: “a campaign for web orders ended”." in written
        assert "campaign" not in job.answer.text + " ".join(job.answer.caveats)


async def test_a_metric_that_the_model_cannot_read_either_is_refused_and_says_so(
    home: Path, tmp_path: Path
) -> None:
    path = write_orders(tmp_path / "orders.csv")
    async with mesh_with_model(home) as ours:
        ours.model.will(suggest(lead("", "metric", sql="sum(gribbles)")))
        job = await ours.caller.create(movement(path, metric=METRIC))
        await ours.caller.watched(job.job_id)
        job = await ours.caller.job(job.job_id)

        assert job.state == job_pb2.JOB_STATE_FAILED
        assert job.failure.reason == "METRIC_NOT_UNDERSTOOD"
        assert f"{MODEL} was asked for it, too" in job.failure.hint, job.failure
        assert len(ours.model.asked) == 4, "what is wrong with it went back three times"
