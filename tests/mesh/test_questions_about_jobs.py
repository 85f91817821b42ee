"""Questions about finished jobs: told in the job's words, with its claims, or not told at all."""

from __future__ import annotations

import re
from pathlib import Path

import grpc
import pytest

from assay.common.v1 import conversation_pb2, job_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.memory.v1 import memory_service_pb2 as memory_pb
from assay.memory.v1 import memory_service_pb2_grpc as memory_grpc
from mesh.ids import new_id
from mesh.transport.status import from_rpc_error
from tests.mesh.movements import movement, write_orders
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller, question
from tests.mesh.test_conversations import Talk, said


async def asked_about(caller: Caller, words: str, **of: str) -> conversation_pb2.AgentResponse:
    request = jobs_pb.AskAboutJobRequest(question=words, **of)
    return (await caller.jobs.AskAboutJob(request)).response


async def refused(call: object) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        await call  # type: ignore[misc]
    return from_rpc_error(caught.value).reason.code


def unsupported(response: conversation_pb2.AgentResponse) -> set[str]:
    """Numbers of an answer that are neither a day nor a claim that it cites."""
    dated = re.sub(r"\b(?:\d{1,2} )?[A-Z][a-z]+ \d{4}", "", response.answer)
    told = re.findall(r"\d[\d,]*(?:\.\d+)?", dated)
    cited = {n for claim in response.claims for n in re.findall(r"\d[\d,]*(?:\.\d+)?", claim.text)}
    return set(told) - cited


async def test_an_investigation_tells_what_explained_most_and_how_sure_it_is(
    ann: Caller, tmp_path: Path
) -> None:
    job = await ann.asked(movement(write_orders(tmp_path / "orders.csv")))
    most = await asked_about(ann, "which segment explained most?", job_id=job.job_id)
    first = job.investigation_result.explanations[0]
    assert first.title in most.answer and most.about_job_id == job.job_id and not most.job_id
    assert not unsupported(most) and most.claims and most.sources == ["orders.csv"]
    by_id = {claim.claim_id: claim for claim in job.answer.claims}
    assert all(by_id[claim.claim_id] == claim for claim in most.claims)
    assert {call.tool_id for call in most.tool_calls_made} >= {c.call_id for c in most.claims}

    sure = await asked_about(ann, "how sure are you of the drop in the North?", job_id=job.job_id)
    assert "probability" in sure.answer and "North" in sure.answer

    rise = await asked_about(ann, "how sure are you of the rise in the North?", job_id=job.job_id)
    assert rise.failure.reason == "NOT_TOLD" and "rise" in rise.answer  # it fell
    west = await asked_about(ann, "how sure are you of the drop in the West?", job_id=job.job_id)
    assert west.failure.reason == "NOT_TOLD" and "west" in west.answer
    assert "what explains the change" in west.failure.hint and not west.claims


async def test_a_question_about_a_job_without_an_answer_is_refused_by_name(
    ann: Caller, tmp_path: Path, sales: Path
) -> None:
    stopped = movement(write_orders(tmp_path / "orders.csv"))
    await ann.create(stopped)
    try:
        await ann.jobs.CancelJob(jobs_pb.CancelJobRequest(job_id=stopped.request_id))
    finally:
        await ann.watched(stopped.request_id)
    ended = await ann.job(stopped.request_id)
    assert ended.state == job_pb2.JOB_STATE_CANCELLED
    about = jobs_pb.AskAboutJobRequest(job_id=ended.job_id, question="what did you rule out?")
    assert await refused(ann.jobs.AskAboutJob(about)) == "INVESTIGATION_NOT_COMPLETE"
    lost = await ann.asked(question("total price by moon", sales))
    assert not lost.HasField("answer")
    about = jobs_pb.AskAboutJobRequest(job_id=lost.job_id, question="how sure are you?")
    assert await refused(ann.jobs.AskAboutJob(about)) == "JOB_NOT_COMPLETE"
    for wrong, reason in (
        (jobs_pb.AskAboutJobRequest(job_id=lost.job_id), "QUESTION_EMPTY"),
        (jobs_pb.AskAboutJobRequest(question="how sure are you?"), "INVALID_ARGUMENT"),
    ):
        assert await refused(ann.jobs.AskAboutJob(wrong)) == reason


async def test_a_conversation_asks_about_its_answers_and_goes_on(
    ann: Caller, tmp_path: Path
) -> None:
    talk = Talk(ann, write_orders(tmp_path / "orders.csv"))
    early = await talk.say("what did you assume?")
    assert early.response.failure.reason == "NOTHING_TO_FOLLOW"
    first = await talk.say("total revenue by region")
    about = await talk.say("how did you understand the question?")
    assert about.reading.kind == conversation_pb2.TURN_KIND_ABOUT and not about.reading.job_id
    assert about.response.about_job_id == first.reading.job_id
    assert "total revenue by region" in about.response.answer

    north = next(c for c in first.response.answer.split() if re.match(r"\(\d", c)).strip("(,")
    where = await talk.say(f"where does {north} come from?")
    assert "frame" in where.response.answer and where.response.claims[0].text == north

    further = await talk.say("only the North")  # what is changed is the question before all that
    assert further.reading.kind == conversation_pb2.TURN_KIND_FOLLOW_UP
    again = await talk.say("how did you understand the question?", request_id=(same := new_id()))
    assert again.response.about_job_id == further.reading.job_id
    repeated = await talk.say("how did you understand the question?", request_id=same)
    assert repeated.response.answer == again.response.answer
    data = await talk.say("how many orders are there?")  # a question of the data stays one
    assert data.reading.kind == conversation_pb2.TURN_KIND_FRESH

    wanted = pb.ListMessagesRequest(conversation_id=talk.conversation)
    told = (await ann.conversations.ListMessages(wanted)).messages
    kept = next(m for m in told if m.content == about.response.answer)
    assert not kept.job_id and first.reading.job_id in kept.metadata_json


