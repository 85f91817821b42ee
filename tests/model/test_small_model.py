"""Half answers, nonsense and slowness of a real model: a sound answer or a clear no, each time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import audit_service_pb2 as records_pb
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.mesh.support import Caller, question

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")
pytestmark = pytest.mark.timeout(600)

UNHEARD_OF = "zorkify the frobnicators"
PARTLY = "total quantity by region flimflam"
TOTALS = {"North": "25", "South": "30"}
HALF_ANSWER, PATIENCE, HASTE = "256", "100", "2"


@asynccontextmanager
async def mesh_with(home: Path, place: str, **settings: str) -> AsyncIterator[Caller]:
    """A mesh whose language model is the real one at `place`."""
    chosen = {
        "ASSAY_LLM": "openai:smollm2",
        "ASSAY_LLM_BASE_URL": place,
        "ASSAY_LLM_SECONDS": PATIENCE,
        "ASSAY_LLM_REQUEST_SECONDS": PATIENCE,
        "ASSAY_LLM_ANSWER_TOKENS": HALF_ANSWER,
        **settings,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in chosen.items():
            patch.setenv(name, value)
        async with running_mesh(home, factories) as mesh, Caller(mesh, "ann") as caller:
            yield caller


async def soundly(caller: Caller, text: str, sales: Path) -> job_pb2.Job:
    """The job of a question that the model was asked about: a sound answer, or a clear no."""
    job = await caller.asked(question(text, sales, timeout=180))
    print(f"\n{text!r}: {job.understood!r}", job.failure.message or job.answer.text)
    print(list(job.answer.caveats), job.answer.model_use)
    if job.state != job_pb2.JOB_STATE_COMPLETED:
        assert job.failure.message, "a no says why"
        assert job.failure.hint, "and what to do"
        return job
    assert job.answer.confidence != analysis_pb2.CONFIDENCE_HIGH, "it was no sure question"
    verified = await caller.records.VerifyJob(records_pb.VerifyJobRequest(job_id=job.job_id))
    assert verified.ok
    again = records_pb.RecomputeJobRequest(job_id=job.job_id)
    assert all([told.same async for told in caller.records.RecomputeJob(again)])
    if job.answer.reasoner == "rules":
        assert all(number in job.answer.text for number in TOTALS.values())
    return job


@pytest.mark.parametrize("output", ["tool", "native", "prompted"])
async def test_half_answers_leave_a_sound_answer(
    home: Path, sales: Path, model_place: str, output: str
) -> None:
    async with mesh_with(
        home, model_place, ASSAY_LLM_OUTPUT=output, ASSAY_LLM_SECONDS="45"
    ) as caller:
        await soundly(caller, PARTLY, sales)


async def test_nonsense_is_a_clear_no(home: Path, sales: Path, model_place: str) -> None:
    async with mesh_with(home, model_place) as caller:
        job = await soundly(caller, UNHEARD_OF, sales)

    assert job.failure.reason == "NOTHING_UNDERSTOOD"


async def test_slowness_ends_with_the_rules_and_is_told(
    home: Path, sales: Path, model_place: str
) -> None:
    async with mesh_with(
        home, model_place, ASSAY_LLM_SECONDS=HASTE, ASSAY_LLM_REQUEST_SECONDS=HASTE
    ) as caller:
        job = await soundly(caller, PARTLY, sales)

    assert job.answer.reasoner == "rules"
    assert any("gave no plan: it did not answer within 2 s" in c for c in job.answer.caveats)


async def test_an_ordinary_question_does_not_wait_for_it(
    home: Path, sales: Path, model_place: str
) -> None:
    async with mesh_with(home, model_place) as caller:
        job = await caller.asked(question("total quantity by region", sales))

    assert job.answer.reasoner == "rules"
    assert not job.answer.HasField("model_use")
    assert all(number in job.answer.text for number in TOTALS.values())
