"""Conversations over gRPC: turns follow one another, and nothing is kept twice or lost."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from assay.common.v1 import analysis_pb2, conversation_pb2, job_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from mesh.ids import new_id
from mesh.testing.mesh import running_mesh
from mesh.transport.status import from_rpc_error
from services.__main__ import factories
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller, question

VISITS = """visit,harbour,skipper,net_fee,gross_fee,came_on
1,Kiel,Ida,10.5,12.6,2023-01-05
2,Oslo,Bo,20,24,2023-02-05
3,Kiel,Ida,7,9,2024-03-01
4,Rome,Eve,5,6,2024-03-09
5,Oslo,Bo,40,48,2024-04-09
6,Kiel,Bo,10,12,2024-05-01
"""


@dataclass
class Turn:
    """What was told of a message."""

    asked: pb.Asked
    reading: conversation_pb2.TurnReading
    events: list[job_pb2.JobEvent]
    response: conversation_pb2.AgentResponse


class Talk:
    """A conversation of a caller's about a file."""

    def __init__(self, caller: Caller, file: Path) -> None:
        self.caller = caller
        self.file = file
        self.conversation = ""

    async def say(self, words: str, request_id: str = "") -> Turn:
        request = pb.AskRequest(
            request_id=request_id or new_id(), conversation_id=self.conversation, content=words
        )
        if not self.conversation:
            request.terms.data_sources.add(file_path=str(self.file))
            request.terms.policy.blocked_patterns.extend(["email"])
        turn = await said(self.caller, request)
        self.conversation = turn.asked.conversation.conversation_id
        return turn


async def said(caller: Caller, request: pb.AskRequest) -> Turn:
    turn = Turn(pb.Asked(), conversation_pb2.TurnReading(), [], conversation_pb2.AgentResponse())
    async for told in caller.conversations.Ask(request):
        kind = told.WhichOneof("told")
        if kind == "asked":
            turn.asked = told.asked
        elif kind == "reading":
            turn.reading = told.reading
        elif kind == "event":
            turn.events.append(told.event)
        else:
            turn.response = told.response
    return turn


async def reason(call: object) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        await call  # type: ignore[misc]
    return from_rpc_error(caught.value).reason.code


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    file = tmp_path / "visits.csv"
    file.write_text(VISITS)
    return file


async def test_each_turn_changes_what_the_one_before_asked(tmp_path: Path, visits: Path) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits)
        first = await talk.say("number of visits by harbour")
        assert first.reading.kind == conversation_pb2.TURN_KIND_FRESH
        assert "6 visits" in first.response.answer and first.response.sources == ["visits.csv"]
        assert first.response.tool_calls_made and len(first.response.suggestions) <= 3

        only = await talk.say("only 2024")
        assert only.reading.kind == conversation_pb2.TURN_KIND_FOLLOW_UP
        assert only.reading.follows_job_id == first.reading.job_id
        assert only.response.edit == "as before, but 2024" and "4 visits" in only.response.answer

        split = await talk.say("and by skipper?")
        assert "by skipper instead of by harbour" in split.response.edit
        assert "2024" in split.response.understood  # what was said before still holds

        lost = await talk.say("only purple")
        assert lost.response.failure.reason == "NOTHING_UNDERSTOOD"
        assert "purple" in lost.response.answer

        after = await talk.say("make it a pie chart")
        assert after.reading.follows_job_id == split.reading.job_id  # not what failed
        job = await ann.job(after.reading.job_id)
        assert (job.conversation_id, job.turn) == (talk.conversation, 9)
        assert job.parent_job_id == split.reading.job_id

        listed = await ann.conversations.ListMessages(
            pb.ListMessagesRequest(conversation_id=talk.conversation, page_size=4)
        )
        assert [m.position for m in listed.messages] == [7, 8, 9, 10] and listed.next_page_token
        told = listed.messages[-1]
        assert told.content == after.response.answer and told.link == pb.JOB_LINK_FORKED
        assert told.response.suggestions == after.response.suggestions
        assert told.response.edit == after.response.edit
        assert told.image in [
            artifact.content_ref
            for artifact in job.answer.artifacts
            if artifact.artifact_type == analysis_pb2.ARTIFACT_TYPE_CHART
        ]


async def test_what_follows_a_refusal_says_what_it_goes_on_from(
    tmp_path: Path, visits: Path
) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits)
        await talk.say("number of visits by harbour")
        lost = await talk.say("only purple")
        assert lost.response.failure.reason == "NOTHING_UNDERSTOOD"

        for words in ("only 2024", "top 2"):  # and so does what follows that
            after = await talk.say(words)
            assert after.response.confidence == analysis_pb2.CONFIDENCE_MEDIUM
            assert any("“only purple”" in one for one in after.response.confidence_reasons)

        anew = await talk.say("number of visits by skipper")
        assert not any("purple" in one for one in anew.response.confidence_reasons)


