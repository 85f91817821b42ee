"""Turns taken back over gRPC: the next is understood without them; and threads that go on from an
answer that was asked for elsewhere."""

from __future__ import annotations

from pathlib import Path

from assay.common.v1 import conversation_pb2, job_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.ids import new_id
from tests.mesh import shared
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller, question
from tests.mesh.test_conversations import Talk, Turn, reason, said, visits

__all__ = ["visits"]

pytestmark = shared.ON_ONE_LOOP
mesh, ann, bob = shared.mesh, shared.ann, shared.bob


async def take_back(talk: Talk, turn: Turn, **named: int) -> list[int]:
    wanted = pb.TakeBackRequest(
        conversation_id=talk.conversation, message_id=turn.asked.message.message_id, **named
    )
    return list((await talk.caller.conversations.TakeBack(wanted)).message_ids)


async def bring_back(talk: Talk, turn: Turn) -> list[int]:
    wanted = pb.BringBackRequest(
        conversation_id=talk.conversation, message_id=turn.asked.message.message_id
    )
    return list((await talk.caller.conversations.BringBack(wanted)).message_ids)


async def test_what_was_taken_back_is_not_gone_on_from_until_it_is_brought_back(
    ann: Caller, visits: Path
) -> None:
    talk = Talk(ann, visits)
    first = await talk.say("number of visits by harbour")
    only = await talk.say("only 2024")
    assert await take_back(talk, only) == [only.asked.message.message_id]
    split = await talk.say("and by skipper?")
    assert split.reading.follows_job_id == first.reading.job_id
    assert "2024" not in split.response.understood
    kept = await ann.job(only.reading.job_id)
    assert kept.state == job_pb2.JOB_STATE_COMPLETED, "the record stays"

    listing = pb.ListMessagesRequest(conversation_id=talk.conversation)
    messages = (await ann.conversations.ListMessages(listing)).messages
    marked = [message.position for message in messages if message.HasField("taken_back_at")]
    assert marked == [3, 4] and messages[2].request_id == only.reading.job_id

    await take_back(talk, split)
    assert await bring_back(talk, only) == [only.asked.message.message_id]
    again = await talk.say("and by skipper?")
    assert again.reading.follows_job_id == only.reading.job_id
    assert "2024" in again.response.understood


async def test_everything_may_be_taken_back_and_a_question_of_its_own_be_asked(
    ann: Caller, visits: Path
) -> None:
    talk = Talk(ann, visits)
    first = await talk.say("number of visits by harbour")
    await talk.say("only 2024")
    assert len(await take_back(talk, first)) == 2
    lost = await talk.say("only 2024")
    assert not lost.reading.follows_job_id and lost.response.HasField("failure")
    about = await talk.say("what did you assume?")
    assert about.response.failure.reason, "there is no answer before it to ask about"
    fresh = await talk.say("total net fee by harbour")
    assert fresh.reading.kind == conversation_pb2.TURN_KIND_FRESH
    assert fresh.response.sources == ["visits.csv"], "its sources are still those of the thread"


async def test_of_two_tabs_the_one_that_knows_less_is_told(ann: Caller, visits: Path) -> None:
    talk = Talk(ann, visits)
    first = await talk.say("number of visits by harbour")
    only = await talk.say("only 2024")
    stale, known = first.asked.message.message_id, only.asked.message.message_id
    wanted = pb.TakeBackRequest(
        conversation_id=talk.conversation, message_id=known, after_message_id=stale
    )
    assert await reason(ann.conversations.TakeBack(wanted)) == "CONVERSATION_CHANGED"
    assert await take_back(talk, only, after_message_id=known) == [known]
    asked = pb.AskRequest(
        request_id=new_id(),
        conversation_id=talk.conversation,
        content="and by skipper?",
        after_message_id=known,
    )
    assert await reason(said(ann, asked)) == "CONVERSATION_CHANGED"
    asked.after_message_id = stale
    assert "2024" not in (await said(ann, asked)).response.understood
    again = await said(ann, asked)  # a broken stream is taken up, whatever stands last by now
    assert again.response.job_id == asked.request_id


async def test_a_thread_goes_on_from_an_answer_that_was_asked_for_elsewhere(
    ann: Caller, visits: Path
) -> None:
    made = await ann.sessions.CreateSession(sessions_pb.CreateSessionRequest(request_id=new_id()))
    session = made.session.session_id
    file = await uploaded(ann, session, visits)
    wanted = question("number of visits by harbour")
    wanted.analysis.data_sources.add(file_id=file)
    wanted.session_id = session
    job = await ann.asked(wanted)
    ask = pb.AskRequest(request_id=new_id(), continues_job_id=job.job_id, content="only 2024")
    turn = await said(ann, ask)
    assert turn.asked.conversation.session_id == session
    assert turn.asked.conversation.title == "number of visits by harbour"
    assert turn.reading.kind == conversation_pb2.TURN_KIND_FOLLOW_UP
    assert turn.reading.follows_job_id == job.job_id and "4 visits" in turn.response.answer

    conversation = turn.asked.conversation.conversation_id
    listing = pb.ListMessagesRequest(conversation_id=conversation)
    first, answer, second, _ = (await ann.conversations.ListMessages(listing)).messages
    assert (answer.job_id, answer.link) == (job.job_id, pb.JOB_LINK_CONTINUED)
    assert "6 visits" in answer.response.answer and second.position == 3

    back = pb.TakeBackRequest(conversation_id=conversation, message_id=second.message_id)
    await ann.conversations.TakeBack(back)
    on = pb.AskRequest(request_id=new_id(), conversation_id=conversation, content="by skipper")
    assert (await said(ann, on)).reading.follows_job_id == job.job_id
    back.message_id = first.message_id
    await ann.conversations.TakeBack(back)
    on.request_id = new_id()
    assert not (await said(ann, on)).reading.follows_job_id


async def test_nothing_goes_on_from_a_job_without_an_answer_or_of_others(
    ann: Caller, bob: Caller, visits: Path
) -> None:
    failed = await ann.asked(question("only purple", visits))
    assert failed.state == job_pb2.JOB_STATE_FAILED
    answered = await ann.asked(question("number of visits by harbour", visits))
    for caller, job, expected in (
        (ann, failed.job_id, "NOTHING_TO_FOLLOW"),
        (ann, new_id(), "NOT_FOUND"),
        (bob, answered.job_id, "NOT_FOUND"),
    ):
        ask = pb.AskRequest(request_id=new_id(), continues_job_id=job, content="only 2024")
        assert await reason(said(caller, ask)) == expected
        listed = await caller.conversations.ListConversations(pb.ListConversationsRequest())
        assert not listed.conversations, "nothing is begun by what is refused"
    own = jobs_pb.GetJobRequest(job_id=answered.job_id)
    assert await reason(bob.jobs.GetJob(own)) == "NOT_FOUND"
