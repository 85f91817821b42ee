"""Conversations are kept alike on SQLite and on PostgreSQL, one message after the other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, inspect, select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.conversation_store import SqlConversationStore
from gateway.adapters.conversation_tables import RouterMessageRow, RouterPlannerLinkRow, RouterRow
from gateway.adapters.session_store import SqlSessionStore
from gateway.conversations.ports import Answered, Opening, StoredMessage
from gateway.domain.conversation import Link, Message, Role, Status
from gateway.service import MIGRATIONS
from mesh.errors import AssayError
from mesh.ids import new_id
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, a_session, database, sessions, url

__all__ = ["database", "sessions", "url"]


@pytest.fixture
def store(database: Database) -> SqlConversationStore:
    return SqlConversationStore(database)


def opening(
    content: str = "total by region",
    conversation: str = "",
    request: str = "",
    session: str = "",
    minutes: int = 0,
    terms: str = "",
) -> Opening:
    request = request or new_id()
    at = NOON + timedelta(minutes=minutes)
    message = Message(Role.USER, content, at, request_id=request)
    return Opening(conversation or new_id(), not conversation, request, session, message, terms)


def answer(
    said: StoredMessage, job: str = "", link: Link = Link.INITIATED, minutes: int = 0
) -> Answered:
    at = NOON + timedelta(minutes=minutes)
    return Answered(
        Message(
            Role.ASSISTANT,
            "" if job else "It cannot be told.",
            at,
            job_id=job,
            job_sequence=9,
            request_id=said.message.request_id,
            link=link if job else None,
        )
    )


async def turn(
    store: SqlConversationStore,
    words: str,
    conversation: str = "",
    job: str = "",
    link: Link = Link.INITIATED,
    minutes: int = 0,
) -> StoredMessage:
    said = await store.store_message("ann", opening(words, conversation, minutes=minutes))
    await store.answer("ann", said.conversation.session_id, answer(said, job, link, minutes))
    return said


async def test_a_first_message_opens_a_conversation(store: SqlConversationStore) -> None:
    said = await store.store_message("ann", opening(terms='{"assume": true}'))
    found = await store.get("ann", said.conversation.session_id)
    assert (found.title, found.message_count, found.last_role) == (
        "total by region",
        1,
        Role.USER,
    )
    assert (
        found.metadata == {"terms": '{"assume": true}', "user_id": "ann"}
        and found.status is Status.ACTIVE
    )
    assert said.terms == '{"assume": true}' and said.message.position == 1


async def test_saying_it_again_changes_nothing_and_other_words_are_refused(
    store: SqlConversationStore,
) -> None:
    first = opening()
    said = await store.store_message("ann", first)
    again = await store.store_message("ann", first)
    assert again.repeated and again.message == said.message
    with pytest.raises(AssayError, match="ID_REUSED"):
        await store.store_message(
            "ann", opening("other words", first.conversation_id, first.request_id)
        )


async def test_the_next_message_waits_for_the_answer(store: SqlConversationStore) -> None:
    said = await store.store_message("ann", opening())
    conversation = said.conversation.session_id
    early = await store.store_message("ann", opening("only 1997", conversation))
    assert early.pending and early.message == said.message
    await store.answer("ann", conversation, answer(said, new_id()))
    assert not (await store.store_message("ann", opening("only 1997", conversation))).pending
    page, _ = await store.messages("ann", conversation, 10, "")
    assert [m.role for m in page] == [Role.USER, Role.ASSISTANT, Role.USER]


async def test_an_answer_is_stored_once(store: SqlConversationStore) -> None:
    said = await store.store_message("ann", opening())
    conversation, job = said.conversation.session_id, new_id()
    for _ in range(2):
        await store.answer("ann", conversation, answer(said, job))
    await store.answer("ann", new_id(), answer(said, job))  # of a conversation that is gone
    page, _ = await store.messages("ann", conversation, 10, "")
    assert [(m.content, m.job_id, m.link) for m in page] == [
        ("total by region", "", None),
        ("", job, Link.INITIATED),
    ]


async def test_of_many_at_once_one_is_said(store: SqlConversationStore) -> None:
    conversation = (await turn(store, "total by region")).conversation.session_id
    every = await asyncio.gather(
        *(
            store.store_message("ann", opening(f"only {year}", conversation))
            for year in range(1990, 1998)
        )
    )
    assert sum(not one.pending for one in every) == 1
    assert (await store.get("ann", conversation)).message_count == 3


async def test_a_job_that_is_gone_on_with_keeps_its_one_link(
    store: SqlConversationStore, database: Database
) -> None:
    job, other = new_id(), new_id()
    conversation = (await turn(store, "total fee", job=job)).conversation.session_id
    await turn(store, "the second one", conversation, job, Link.CONTINUED, 1)
    await turn(store, "only 1997", conversation, other, Link.FORKED, 2)

    def links(transaction: Transaction) -> dict[str, str]:
        rows = transaction.scalars(select(RouterPlannerLinkRow)).all()
        return {row.planner_id: row.relationship_type for row in rows}

    assert await database.reading(links) == {job: "initiated", other: "forked"}
    page, _ = await store.messages("ann", conversation, 10, "")
    answers = [message.link for message in page if message.role is Role.ASSISTANT]
    assert answers == [Link.INITIATED, Link.CONTINUED, Link.FORKED]


async def test_a_conversation_says_what_became_of_it_and_what_it_is_from(
    store: SqlConversationStore,
) -> None:
    said = await store.store_message("ann", opening())
    conversation = said.conversation.session_id
    assert (await store.get("ann", conversation)).status is Status.ACTIVE
    for number, (status, domains) in enumerate(
        [(Status.COMPLETED, ("trade",)), (Status.FAILED, ("music", "trade")), (Status.ACTIVE, ())]
    ):
        told = replace(answer(said, new_id()), status=status, domains=domains)
        await store.answer("ann", conversation, told)
        assert (await store.get("ann", conversation)).status is status
        said = await store.store_message("ann", opening(f"only {number}", conversation))
        assert (await store.get("ann", conversation)).status is Status.ACTIVE
    found = await store.get("ann", conversation)
    assert found.metadata["user_id"] == "ann"
    assert found.metadata["domains_accessed"] == ["trade", "music"]


async def test_questions_about_a_sessions_jobs_are_stored_with_their_answers(
    store: SqlConversationStore,
) -> None:
    session = new_id()

    async def asked(number: int) -> str:
        question = Message(Role.USER, f"what did you assume? {number}", NOON)
        told = Message(Role.ASSISTANT, "Nothing.", NOON, metadata={"about": "j"})
        return await store.exchange("ann", session, "ann", question, Answered(told))

    (conversation,) = {await asked(number) for number in range(2)}
    page, _ = await store.messages("ann", conversation, 10, "")
    assert [message.role for message in page] == [Role.USER, Role.ASSISTANT] * 2
    found = await store.get("ann", conversation)
    assert (found.in_session, found.status) == (session, Status.COMPLETED)
    await store.store_message("ann", opening("and by region?", conversation))
    waits = await asked(3)  # nobody waits for another's question
    assert waits != conversation
    await store.archive("ann", waits, NOON)
    assert await asked(4) not in (conversation, waits)


async def test_pages_are_the_newest_first_and_each_in_order(store: SqlConversationStore) -> None:
    conversation = ""
    for number in range(5):
        said = await turn(store, f"question {number}", conversation, minutes=number)
        conversation = said.conversation.session_id
    seen: list[int] = []
    token, pages = "", 0
    while token or not pages:
        page, token = await store.messages("ann", conversation, 4, token)
        seen = [*(message.position for message in page), *seen]
        pages += 1
    assert (seen, pages) == ([*range(1, 11)], 3)
    with pytest.raises(AssayError, match="INVALID_ARGUMENT"):
        await store.messages("ann", new_id(), 4, "bm8")


async def test_conversations_are_listed_by_their_last_word(store: SqlConversationStore) -> None:
    first = (await turn(store, "one")).conversation.session_id
    second = (await turn(store, "two", minutes=1)).conversation.session_id
    await turn(store, "three", first, minutes=2)
    page, token = await store.page("ann", "", 1, "")
    assert [one.session_id for one in page] == [first]
    rest, _ = await store.page("ann", "", 1, token)
    assert [one.session_id for one in rest] == [second]


async def test_one_tenants_conversation_is_not_there_for_another(
    store: SqlConversationStore,
) -> None:
    conversation = (await turn(store, "total by region")).conversation.session_id
    for refused in (
        store.get("bob", conversation),
        store.store_message("bob", opening("only 1997", conversation)),
        store.messages("bob", conversation, 10, ""),
        store.archive("bob", conversation, NOON),
        store.delete("bob", conversation),
    ):
        with pytest.raises(AssayError, match="NOT_FOUND"):
            await refused
    assert (await store.page("bob", "", 10, ""))[0] == []


async def test_what_is_archived_is_read_and_nothing_said_in_it(
    store: SqlConversationStore,
) -> None:
    conversation = (await turn(store, "total by region")).conversation.session_id
    for _ in range(2):
        assert (await store.archive("ann", conversation, NOON)).status is Status.ARCHIVED
    with pytest.raises(AssayError, match="CONVERSATION_ARCHIVED"):
        await store.store_message("ann", opening("only 1997", conversation))
    assert len((await store.messages("ann", conversation, 10, ""))[0]) == 2


async def test_messages_and_links_go_with_a_conversation_and_that_with_its_session(
    store: SqlConversationStore, sessions: SqlSessionStore, database: Database
) -> None:
    session = await sessions.create(a_session())
    said = await store.store_message("ann", opening(session=session.session_id))
    await store.answer("ann", said.conversation.session_id, answer(said, new_id()))
    gone = (await turn(store, "another", job=new_id())).conversation.session_id
    await store.delete("ann", gone)
    await sessions.delete("ann", session.session_id)

    def left(transaction: Transaction) -> int:
        tables = (RouterRow, RouterMessageRow, RouterPlannerLinkRow)
        return sum(len(transaction.scalars(select(table)).all()) for table in tables)

    assert await database.reading(left) == 0


async def test_the_tables_have_every_column_of_the_specification_and_can_be_taken_down(
    database: Database, url: str
) -> None:
    await turn(SqlConversationStore(database), "total by region", job=new_id())
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            found = inspect(connection)
            columns = {
                name: {column["name"] for column in found.get_columns(name)}
                for name in ("routers", "router_messages", "router_planner_links")
            }
            assert columns["routers"] >= set(
                "id title preview created_at updated_at router_id status model temperature "
                "agent_metadata schema_version".split()
            )
            assert columns["router_messages"] >= set(
                "message_id agent_id role content image timestamp metadata".split()
            )
            assert columns["router_planner_links"] >= set(
                "link_id router_id planner_id relationship_type created_at".split()
            )
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS))
            config.attributes["connection"] = connection
            command.downgrade(config, "0005")
            assert not inspect(connection).has_table("routers")
            command.upgrade(config, "head")
            assert inspect(connection).has_table("router_planner_links")
    finally:
        engine.dispose()


async def test_both_ids_of_a_router_are_one(
    store: SqlConversationStore, database: Database
) -> None:
    conversation = (await turn(store, "total by region")).conversation.session_id
    ids = await database.reading(
        lambda transaction: transaction.scalars(select(RouterRow.id)).all()
    )
    assert ids == [conversation]