async def test_words_without_a_form_change_what_was_asked_where_they_ask_nothing_of_their_own(
    tmp_path: Path, visits: Path
) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits)
        await talk.say("number of visits by harbour")
        turn = await talk.say("look back at the 2024 ones again")
        assert turn.reading.kind == conversation_pb2.TURN_KIND_FOLLOW_UP, turn.reading
        assert "4 visits" in turn.response.answer
        assert any("taken as a change" in why for why in turn.response.confidence_reasons)
        own = await talk.say("how many visits were there by skipper?")
        assert own.reading.kind == conversation_pb2.TURN_KIND_FRESH and not own.response.edit


async def test_what_is_suggested_can_be_said(tmp_path: Path, visits: Path) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        offered = (await Talk(ann, visits).say("number of visits by harbour")).response.suggestions
        assert offered
        for words in offered:
            talk = Talk(ann, visits)
            await talk.say("number of visits by harbour")
            response = (await talk.say(words)).response
            assert response.state == job_pb2.JOB_STATE_COMPLETED, (words, response.answer)


async def test_a_choice_goes_on_with_the_job_that_asked(tmp_path: Path, visits: Path) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits)
        asked = await talk.say("total fee by harbour")
        assert asked.response.state == job_pb2.JOB_STATE_WAITING
        offered = asked.response.clarification.options
        assert len(offered) == 2
        second = "111.6" if "gross" in offered[1].text else "92.5"  # neither is the likelier

        none = await talk.say("the third one")
        assert none.response.failure.reason == "NOTHING_TO_FOLLOW" and not none.response.job_id

        chosen = await talk.say("the second one")
        assert chosen.reading.kind == conversation_pb2.TURN_KIND_CHOICE
        assert chosen.response.job_id == asked.response.job_id
        assert second in chosen.response.answer

        listed = await ann.conversations.ListMessages(
            pb.ListMessagesRequest(conversation_id=talk.conversation)
        )
        # The question back stays what was answered then, though its job has an answer by now.
        contents = [message.content for message in listed.messages]
        assert contents[1] == asked.response.answer and contents[5] == chosen.response.answer
        assert listed.messages[5].link == pb.JOB_LINK_CONTINUED
        assert [m.role for m in listed.messages] == [
            pb.MESSAGE_ROLE_USER,
            pb.MESSAGE_ROLE_ASSISTANT,
        ] * 3


async def test_repeating_a_turn_tells_the_same_and_makes_nothing_twice(
    tmp_path: Path, visits: Path
) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        talk, request_id = Talk(ann, visits), new_id()
        await talk.say("number of visits by harbour")
        once = await talk.say("only 2024", request_id)
        again = await talk.say("only 2024", request_id)
        assert again.reading == once.reading and again.asked.message == once.asked.message
        again.response.ClearField("total_execution_time")
        once.response.ClearField("total_execution_time")
        assert again.response == once.response
        found = await ann.conversations.GetConversation(
            pb.GetConversationRequest(conversation_id=talk.conversation)
        )
        assert found.conversation.message_count == 4
        other = said(
            ann,
            pb.AskRequest(
                request_id=request_id, conversation_id=talk.conversation, content="only 2023"
            ),
        )
        assert await reason(other) == "ID_REUSED"


async def test_what_nobody_waited_for_is_found_by_who_goes_on(tmp_path: Path, visits: Path) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits)
        await talk.say("number of visits by harbour")
        request = pb.AskRequest(
            request_id=new_id(), conversation_id=talk.conversation, content="only 2024"
        )
        call = ann.conversations.Ask(request)
        async for told in call:
            if told.WhichOneof("told") == "reading":
                break
        call.cancel()
        await ann.watched(request.request_id)
        turn = await talk.say("and by skipper?")
        assert turn.reading.follows_job_id == request.request_id
        listed = await ann.conversations.ListMessages(
            pb.ListMessagesRequest(conversation_id=talk.conversation)
        )
        assert [m.position for m in listed.messages] == [1, 2, 3, 4, 5, 6]
        assert "4 visits" in listed.messages[3].content


