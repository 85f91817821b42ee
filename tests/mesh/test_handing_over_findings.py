"""From a drill-down's finding to a causal job: asked, linked in the proof, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.common.v1 import causal_pb2, data_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.ids import new_id
from tests.mesh.movements import movement, write_orders
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller, question, refusal

pytestmark = pytest.mark.timeout(900)
SEGMENT = "channel = web, region = North"


def from_finding(job_id: str, **fields: object) -> jobs_pb.CreateJobRequest:
    """A new request about what an investigation found."""
    origin = causal_pb2.CausalOrigin(job_id=job_id, **fields.pop("origin", {}))  # type: ignore[arg-type]
    asked = causal_pb2.CausalRequest(origin=origin, **fields)  # type: ignore[arg-type]
    return jobs_pb.CreateJobRequest(request_id=new_id(), causal=asked)


async def test_a_finding_of_a_sessions_file_becomes_a_causal_job_whose_proof_names_it(
    ann: Caller, tmp_path: Path
) -> None:
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(create)).session.session_id
    await uploaded(ann, session, write_orders(tmp_path / "orders.csv"))
    parent = await ann.asked(movement(session=session))
    first = parent.investigation_result.explanations[0]
    assert first.can_be_handed_over, parent.failure

    asked = from_finding(parent.job_id, max_iterations=1)
    job = await ann.asked(asked)

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert (job.parent_job_id, job.session_id) == (parent.job_id, session)
    assert (job.causal.treatment, job.causal.outcome) == (SEGMENT, "revenue")
    assert f"Asked of investigation {parent.job_id[:8]}: explanation 1" in job.answer.text
    groups = {
        effect.details["group"]: effect.estimate
        for effect in job.causal_result.state.treatment_effects
        if effect.details["group"]
    }
    assert abs(groups["period = baseline"]) < 3 < -groups["period = comparison"] / 4
    assert "Where period = comparison, by causal_forest" in job.answer.text
    assert any("heterogeneity" in f.content_ref for f in job.answer.artifacts)
    verified = await ann.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified
    entries = await ann.records.ListEntries(records_pb.ListEntriesRequest(job_id=job.job_id))
    chain = "".join(entry.event_data_json for entry in entries.entries).replace(" ", "")
    assert f'"parent_job_id":"{parent.job_id}"' in chain

    again = await ann.create(asked)  # the same request is the same job
    assert again.job_id == job.job_id


async def test_what_is_not_complete_not_there_or_no_investigation_is_refused(
    ann: Caller, bob: Caller, tmp_path: Path
) -> None:
    orders = write_orders(tmp_path / "orders.csv")
    running = await ann.create(movement(orders))
    early = await refusal(ann.create(from_finding(running.job_id)))
    assert early.reason.code == "INVESTIGATION_NOT_COMPLETE"
    strange = await refusal(bob.create(from_finding(running.job_id)))
    assert strange.reason.code == "NOT_FOUND"
    own = await refusal(
        ann.create(
            from_finding(running.job_id, data_sources=[data_pb2.DataSource(file_path=str(orders))])
        )
    )
    assert own.reason.code in ("INVALID_ARGUMENT", "INVESTIGATION_NOT_COMPLETE")
    await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=running.job_id))
    stopped = await refusal(ann.create(from_finding(running.job_id)))
    assert stopped.reason.code == "INVESTIGATION_NOT_COMPLETE"
    assert "has no report" in stopped.message

    analysis = await ann.asked(question("total revenue by region", orders))
    wrong = await refusal(ann.create(from_finding(analysis.job_id)))
    assert wrong.reason.code == "INVALID_ARGUMENT" and "investigation" in wrong.message


async def test_a_calm_investigation_and_a_metric_that_no_row_has_hand_nothing_over(
    ann: Caller, tmp_path: Path
) -> None:
    calm = await ann.asked(movement(write_orders(tmp_path / "calm.csv", changed=False)))
    refused = await refusal(ann.create(from_finding(calm.job_id)))
    assert refused.reason.code == "NOTHING_TO_HAND_OVER"

    orders = write_orders(tmp_path / "orders.csv")
    ratio = await ann.asked(movement(orders, metric="sum(revenue) / sum(order_id)"))
    if ratio.state == job_pb2.JOB_STATE_COMPLETED and ratio.investigation_result.explanations:
        refused = await refusal(ann.create(from_finding(ratio.job_id)))
        assert refused.reason.code == "NO_ROW_MEASURE"
        plan = jobs_pb.PlanJobRequest(causal=from_finding(ratio.job_id, outcome="revenue").causal)
        planned = await ann.jobs.PlanJob(plan)
        assert "on revenue" in planned.understood
