"""What was taken back in a conversation stays, and stands no more: on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.adapters.conversation_store import SqlConversationStore
from gateway.conversations.ports import Opening, Taken, Taking
from gateway.domain.conversation import Continued, Link, Role
from mesh.errors import AssayError
from mesh.ids import new_id
from tests.contract.gateway_stores import NOON, database, url
from tests.contract.test_conversation_store import answer, opening, store, turn

__all__ = ["database", "store", "url"]


async def said(store: SqlConversationStore, *words: str) -> tuple[str, list[int]]:
    """A conversation of these questions, each answered by a job, and the ids of its messages."""
    conversation = ""
    for one in words:
        conversation = (await turn(store, one, conversation, new_id())).conversation.session_id
    page, _ = await store.messages("ann", conversation, 100, "")
    return conversation, [message.message_id for message in page if message.role is Role.USER]


def at(message_id: int, minutes: int = 5, after: int | None = None) -> Taking:
    return Taking(message_id, NOON + timedelta(minutes=minutes), after)


async def standing(store: SqlConversationStore, conversation: str) -> list[str]:
    """The users' messages that stand."""
    page, _ = await store.messages("ann", conversation, 100, "")
    asked = [message for message in page if message.role is Role.USER]
    assert [m.position for m in asked if m.taken_back_at] == list(
        await store.taken_back(conversation)
    )
    return [message.content for message in asked if message.taken_back_at is None]


async def test_what_comes_after_goes_with_it_and_what_is_said_next_stands(
    store: SqlConversationStore,
) -> None:
    conversation, ids = await said(store, "one", "two", "three")
    taken = await store.take_back("ann", conversation, at(ids[1]))
    assert taken.message_ids == (ids[1], ids[2])
    assert await standing(store, conversation) == ["one"]
    await turn(store, "four", conversation, new_id())
    assert await standing(store, conversation) == ["one", "four"]
    assert (await store.get("ann", conversation)).message_count == 8
    again = await store.take_back("ann", conversation, at(ids[1], 9))
    assert again.message_ids == ()


async def test_it_is_brought_back_with_what_went_with_it_before(
    store: SqlConversationStore,
) -> None:
    conversation, ids = await said(store, "one", "two", "three")
    await store.take_back("ann", conversation, at(ids[2], 5))
    await store.take_back("ann", conversation, at(ids[0], 6))
    brought = await store.bring_back("ann", conversation, at(ids[1]))
    assert brought.message_ids == (ids[0], ids[1])
    assert await standing(store, conversation) == ["one", "two"], "another taking of its own"
    assert (await store.bring_back("ann", conversation, at(ids[2]))).message_ids == (ids[2],)
    assert (await store.bring_back("ann", conversation, at(ids[2]))).message_ids == ()
    assert await standing(store, conversation) == ["one", "two", "three"]


async def test_a_reply_goes_and_comes_with_what_it_replies_to(store: SqlConversationStore) -> None:
    job = new_id()
    conversation, ids = await said(store, "before")
    await turn(store, "total fee", conversation, job)
    await turn(store, "the second one", conversation, job, Link.CONTINUED)
    page, _ = await store.messages("ann", conversation, 10, "")
    asked, reply = (message.message_id for message in (page[2], page[4]))
    assert (await store.take_back("ann", conversation, at(reply))).message_ids == (asked, reply)
    assert (await store.bring_back("ann", conversation, at(asked))).message_ids == (asked, reply)
    assert ids[0] < asked


async def test_what_a_question_was_about_goes_back_with_it(store: SqlConversationStore) -> None:
    first = await store.store_message("ann", opening("one", terms='{"assume": true}'))
    conversation = first.conversation.session_id
    await store.answer("ann", conversation, answer(first, new_id()))
    second = await store.store_message("ann", opening("two", conversation, terms="{}"))
    await store.answer("ann", conversation, answer(second, new_id()))
    assert (await store.get("ann", conversation)).metadata["terms"] == "{}"
    await store.take_back("ann", conversation, at(second.message.message_id))
    assert (await store.get("ann", conversation)).metadata["terms"] == '{"assume": true}'
    await store.bring_back("ann", conversation, at(second.message.message_id))
    assert (await store.get("ann", conversation)).metadata["terms"] == "{}"


async def test_whoever_knows_less_than_was_said_changes_nothing(
    store: SqlConversationStore,
) -> None:
    conversation, ids = await said(store, "one", "two")
    for stale in (ids[0], 0):
        for refused in (
            store.take_back("ann", conversation, at(ids[1], after=stale)),
            store.store_message("ann", _after("three", conversation, stale)),
        ):
            with pytest.raises(AssayError, match="CONVERSATION_CHANGED"):
                await refused
    await store.take_back("ann", conversation, at(ids[1], after=ids[1]))
    with pytest.raises(AssayError, match="CONVERSATION_CHANGED"):
        await store.bring_back("ann", conversation, at(ids[1], after=ids[1]))
    with pytest.raises(AssayError, match="CONVERSATION_CHANGED"):
        await store.store_message("ann", _after("by region", conversation, ids[1]))
    await store.take_back("ann", conversation, at(ids[0], after=ids[0]))
    assert not (await store.store_message("ann", _after("three", conversation, 0))).pending


def _after(words: str, conversation: str, after: int) -> Opening:
    return replace(opening(words, conversation), after=after)


async def test_nothing_is_taken_back_while_an_answer_is_waited_for(
    store: SqlConversationStore,
) -> None:
    conversation, ids = await said(store, "one")
    waiting = await store.store_message("ann", opening("two", conversation))
    for move in (store.take_back, store.bring_back):
        found: Taken = await move("ann", conversation, at(ids[0]))
        assert found.pending == waiting.message and not found.message_ids
    assert await standing(store, conversation) == ["one", "two"]


async def test_of_another_or_in_an_archived_conversation_it_is_refused(
    store: SqlConversationStore,
) -> None:
    conversation, ids = await said(store, "one")
    other, others = await said(store, "two")
    page, _ = await store.messages("ann", conversation, 10, "")
    answered = page[1].message_id
    for tenant, where, which in (
        ("bob", conversation, ids[0]),
        ("ann", conversation, others[0]),
        ("ann", conversation, answered),
        ("ann", new_id(), ids[0]),
    ):
        for move in (store.take_back, store.bring_back):
            with pytest.raises(AssayError, match="NOT_FOUND"):
                await move(tenant, where, at(which))
    await store.archive("ann", other, NOON)
    with pytest.raises(AssayError, match="CONVERSATION_ARCHIVED"):
        await store.take_back("ann", other, at(others[0]))


async def test_a_conversation_that_goes_on_from_an_answer_begins_with_it(
    store: SqlConversationStore,
) -> None:
    job = new_id()
    first = replace(opening("by region?"), continued=Continued("total fee", job))
    for _ in range(2):
        found = await store.store_message("ann", first)
        assert found.message.position == 3
        assert found.conversation.metadata["continues_job_id"] == job
    page, _ = await store.messages("ann", found.conversation.session_id, 10, "")
    assert [(m.content, m.job_id, m.link) for m in page] == [
        ("total fee", "", None),
        ("", job, Link.CONTINUED),
        ("by region?", "", None),
    ]
    kept = await store.get("ann", found.conversation.session_id)
    assert (kept.title, kept.metadata["continues_job_id"]) == ("total fee", job)