async def test_the_files_of_a_session_are_what_is_talked_about(
    tmp_path: Path, visits: Path
) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        create = sessions_pb.CreateSessionRequest(request_id=new_id())
        session = (await ann.sessions.CreateSession(create)).session.session_id
        await uploaded(ann, session, visits)
        request = pb.AskRequest(
            request_id=new_id(), session_id=session, content="number of visits by harbour"
        )
        turn = await said(ann, request)
        assert "6 visits" in turn.response.answer
        await ann.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session))
        gone = pb.GetConversationRequest(conversation_id=turn.asked.conversation.conversation_id)
        assert await reason(ann.conversations.GetConversation(gone)) == "NOT_FOUND"


async def test_what_may_not_be_said_is_not_kept(tmp_path: Path, visits: Path) -> None:
    home = tmp_path / "home"
    async with running_mesh(home, factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits)
        await talk.say("number of visits by harbour")
        refused = await talk.say("only ida@example.com")
        assert refused.response.failure.reason == "QUESTION_BLOCKED"
        turn = await talk.say("only 2024")
        assert "4 visits" in turn.response.answer
    kept = b"".join(file.read_bytes() for file in home.rglob("*.sqlite*"))
    assert b"ida@example.com" not in kept


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"content": " "}, "QUESTION_EMPTY"),
        ({"content": "x" * 5_001}, "QUESTION_TOO_LONG"),
        ({"content": "x", "terms": analysis_pb2.AnalysisRequest(intent="y")}, "INVALID_ARGUMENT"),
        ({"content": "x", "conversation_id": new_id()}, "NOT_FOUND"),
        ({"content": "x", "conversation_id": "x"}, "INVALID_ARGUMENT"),
    ],
)
async def test_what_cannot_be_said_is_refused(
    tmp_path: Path, fields: dict[str, object], code: str
) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        request = pb.AskRequest(request_id=new_id(), **fields)  # type: ignore[arg-type]
        assert await reason(said(ann, request)) == code


async def test_one_walks_from_a_message_to_its_workers_messages_and_back(
    tmp_path: Path, visits: Path
) -> None:
    home = tmp_path / "home"
    async with running_mesh(home, factories) as settings, Caller(settings) as ann:
        talk = Talk(ann, visits)
        await talk.say("number of visits by harbour")
        answer = (await talk.say("only 2024")).response.answer
    gateway = sqlite3.connect(home / "gateway" / "gateway.sqlite")
    planner = sqlite3.connect(home / "planner" / "planner.sqlite")
    message, job = gateway.execute(
        "SELECT message_id, job_id FROM router_messages WHERE role = 'assistant' "
        "ORDER BY position DESC LIMIT 1"
    ).fetchone()
    (planner_id,) = gateway.execute(
        "SELECT planner_id FROM router_planner_links WHERE planner_id = ?", (job,)
    ).fetchone()
    worker, content = planner.execute(
        "SELECT w.worker_id, m.content FROM workers w JOIN worker_messages m "
        "ON m.agent_id = w.worker_id WHERE w.planner_id = ? AND m.role = 'developer' "
        "ORDER BY m.message_id LIMIT 1",
        (planner_id,),
    ).fetchone()
    assert "sql.run" in content
    # And back.
    (back,) = planner.execute(
        "SELECT planner_id FROM workers WHERE worker_id = ?", (worker,)
    ).fetchone()
    conversation, turn = planner.execute(
        "SELECT conversation_id, turn FROM planners WHERE planner_id = ?", (back,)
    ).fetchone()
    found = gateway.execute(
        "SELECT message_id, content FROM router_messages WHERE agent_id = ? AND position = ?",
        (conversation, turn + 1),
    ).fetchone()
    assert found == (message, answer)
    (said_text,) = planner.execute(
        "SELECT content FROM planner_messages WHERE agent_id = ? AND role = 'assistant'", (back,)
    ).fetchone()
    assert "4 visits" in said_text


async def test_a_plain_job_may_follow_another(tmp_path: Path, visits: Path) -> None:
    async with running_mesh(tmp_path / "home", factories) as settings, Caller(settings) as ann:
        first = await ann.asked(question("number of visits by harbour", visits))
        follows = question("only 2024", visits)
        follows.analysis.follows_job_id = first.job_id
        job = await ann.asked(follows)
        assert "4 visits" in job.answer.text
        again = question("only 2024", visits)
        again.analysis.CopyFrom(job.analysis)  # as it was asked, it can be sent again
        assert (await ann.asked(again)).answer.text == job.answer.text
        statement = question("", visits)
        statement.analysis.statement = "SELECT 1 AS one"
        plain = await ann.asked(statement)
        follows = question("only 2024", visits)
        follows.analysis.follows_job_id = plain.job_id
        assert (await ann.asked(follows)).failure.reason == "NOTHING_TO_FOLLOW"
