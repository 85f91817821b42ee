"""Causal jobs over the wire: followed to a verdict, proved, refused, and stopped."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from assay.common.v1 import causal_pb2, data_pb2, findings_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from mesh.ids import new_id
from services.planner.domain.causal.agents.registry import AGENTS
from services.planner.domain.causal.status import TRANSITIONS, JobStatus
from tests.mesh.support import Caller, refusal

pytestmark = pytest.mark.timeout(900)

EFFECT = 4.0


def visits(path: Path, rows: int = 600) -> Path:
    """Visits of a shop: age and income move both promo and spend, and promo adds 4 to it."""
    draw = np.random.default_rng(3)
    age, income = draw.normal(45, 12, rows).round(), draw.normal(30, 8, rows).round(1)
    chance = 1 / (1 + np.exp(-(0.05 * (age - 45) + 0.08 * (income - 30))))
    promo = (draw.uniform(size=rows) < chance).astype(int)
    spend = 20 + EFFECT * promo + 0.3 * age + 0.4 * income + draw.normal(0, 4, rows)
    table = pa.table({"age": age, "income": income, "promo": promo, "spend": spend.round(2)})
    pyarrow.csv.write_csv(table, path)
    return path


def study(
    path: Path, treatment: str = "promo", outcome: str = "spend", *, tiers: bool = True
) -> jobs_pb.CreateJobRequest:
    """A new request to estimate an effect in a file of this machine."""
    order = (("age", "income"), ("promo",), ("spend",)) if tiers else ()
    known = causal_pb2.CausalKnowledge(
        tiers=[causal_pb2.CausalTier(columns=names) for names in order]
    )
    asked = causal_pb2.CausalRequest(
        treatment=treatment,
        outcome=outcome,
        data_sources=[data_pb2.DataSource(file_path=str(path))],
        knowledge=known,
    )
    return jobs_pb.CreateJobRequest(request_id=new_id(), causal=asked)


async def test_an_effect_is_concluded_by_all_agents_and_every_number_is_proved(
    ann: Caller, tmp_path: Path
) -> None:
    job = await ann.create(study(visits(tmp_path / "visits.csv")))
    events = await ann.watched(job.job_id)
    job = await ann.job(job.job_id)

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    result = job.causal_result
    assert result.verdict == findings_pb2.CRITIQUE_DECISION_APPROVE, result.state.critique_history
    assert result.effect.ci_lower < EFFECT < result.effect.ci_upper
    assert "promo raises spend by" in job.answer.text
    traced = {trace.agent_name for trace in result.state.agent_traces}
    assert set(AGENTS) - {"effect_estimator_react"} <= traced
    actions = result.state.agent_traces
    assert all(one.inputs.fields and one.duration_ms > 0 for one in actions)
    assert {"call data", "call effect_aipw", "call notebook"} <= {one.action for one in actions}
    info = result.state.dataset_info
    assert (info.name, info.url) == ("visits.csv", str(tmp_path / "visits.csv"))
    assert result.state.status == causal_pb2.CAUSAL_STATUS_COMPLETED
    assert result.state.notebook_path.endswith(".ipynb")
    naive = next(e for e in result.state.treatment_effects if e.method == "naive")
    assert naive.estimate > EFFECT + 1, "without adjusting it is confounded"

    told = [event.causal for event in events if event.WhichOneof("event") == "causal"]
    _check_moves(told)
    passed = {causal_pb2.CausalStatus.Name(one.status) for one in told}
    assert {"CAUSAL_STATUS_PENDING", "CAUSAL_STATUS_FETCHING_DATA"} <= passed
    assert told[-1].status == causal_pb2.CAUSAL_STATUS_COMPLETED
    assert told[-1].progress_percentage == 100
    critiques = [event.critique for event in events if event.WhichOneof("event") == "critique"]
    assert critiques[-1].decision == findings_pb2.CRITIQUE_DECISION_APPROVE

    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified
    again = records_pb.RecomputeJobRequest(job_id=job.job_id)
    recomputed = [step async for step in ann.records.RecomputeJob(again)]
    assert all(step.same for step in recomputed), [s for s in recomputed if not s.same]


def _check_moves(told: list[causal_pb2.CausalProgress]) -> None:
    """By moves that seed 001 draws, but that a job is cancelled wherever it was; and progress never
    goes back."""
    names = [
        causal_pb2.CausalStatus.Name(one.status).removeprefix("CAUSAL_STATUS_") for one in told
    ]
    for before, after in pairwise(JobStatus[name] for name in names):
        drawn = before is after or after in TRANSITIONS[before]
        assert drawn or after is JobStatus.CANCELLED, (before, after)
    percents = [one.progress_percentage for one in told]
    assert percents == sorted(percents)


async def test_where_a_job_is_is_told_while_it_runs_and_once_it_has_failed(
    ann: Caller, tmp_path: Path
) -> None:
    path = visits(tmp_path / "visits.csv", 200)
    asked = study(path)
    asked.causal.constraints.timeout.seconds = 6
    job = await ann.create(asked)
    seen = []
    async for told in ann.jobs.WatchJob(jobs_pb.WatchJobRequest(job_id=job.job_id)):
        if told.event.WhichOneof("event") == "causal":
            state = (await ann.job(job.job_id)).causal_state
            seen.append((told.event.causal, state))
    job = await ann.job(job.job_id)

    _check_moves([one for one, _ in seen])
    assert next(one.status for one, _ in seen) == causal_pb2.CAUSAL_STATUS_PENDING
    assert job.state == job_pb2.JOB_STATE_FAILED
    assert job.causal_state.status == causal_pb2.CAUSAL_STATUS_FAILED
    assert job.causal_state.error_message == job.failure.message
    assert job.causal_state.error_agent
    running = [state for one, state in seen if one.status == causal_pb2.CAUSAL_STATUS_PROFILING]
    assert running and all(state.job_id == job.job_id for state in running)


async def test_one_column_as_treatment_and_outcome_is_refused(ann: Caller, tmp_path: Path) -> None:
    asked = study(visits(tmp_path / "visits.csv", 60), "promo", "promo", tiers=False)
    refused = await refusal(ann.create(asked))
    assert refused.reason.code == "INVALID_ARGUMENT"
    assert "both promo" in refused.message


async def test_a_column_that_is_not_there_is_named_with_those_that_are(
    ann: Caller, tmp_path: Path
) -> None:
    job = await ann.asked(study(visits(tmp_path / "visits.csv", 60), "prom", tiers=False))
    assert job.failure.reason == "INVALID_ARGUMENT"
    assert job.causal_state.status == causal_pb2.CAUSAL_STATUS_FAILED
    assert "'prom'" in job.failure.message and "promo" in job.failure.message


async def test_a_study_is_stopped_and_says_so(ann: Caller, tmp_path: Path) -> None:
    job = await ann.create(study(visits(tmp_path / "visits.csv")))
    await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=job.job_id))
    job = await ann.job(job.job_id)

    assert job.state == job_pb2.JOB_STATE_CANCELLED
    assert job.causal_state.error_message == "Cancelled by user"
    assert job.causal_state.treatment_variable == "promo"
    told = [e.causal for e in await ann.watched(job.job_id) if e.WhichOneof("event") == "causal"]
    _check_moves(told)
    assert told[-1].status == job.causal_state.status == causal_pb2.CAUSAL_STATUS_CANCELLED