async def test_the_jobs_of_a_session_are_found_by_what_they_are_about_and_forgotten_with_it(
    ann: Caller, bob: Caller, tmp_path: Path, sales: Path
) -> None:
    made = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(made)).session.session_id
    file = await uploaded(ann, session, sales)
    orders = await uploaded(ann, session, write_orders(tmp_path / "orders.csv"))
    wanted = question("total price by region")
    wanted.session_id = session
    wanted.analysis.data_sources.add(file_id=file)
    moved = movement(session=session)
    moved.investigation.data_sources.add(file_id=orders)
    moving, asked = await ann.asked(moved), await ann.asked(wanted)
    told = await asked_about(ann, "which segment explained the drop most?", session_id=session)
    assert told.about_job_id == moving.job_id
    told = await asked_about(ann, "where does 60 come from?", session_id=session)
    assert told.failure.reason == "NOT_TOLD"
    assert asked.HasField("answer")

    stub = memory_grpc.MemoryServiceStub(ann.channel("memory"))
    search = memory_pb.SearchDocumentsRequest(query="revenue", session_id=session)
    found = {d.document.document_id for d in (await stub.SearchDocuments(search)).documents}
    assert found == {moving.job_id, asked.job_id}
    about = jobs_pb.AskAboutJobRequest(session_id=session, question="what did you find?")
    assert await refused(bob.jobs.AskAboutJob(about)) == "NOT_FOUND"
    await ann.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session))
    assert not (await stub.SearchDocuments(search)).documents


async def test_a_conversation_of_a_session_begins_with_a_question_about_its_investigation(
    ann: Caller, tmp_path: Path
) -> None:
    made = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(made)).session.session_id
    wanted = movement(session=session)
    orders = await uploaded(ann, session, write_orders(tmp_path / "orders.csv"))
    wanted.investigation.data_sources.add(file_id=orders)
    moved = await ann.asked(wanted)
    for words in ("which segment explained most?", "what did you rule out?"):
        first = pb.AskRequest(request_id=new_id(), session_id=session, content=words)
        turn = await said(ann, first)
        assert turn.reading.kind == conversation_pb2.TURN_KIND_ABOUT, words
        assert turn.response.about_job_id == moved.job_id and not turn.response.HasField("failure")
    long = pb.AskRequest(request_id=new_id(), session_id=session, content="many words " * 300)
    with pytest.raises(grpc.RpcError) as caught:  # of the data, no more is read than before
        await said(ann, long)
    assert from_rpc_error(caught.value).reason.code == "QUESTION_TOO_LONG"


async def test_a_question_about_a_job_and_its_answer_are_kept_with_its_session(
    ann: Caller, sales: Path
) -> None:
    made = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(made)).session.session_id
    wanted = question("total price by region")
    wanted.session_id = session
    wanted.analysis.data_sources.add(file_id=await uploaded(ann, session, sales))
    wanted.analysis.policy.blocked_patterns.append("email")
    job = await ann.asked(wanted)
    about = jobs_pb.AskAboutJobRequest(job_id=job.job_id, question="which files did you make?")
    told = await ann.jobs.AskAboutJob(about)
    about = jobs_pb.AskAboutJobRequest(
        session_id=session, question="how sure are you of jo@example.org?"
    )
    again = await ann.jobs.AskAboutJob(about)
    assert told.conversation_id == again.conversation_id != ""
    listed = pb.ListMessagesRequest(conversation_id=told.conversation_id)
    messages = (await ann.conversations.ListMessages(listed)).messages
    assert [m.role for m in messages] == [pb.MESSAGE_ROLE_USER, pb.MESSAGE_ROLE_ASSISTANT] * 2
    assert messages[1].content == told.response.answer
    assert (
        list(messages[1].artifacts_referenced)
        == [artifact.content_ref for artifact in told.response.artifacts]
        != []
    )
    assert "jo@example.org" not in messages[2].content

    archived = pb.ArchiveConversationRequest(conversation_id=told.conversation_id)
    await ann.conversations.ArchiveConversation(archived)
    assert (await ann.jobs.AskAboutJob(about)).conversation_id != told.conversation_id
    alone = await ann.asked(question("total price by region", sales))
    about = jobs_pb.AskAboutJobRequest(job_id=alone.job_id, question="what did you assume?")
    assert not (await ann.jobs.AskAboutJob(about)).conversation_id
