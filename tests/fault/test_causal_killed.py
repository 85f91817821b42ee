"""A planner is killed in the middle of a causal job; another goes on from what was recorded.

No call runs twice, no agent makes its patch twice, and what comes out is what an undisturbed run
gives.
"""

from __future__ import annotations

import importlib
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay.common.v1 import job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from tests.calibrating import seldom
from tests.fault.support import LEASE, Ledger, Ward, died, the_ward
from tests.mesh.test_causal_jobs import study, visits

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900)]

# A causal job computes for longer than a question: on a busy machine shorter leases run out.
PATIENT = {**LEASE, "ASSAY_PLANNER_LEASE_SECONDS": "10"}
TOOLS = (
    "load",
    "profile",
    "repairs",
    "repair",
    "explore",
    "discovery_plan",
    "discover",
    "identify",
    "confounders",
    "overlap",
    "estimate",
    "calibrate",
    "sensitivity",
    "draw",
    "notebook",
)
PLACES = [
    "planner: patch-decided, uncommitted#4",
    "planner: patch-decided, committed#9",
]


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    """What tools completed, over the lives of all planners."""
    kept = Ledger()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_EMBEDDER", "hashed")
        for name in (f"causal_{tool}" for tool in TOOLS):
            module = importlib.import_module(f"services.executor.tools.{name}")
            tool = getattr(module, name)
            if name == "causal_calibrate":
                tool = seldom(tool)
            patch.setattr(module, name, kept.watch(name, tool))
        for name, value in PATIENT.items():
            patch.setenv(name, value)
        yield kept


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ward(ledger: Ledger) -> AsyncIterator[Ward]:
    """Peers and a second planner in this process; short, because a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        async with the_ward(Path(folder), ledger) as ward:
            yield ward


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return visits(tmp_path_factory.mktemp("visits") / "visits.csv", 300)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def undisturbed(ward: Ward, data: Path) -> job_pb2.Job:
    """One run in which nobody dies: what every other must come to."""
    job = await ward.caller.asked(study(data))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    return job


def told(job: job_pb2.Job) -> dict[str, Any]:
    """What a causal job came to, without ids, times and places of this run."""
    state = job.causal_result.state
    return {
        "text": job.answer.text,
        "verdict": job.causal_result.verdict,
        "effects": [(e.method, e.estimand, e.estimate) for e in state.treatment_effects],
        "tests": [(t.method, t.robustness_value) for t in state.sensitivity_results],
        "edges": [(e.source, e.target, e.edge_type) for e in state.proposed_dag.edges],
        "rounds": state.iteration_count,
        "agents": [(t.agent_name, t.action, t.reasoning) for t in state.agent_traces],
        "steps": sorted((step.task_id, step.state) for step in job.steps),
    }


@pytest.mark.parametrize("place", PLACES)
async def test_a_planner_killed_among_agents_loses_and_repeats_nothing(
    ward: Ward, data: Path, undisturbed: job_pb2.Job, place: str
) -> None:
    request = study(data)
    ward.ledger.completed.clear()
    async with ward.victim(place, PATIENT) as (process, stub):
        await ward.create(stub, request)
        await died(process, 300)
        await ward.caller.watched(request.request_id)
        job = await ward.caller.job(request.request_id)

    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    assert told(job) == told(undisturbed)
    done = Counter(ward.ledger.completed)
    assert max(done.values()) == 1, f"ran twice: {done}"
    verified = await ward.caller.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok, verified
    ward.fsck()
