"""Investigations over the wire: followed live, stopped, asked for in words, and proved."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from assay.audit.v1 import audit_service_pb2 as audit_pb
from assay.common.v1 import analysis_pb2, findings_pb2, investigation_pb2, job_pb2
from assay.gateway.v1 import artifact_service_pb2 as artifacts_pb
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh.ids import new_id
from services.executor.tools import metric_search
from tests.fault.cancelling import Stoppable
from tests.mesh.movements import COMPARISON, movement, write_orders
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller, question, refusal

CONFIRMED = findings_pb2.HYPOTHESIS_STATUS_CONFIRMED
CULPRIT = {"region": "North", "channel": "web"}


@pytest.fixture(scope="session")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_orders(tmp_path_factory.mktemp("orders") / "orders.csv")


async def _report(caller: Caller, job: job_pb2.Job, name: str = "report.md") -> str:
    [file] = [f for f in job.answer.artifacts if f.content_ref.endswith(name)]
    wanted = artifacts_pb.DownloadArtifactRequest(job_id=job.job_id, artifact_id=file.artifact_id)
    pieces = [part.chunk.data async for part in caller.artifacts.DownloadArtifact(wanted)]
    return b"".join(pieces).decode()


async def test_a_movement_is_explained_while_one_looks_on_and_every_number_is_proved(
    ann: Caller, orders: Path
) -> None:
    job = await ann.create(movement(orders, focus="perhaps the channel"))
    events = await ann.watched(job.job_id)
    job = await ann.job(job.job_id)

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    told = [event.WhichOneof("event") for event in events]
    assert told.index("understood") < told.index("finding") < told.index("answer")
    found = [event.finding for event in events if event.WhichOneof("event") == "finding"]
    assert [f.finding_id for f in found] == [f"find_{n + 1:03d}" for n in range(len(found))]
    thought = [e.hypothesis for e in events if e.WhichOneof("event") == "hypothesis"]
    assert {h.status for h in thought} >= {findings_pb2.HYPOTHESIS_STATUS_PENDING, CONFIRMED}

    result = job.investigation_result
    first = result.explanations[0]
    assert {value.dimension: value.value for value in first.segment} == CULPRIT
    assert (first.rank, first.likelihood) == (1, investigation_pb2.LIKELIHOOD_MOST_LIKELY)
    assert first.effect.low < first.effect.value < first.effect.high < 0
    assert first.basis == "associational" and first.source_hypotheses
    assert result.status == investigation_pb2.REPORT_STATUS_COMPLETED
    assert result.ledger.exit_reason == investigation_pb2.EXIT_REASON_CONCLUDE
    assert result.ledger.total_iterations == len(result.iterations) == len(found) + 1 <= 15
    last = result.iterations[-1]
    assert last.decision == investigation_pb2.ITERATION_DECISION_CONCLUDE
    assert "confirmed or ruled out" in last.compressed_summary, "it has its grounds"
    assert set(result.ledger.hypothesis_outcomes) == {h.hypothesis_id for h in result.hypotheses}
    outputs = {f.content_ref for f in job.answer.artifacts if "output_" in f.content_ref}
    assert {log.raw_output for log in result.iterations} == outputs

    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified
    again = records_pb.RecomputeJobRequest(job_id=job.job_id)
    recomputed = [step async for step in ann.records.RecomputeJob(again)]
    assert len(recomputed) == len(job.steps) + 1, "the sources, and every call"
    assert all(step.same for step in recomputed), recomputed
    entries = await ann.records.ListEntries(records_pb.ListEntriesRequest(job_id=job.job_id))
    text = "".join(entry.event_data_json for entry in entries.entries)
    assert '"exit_reason":"CONCLUDE"' in text.replace(" ", ""), "the ledger is in the chain"
    report = await _report(ann, job)
    for section in ("Data model", "Analysis performed", "Explanations", "Recommended next steps"):
        assert f"## {section}".casefold() in report.casefold()


async def test_a_question_why_starts_one_over_the_periods_that_it_says(
    ann: Caller, orders: Path
) -> None:
    asked = question("why did revenue drop in March?", orders, timeout=150)

    job = await ann.asked(asked)

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.investigation.question == "why did revenue drop in March?"
    result = job.investigation_result
    assert (result.baseline_period.start, result.baseline_period.end) == (
        "2024-02-01",
        "2024-02-29",
    )
    assert result.comparison_period.start == "2024-03-01"
    assert any(said in job.understood for said in ("2024-02-01", "February 2024"))
    assert any(said in job.understood for said in ("2024-03-31", "March 2024"))
    assert any("March 2024" in caveat for caveat in job.answer.caveats)
    assert {v.dimension: v.value for v in result.explanations[0].segment} == CULPRIT

    again = await ann.create(asked)  # the same request is the same job
    assert again.job_id == job.job_id and again.HasField("investigation_result")
    listed = await ann.jobs.ListJobs(jobs_pb.ListJobsRequest(kind=job_pb2.JOB_KIND_INVESTIGATION))
    assert [one.job_id for one in listed.jobs] == [job.job_id]


async def test_where_nothing_moved_nothing_is_explained(ann: Caller, tmp_path: Path) -> None:
    job = await ann.asked(movement(write_orders(tmp_path / "calm.csv", changed=False)))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.investigation_result.status == investigation_pb2.REPORT_STATUS_NO_FINDINGS
    assert not job.investigation_result.explanations
    assert "stands out" in job.answer.text
    report = (await _report(ann, job)).casefold()
    assert "ruled out" in report, "it says what was looked at"


async def _seen_early(ann: Caller, job_id: str) -> tuple[set[str], set[str]]:
    """What statistics can be read of a job that has not ended, and how others of its frames are
    refused."""
    going = await ann.job(job_id)
    assert going.state == job_pb2.JOB_STATE_EXECUTING
    [shown] = [step.frame.digest for step in going.steps if step.HasField("frame")]
    read = artifacts_pb.ReadFrameRequest(job_id=job_id, digest=shown)
    pieces = b"".join([piece.chunk.data async for piece in ann.artifacts.ReadFrame(read)])
    told = set(pa.ipc.open_stream(pieces).read_all()["statistic"].to_pylist())
    entries = (await ann.audit.List(audit_pb.ListRequest(request_id=job_id))).entries
    made = {json.loads(entry.event_data_json).get("frame_digest") for entry in entries}
    reasons = set()
    for digest in made - {None, "", shown}:
        wanted = artifacts_pb.ReadFrameRequest(job_id=job_id, digest=digest)
        reasons.add((await refusal(ann.artifacts.ReadFrame(wanted).read())).reason.code)
    return told, reasons


async def test_one_that_is_stopped_shows_and_keeps_what_its_iterations_found(
    home: Path, orders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mesh.testing.mesh import running_mesh
    from services.__main__ import factories

    ledger = Stoppable()
    held = ledger.watch("metric_search", metric_search.metric_search)
    monkeypatch.setattr(metric_search, "metric_search", held)
    async with running_mesh(home, factories) as settings, Caller(settings, "ann") as ann:
        with ledger.holding("metric_search"):
            job = await ann.create(movement(orders))
            assert await asyncio.to_thread(ledger.held.wait, 120)
            early = await refusal(
                ann.planner.AnswerJob(planner_pb.AnswerJobRequest(job_id=job.job_id, text="so?"))
            )
            seen, others = await _seen_early(ann, job.job_id)
            await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job.job_id))
        await ann.watched(job.job_id)
        job = await ann.job(job.job_id)

        assert early.reason.code == "INVESTIGATION_NOT_COMPLETE"
        assert seen >= {"baseline", "comparison", "difference", "p_value", "by_chance"}
        assert others == {"NOT_FOUND"}, "frames that no step names stay with the job"
        assert job.state == job_pb2.JOB_STATE_CANCELLED
        kept = [file.content_ref.rpartition("/")[2] for file in job.partial_artifacts]
        assert kept[:2] == ["output_001.txt", "output_002.txt"]
        verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
        assert verified.ok, verified


@pytest.mark.parametrize(
    ("metric", "comparison", "code", "said"),
    [
        ("sum(revenue)", ("2024-03-09", "2024-03-10"), "NO_ROWS_IN_PERIOD", "no rows in the comp"),
        ("sum(revenue / 0)", COMPARISON, "NO_ROWS_IN_PERIOD", "gives a number"),
        ("sum(cast(region as integer))", COMPARISON, "METRIC_NOT_UNDERSTOOD", "cannot be computed"),
    ],
)
async def test_what_only_the_rows_can_tell_is_refused_by_name_and_tried_once(
    ann: Caller,
    orders: Path,
    tmp_path: Path,
    metric: str,
    comparison: tuple[str, str],
    code: str,
    said: str,
) -> None:
    gap = tmp_path / "gap.csv"
    rows = orders.read_text().splitlines(keepends=True)
    missing = (",2024-03-09,", ",2024-03-10,")
    gap.write_text("".join(row for row in rows if not any(day in row for day in missing)))

    job = await ann.asked(movement(gap, metric=metric, comparison=comparison))

    assert (job.state, job.failure.reason) == (job_pb2.JOB_STATE_FAILED, code), job.failure
    assert said in job.failure.message and "assay_" not in job.failure.message
    assert len(job.steps) == 1


async def test_words_of_a_metric_that_mean_nothing_are_named_and_not_left_out(
    ann: Caller, orders: Path
) -> None:
    job = await ann.asked(movement(orders, metric="drop table orders"))

    assert job.failure.reason == "METRIC_NOT_UNDERSTOOD", job.failure
    assert 'what "drop" should mean' in job.failure.message and not job.steps


async def test_a_premise_that_is_false_is_contradicted_before_anything_else(
    ann: Caller, orders: Path
) -> None:
    job = await ann.asked(question("why did revenue rise in March?", orders, timeout=150))

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert job.answer.text.startswith("It did not rise: total revenue fell from")
    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified


async def test_a_session_is_investigated_by_the_files_that_it_has(
    ann: Caller, orders: Path
) -> None:
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(create)).session.session_id

    empty = await refusal(ann.create(movement(session=session)))
    assert empty.reason.code == "NO_FILES_UPLOADED" and "Upload" in empty.remedy

    file = await uploaded(ann, session, orders)
    job = await ann.asked(movement(session=session))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    [source] = job.investigation.data_sources
    assert source.file_id == file
    [table] = job.investigation_result.data_model.tables
    assert table.file_id == file
    found = await ann.sessions.GetSession(sessions_pb.GetSessionRequest(session_id=session))
    assert found.session.report_ready and found.session.job_counts.answered == 1


async def test_a_preview_tells_what_would_be_looked_at_first(ann: Caller, orders: Path) -> None:
    wanted = movement(orders)
    planned = await ann.jobs.PlanJob(jobs_pb.PlanJobRequest(investigation=wanted.investigation))

    assert "revenue" in planned.understood
    assert Counter(task.tool_name for task in planned.plan.subtasks)["metric.quality"] == 1
    assert planned.plan.state == analysis_pb2.PLAN_STATE_DRAFT
