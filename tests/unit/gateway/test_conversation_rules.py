"""What may be said when: messages, alternation, states of a conversation, and responses."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.common.v1 import conversation_pb2
from gateway.conversations.messages import message_to
from gateway.domain.conversation import (
    IDLE_AFTER,
    Conversation,
    Message,
    Role,
    State,
    Status,
    checked_content,
    may_follow,
    title_of,
)
from gateway.domain.response import AgentResponse, CallStatus, ResponseError, ToolCall
from mesh.errors import AssayError
from mesh.ids import new_id

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def a_conversation(**fields: Any) -> Conversation:
    return Conversation(session_id=new_id(), created_at=NOON, last_updated=NOON, **fields)


def said(role: Role, content: str = "words", minutes: int = 0) -> Message:
    return Message(role, content, NOON + timedelta(minutes=minutes))


@given(st.lists(st.sampled_from(list(Role)), max_size=12))
def test_whatever_is_tried_people_begin_and_then_speak_in_turns(roles: list[Role]) -> None:
    conversation = a_conversation()
    for role in roles:
        try:
            conversation = conversation.with_message(said(role))
        except AssayError as error:
            assert error.reason.code == "INVALID_ARGUMENT"
            assert not may_follow(conversation.last_role, role)
    seen = [message.role for message in conversation.messages if message.role.visible]
    assert seen == [Role.USER, Role.ASSISTANT] * (len(seen) // 2) + [Role.USER] * (len(seen) % 2)
    assert [message.position for message in conversation.messages] == [
        *range(1, conversation.message_count + 1)
    ]
    assert conversation.created_at <= conversation.last_updated


@given(st.lists(st.integers(0, 500), min_size=1, max_size=6), st.integers(0, 1_000))
def test_a_conversation_is_idle_an_hour_after_its_last_message_and_goes_on(
    minutes: list[int], later: int
) -> None:
    conversation, role = a_conversation(), Role.USER
    for minute in sorted(minutes):
        conversation = conversation.with_message(said(role, minutes=minute))
        role = Role.ASSISTANT if role is Role.USER else Role.USER
    now = conversation.last_updated + timedelta(minutes=later)
    idle = timedelta(minutes=later) > IDLE_AFTER
    expected = State.IDLE if idle else State.CREATED if len(minutes) == 1 else State.ACTIVE
    assert conversation.state(now) is expected
    resumed = conversation.with_message(Message(role, "on we go", now))
    assert resumed.state(now) is State.ACTIVE


def test_a_first_message_gives_title_and_preview_which_stay() -> None:
    long = "total revenue by month and region in 1997 for all customers that ever came back"
    conversation = a_conversation().with_message(said(Role.USER, long))
    assert conversation.title == title_of(long) and len(conversation.title) <= 60
    assert conversation.title.endswith("…") and conversation.preview == long
    assert conversation.with_message(said(Role.ASSISTANT)).title == conversation.title


def test_messages_and_conversations_do_not_change() -> None:
    message = said(Role.USER)
    with pytest.raises(AttributeError):
        message.content = "other"  # type: ignore[misc]
    conversation = a_conversation()
    conversation.with_message(message)
    assert conversation.messages == ()


@pytest.mark.parametrize(
    "make",
    [
        lambda: said(Role.USER, "  "),
        lambda: Message(Role.USER, "x", NOON.replace(tzinfo=None)),
        lambda: Message(Role.USER, "x", NOON, tool_calls=()),
        lambda: Message(Role.USER, "", NOON, job_id=new_id()),
        lambda: Conversation(session_id="x", created_at=NOON, last_updated=NOON),
        lambda: Conversation(
            session_id=new_id(), created_at=NOON, last_updated=NOON - timedelta(seconds=1)
        ),
        lambda: checked_content("x" * 5_001),
        lambda: checked_content("a\x00b"),
        lambda: a_conversation(status=Status.ARCHIVED).with_message(said(Role.USER)),
    ],
)
def test_what_can_be_no_message_or_conversation_is_refused(make: Any) -> None:
    with pytest.raises(AssayError):
        make()


def a_call(status: CallStatus = CallStatus.COMPLETED, **fields: Any) -> ToolCall:
    usual: dict[str, Any] = {
        "tool_id": new_id(),
        "tool_name": "sql.run",
        "domain": "sales.csv",
        "input_params": {},
        "status": status,
        "started_at": NOON,
        "result": {"rows": 1},
        "completed_at": NOON + timedelta(milliseconds=70),
        "execution_time_ms": 70,
    }
    return ToolCall(**{**usual, **fields})


def test_calls_go_from_pending_to_an_end_and_stay_there() -> None:
    for status in CallStatus:
        for other in CallStatus:
            allowed = (status, other) == (CallStatus.PENDING, CallStatus.IN_PROGRESS) or (
                status is CallStatus.IN_PROGRESS and other.ended
            )
            if allowed:
                assert status.to(other) is other
            else:
                with pytest.raises(ResponseError):
                    status.to(other)


@pytest.mark.parametrize(
    "fields",
    [
        {"error": "both"},
        {"result": None},
        {"status": CallStatus.FAILED},
        {"status": CallStatus.IN_PROGRESS},
        {"completed_at": None},
        {"execution_time_ms": 900},
        {"tool_name": ""},
        {"domain": ""},
    ],
)
def test_a_call_that_contradicts_itself_is_none(fields: dict[str, Any]) -> None:
    a_call()
    a_call(CallStatus.TIMEOUT, result=None, error="after 50 s")
    with pytest.raises(ResponseError):
        a_call(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"answer": " "},
        {"sources": ()},
        {"sources": ("other.csv",)},
        {"suggestions": ("a", "b", "c", "d")},
        {"confidence": "certain"},
        {"total_execution_time_ms": 60_000},
    ],
)
def test_a_response_keeps_the_rules_of_the_specification(fields: dict[str, Any]) -> None:
    usual: dict[str, Any] = {
        "answer": "There are 3.",
        "sources": ("sales.csv",),
        "tool_calls_made": (a_call(),),
        "suggestions": ("by region",),
        "confidence": "high",
        "total_execution_time_ms": 59_999,
        "from_data": True,
    }
    AgentResponse(**usual)
    with pytest.raises(ResponseError):
        AgentResponse(**{**usual, **fields})


def test_the_metadata_of_an_answer_say_which_domains_were_asked_and_how_long_it_took() -> None:
    answer = conversation_pb2.AgentResponse(answer="There are 3.")
    answer.total_execution_time.FromMilliseconds(1_250)
    for domain in ("trade", "trade, stock"):
        answer.tool_calls_made.add(domain=domain)
    kept = Message(Role.ASSISTANT, "", NOON, job_id=new_id(), metadata={"remark": "x"})

    told = json.loads(message_to(kept, answer).metadata_json)

    assert told == {
        "remark": "x",
        "domains_accessed": ["trade", "stock"],
        "execution_time_ms": 1_250,
    }
    assert json.loads(message_to(Message(Role.USER, "how many?", NOON)).metadata_json) == {}
