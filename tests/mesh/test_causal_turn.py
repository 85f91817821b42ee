"""A causal job as a turn of a conversation: told as far as it is, and asked about once it ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.common.v1 import conversation_pb2, job_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from mesh.testing.mesh import running_mesh
from services.__main__ import factories
from tests.mesh.support import Caller
from tests.mesh.test_causal_jobs import visits
from tests.mesh.test_conversations import Talk

pytestmark = pytest.mark.timeout(900)


async def test_whether_something_caused_the_number_in_sight_is_a_turn_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PLANNER_TURN_SECONDS", "12")  # shorter than the work
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits(tmp_path / "visits.csv", 300))
        first = await talk.say("total spend")
        assert first.response.state == job_pb2.JOB_STATE_COMPLETED, first.response

        lost = await talk.say("did the weather cause it?")
        assert lost.response.failure.reason == "NOTHING_TO_FOLLOW"
        assert "names no one column" in lost.response.answer

        cause = await talk.say("did the promo cause it?")
        assert cause.reading.kind == conversation_pb2.TURN_KIND_CAUSE
        assert cause.reading.follows_job_id == first.reading.job_id
        assert "effect of promo on spend" in cause.reading.reason
        assert cause.response.partial_results and "under way" in cause.response.answer
        assert any(event.WhichOneof("event") == "causal" for event in cause.events)

        early = await talk.say("what did you assume?")  # nothing is told of work that goes on
        assert early.reading.kind == conversation_pb2.TURN_KIND_ABOUT
        assert early.response.failure.reason == "JOB_NOT_COMPLETE"

        await ann.watched(cause.reading.job_id)
        job = await ann.job(cause.reading.job_id)
        assert job.causal.treatment == "promo" and job.causal.outcome == "spend"
        assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
        assert job.conversation_id == talk.conversation
        assert job.parent_job_id == first.reading.job_id

        effect = await talk.say("how large is the effect?")
        assert effect.response.about_job_id == job.job_id
        assert effect.response.answer == job.answer.text and effect.response.claims
        placebo = await talk.say("what did the placebo test say?")
        tests = job.causal_result.state.sensitivity_results
        said = next(t.interpretation for t in tests if t.method == "placebo_treatment")
        assert said.rstrip(".") in placebo.response.answer
        (cell,) = [c for c in placebo.response.claims if c.value == said]
        calls = {call.tool_id: call.tool_name for call in placebo.response.tool_calls_made}
        assert calls[cell.call_id] == "causal.sensitivity" and cell.column == "interpretation"
        assumed = await talk.say("what did you assume?")
        assert "links promo and spend" in assumed.response.answer

        wanted = pb.ListMessagesRequest(conversation_id=talk.conversation)
        messages = (await ann.conversations.ListMessages(wanted)).messages
        assert [m.link for m in messages if m.job_id][-1] == pb.JOB_LINK_FORKED
