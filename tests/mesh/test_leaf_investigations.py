"""Investigations of leaves with a forecast over the wire: explained, proved, refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import investigation_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from tests.mesh import shared
from tests.mesh.movements import movement, of_leaves, write_leaves
from tests.mesh.support import Caller, refusal
from tests.mesh.test_investigations import _report

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann

CULPRIT = {"Region": "North", "channel": "web"}
_DAYS = ("baseline", "comparison period", "weekday", "history")


@pytest.fixture(scope="session")
def leaves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_leaves(tmp_path_factory.mktemp("leaves") / "leaves.csv")


async def test_leaves_off_their_forecast_are_explained_and_every_number_is_proved(
    ann: Caller, leaves: Path
) -> None:
    job = await ann.asked(of_leaves(leaves))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    result = job.investigation_result
    first = result.explanations[0]
    assert {value.dimension: value.value for value in first.segment} == CULPRIT
    assert first.effect.low < first.effect.value < first.effect.high < 0 and not first.onset
    assert not result.HasField("baseline_period") and not result.HasField("comparison_period")
    assert result.ledger.exit_reason == investigation_pb2.EXIT_REASON_CONCLUDE
    assert {step.tool_name for step in job.steps} >= {
        "metric.leaf_quality",
        "metric.leaves",
        "metric.change",
        "metric.search",
        "metric.waterfall",
        "plot.render",
    }
    assert job.answer.text.startswith("Value is below its forecast: forecast ")

    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified
    again = records_pb.RecomputeJobRequest(job_id=job.job_id)
    recomputed = [step async for step in ann.records.RecomputeJob(again)]
    assert len(recomputed) == len(job.steps) + 1 and all(step.same for step in recomputed)
    entries = await ann.records.ListEntries(records_pb.ListEntriesRequest(job_id=job.job_id))
    submitted = json.loads(entries.entries[0].event_data_json)
    assert submitted["leaf"] is True


async def test_the_report_speaks_of_forecast_and_actual_and_of_no_days(
    ann: Caller, leaves: Path
) -> None:
    job = await ann.asked(of_leaves(leaves, investigation_prompt="the channel"))

    report = await _report(ann, job)
    headings = [line[3:] for line in report.splitlines() if line.startswith("## ")]
    assert headings[:4] == [
        "Metric, forecast and difference",
        "Data model",
        "Analysis performed",
        "Explanations",
    ]
    told = report.partition("## Claims")[0].casefold()
    assert "forecast: the column forecast" in told and "actual: the column actual" in told
    assert not [word for word in _DAYS if word in told]
    assert "baseline" not in " ".join(log.reason for log in job.investigation_result.iterations)


async def test_where_leaves_scatter_alone_nothing_is_explained(ann: Caller, tmp_path: Path) -> None:
    job = await ann.asked(of_leaves(write_leaves(tmp_path / "calm.csv", changed=False)))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.investigation_result.status == investigation_pb2.REPORT_STATUS_NO_FINDINGS
    assert job.answer.text.endswith("No segment stands out of chance.")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"real_column": "Region", "predicted_column": "Forecast"}, "LEAF_VALUES_NOT_USABLE"),
        ({"real_column": "planet"}, "LEAF_COLUMNS_NOT_FOUND"),
        ({"dimensions": ["planet"]}, "NO_DIMENSIONS"),
        ({"metric_sql": "a / b / c"}, ""),
    ],
)
async def test_leaves_that_cannot_be_read_so_fail_by_name(
    ann: Caller, leaves: Path, fields: dict[str, Any], code: str
) -> None:
    request = of_leaves(leaves, **fields)
    if not code:  # what the only measure is called, and no more
        planned = await ann.jobs.PlanJob(
            jobs_pb.PlanJobRequest(investigation=request.investigation)
        )
        assert planned.plan.subtasks[0].tool_name == "metric.leaf_quality"
        return
    job = await ann.asked(request)
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.failure.reason == code, job.failure


async def test_days_of_leaves_are_refused_before_there_is_a_job(ann: Caller, leaves: Path) -> None:
    request = movement(leaves, metric="")
    request.investigation.leaf = True
    refused = await refusal(ann.create(request))
    assert refused.reason.code == "INVALID_ARGUMENT"
    assert "investigation.baseline_period" in refused.fields
