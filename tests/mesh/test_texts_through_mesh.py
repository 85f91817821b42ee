"""A text held against results, through the whole mesh: rows, and whose jobs they are."""

from __future__ import annotations

from pathlib import Path

from assay.common.v1 import job_pb2
from assay.gateway.v1 import text_service_pb2 as pb
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND
from tests.mesh import shared
from tests.mesh.support import Caller, refusal
from tests.mesh.test_own_statement import BY_REGION, statement

pytestmark = shared.ON_ONE_LOOP
ann, bob = shared.ann, shared.bob


async def test_what_its_cells_do_not_bear_out_is_told(ann: Caller, sales: Path) -> None:
    job = await ann.asked(statement(BY_REGION, sales))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    text = "# Sales\n\nThe North sold {48|f1.n[North]}, the lowest of all; 12 came back.\n"

    found = await ann.texts.CheckText(pb.CheckTextRequest(text=text, frames={"f1": job.job_id}))

    assert [(one.kind, one.line, one.claimed) for one in found.failures] == [
        (pb.TEXT_FAILURE_KIND_WORD_WRONG, 3, "lowest"),
    ], "12 is a number of the statement"
    assert found.failures[0].found.startswith("it is number 3 of 3")
    assert (found.bound, list(found.frames)) == (1, ["f1"])
    assert found.plain.endswith("The North sold 48, the lowest of all; 12 came back.\n")


async def test_jobs_of_others_are_not_there(ann: Caller, bob: Caller, sales: Path) -> None:
    job = await ann.asked(statement(BY_REGION, sales))
    wanted = pb.CheckTextRequest(text="{48|f1.n[North]}", frames={"f1": job.job_id})

    assert (await refusal(bob.texts.CheckText(wanted))).reason is NOT_FOUND


async def test_a_text_that_is_too_long_is_refused(ann: Caller) -> None:
    error = await refusal(ann.texts.CheckText(pb.CheckTextRequest(text="x" * 200_001)))

    assert error.reason is INVALID_ARGUMENT and "200,000" in error.message
