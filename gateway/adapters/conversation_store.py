"""Conversations in SQL; implements `gateway.conversations.ports.ConversationStore`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count

from sqlalchemy import Select, delete, literal, select, tuple_
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.conversation_links import link, links_of
from gateway.adapters.conversation_rows import as_conversation, as_message, message_row
from gateway.adapters.conversation_standing import (
    Move,
    bring_back,
    check_last,
    positions_taken_back,
    take_back,
    terms_in,
    use_terms,
)
from gateway.adapters.conversation_tables import RouterMessageRow, RouterRow
from gateway.conversations.ports import Answered, Opening, StoredMessage, Taken, Taking
from gateway.domain.conversation import Conversation, Link, Message, Role, Status, archived
from gateway.domain.session import absent
from mesh.errors import ID_REUSED, AssayError
from mesh.ids import derived_id
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.storage.columns import UtcTime
from mesh.storage.database import Database


class SqlConversationStore:
    """Conversations of all tenants; no method shows one tenant another's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def store_message(self, tenant: str, opening: Opening) -> StoredMessage:
        """Store a user's message, with its conversation where that is new; or find the one that
        the request made. One that waits for its answer keeps others from being stored."""

        def work(transaction: Transaction) -> StoredMessage:
            router = transaction.get(RouterRow, opening.conversation_id, with_for_update=True)
            if router is not None and router.tenant != tenant:
                raise absent("conversation", opening.conversation_id)
            known = transaction.scalar(_asked(tenant, opening.request_id))
            if known is not None:
                return self._repeated(transaction, opening, known)
            if router is None and not opening.new:
                raise absent("conversation", opening.conversation_id)
            now, message = opening.message.timestamp, opening.message
            if router is None:
                router, conversation = _opened(
                    transaction,
                    tenant,
                    opening.conversation_id,
                    opening.session_id,
                    now,
                    opening.user,
                    opening.model,
                )
            else:
                last = _last(transaction, router.router_id)
                conversation = as_conversation(router, last)
                if last is not None and last.role == Role.USER.value:
                    return StoredMessage(
                        conversation, as_message(last), pending=True, terms=terms_in(router)
                    )
                if conversation.status is not Status.ARCHIVED:
                    check_last(transaction, router.router_id, opening.after)
            if conversation.message_count == 0 and opening.continued is not None:
                conversation = _continued(transaction, router, conversation, opening)
            known_conversation = conversation.with_message(message)
            _update(router, known_conversation)
            if opening.terms:
                use_terms(router, opening.terms)
            transaction.flush()
            row = message_row(known_conversation.messages[-1], router.router_id, terms_in(router))
            transaction.add(row)
            transaction.flush()
            return StoredMessage(known_conversation, as_message(row), terms=terms_in(router))

        return await committed(self._database, "message-said", work)

    def _repeated(
        self, transaction: Transaction, opening: Opening, known: RouterMessageRow
    ) -> StoredMessage:
        router = transaction.get_one(RouterRow, known.agent_id)
        if known.content != opening.message.content or known.agent_id != opening.conversation_id:
            raise AssayError(
                ID_REUSED,
                f"request id {opening.request_id} was used before, for another message",
                fields={"request_id": "stands for another message already"},
            )
        last = _last(transaction, router.router_id)
        return StoredMessage(
            as_conversation(router, last), as_message(known), repeated=True, terms=terms_in(router)
        )

    async def take_back(self, tenant: str, conversation_id: str, taking: Taking) -> Taken:
        """Have a message stand no more, with all after it."""
        return await self._moved(tenant, conversation_id, taking, take_back)

    async def bring_back(self, tenant: str, conversation_id: str, taking: Taking) -> Taken:
        """Have a message stand again, with those taken back together with it before it."""
        return await self._moved(tenant, conversation_id, taking, bring_back)

    async def _moved(self, tenant: str, conversation_id: str, taking: Taking, move: Move) -> Taken:
        def work(transaction: Transaction) -> Taken:
            router = _router(transaction, tenant, conversation_id, lock=True)
            last = _last(transaction, conversation_id)
            conversation = as_conversation(router, last)
            if conversation.status is Status.ARCHIVED:
                raise archived(conversation_id)
            if last is not None and last.role == Role.USER.value:
                return Taken(conversation, pending=as_message(last))
            return Taken(conversation, move(transaction, router, taking))

        return await committed(self._database, "message-taken-back", work)

    async def taken_back(self, conversation_id: str) -> tuple[int, ...]:
        """The positions of users' messages that do not stand, in order."""

        def work(transaction: Transaction) -> tuple[int, ...]:
            return positions_taken_back(transaction, conversation_id)

        return await self._database.reading(work)

    async def answer(self, tenant: str, conversation_id: str, answered: Answered) -> None:
        """Store the answer to a message, once; and how the conversation came by its job."""

        def work(transaction: Transaction) -> None:
            router = transaction.get(RouterRow, conversation_id, with_for_update=True)
            if router is None or router.tenant != tenant:
                return  # it was deleted meanwhile: its job stands by itself
            last = _last(transaction, conversation_id)
            if last is None or last.role != Role.USER.value:
                return
            if last.request_id != answered.message.request_id:
                return
            conversation = as_conversation(router, last).with_message(answered.message)
            status = conversation.status
            if status is not Status.ARCHIVED:
                status = answered.status
            _update(router, replace(conversation, status=status))
            _accessed(router, answered.domains)
            transaction.add(message_row(conversation.messages[-1], conversation_id))
            if answered.message.job_id and answered.message.link is not None:
                link(transaction, conversation_id, answered.message)

        await committed(self._database, "message-answered", work)

    async def exchange(
        self, tenant: str, session_id: str, user: str, question: Message, answered: Answered
    ) -> str:
        """Store a question about jobs of a session with its answer; the conversation's id."""

        def work(transaction: Transaction) -> str:
            router, conversation = self._open(
                transaction, tenant, session_id, user, question.timestamp
            )
            transaction.flush()
            for message in (question, answered.message):
                conversation = conversation.with_message(message)
                transaction.add(message_row(conversation.messages[-1], router.router_id))
                transaction.flush()
            _update(router, replace(conversation, status=answered.status))
            return router.router_id

        return await committed(self._database, "exchange-stored", work)

    def _open(
        self, transaction: Transaction, tenant: str, session_id: str, user: str, now: datetime
    ) -> tuple[RouterRow, Conversation]:
        """The conversation about a session's jobs in which something can be said now: one that was
        archived, or waits for an answer, is left to itself and followed by another."""
        for number in count(1):
            conversation_id = derived_id(session_id, "about its jobs", str(number))
            router = transaction.get(RouterRow, conversation_id, with_for_update=True)
            if router is None:
                return _opened(transaction, tenant, conversation_id, session_id, now, user)
            last = _last(transaction, conversation_id)
            asked = last is not None and last.role == Role.USER.value
            archived = router.status == Status.ARCHIVED.value
            if router.tenant == tenant and not archived and not asked:
                return router, as_conversation(router, last)
        raise AssertionError("numbers do not end")

    async def get(self, tenant: str, conversation_id: str) -> Conversation:
        """A conversation without its messages. Raises AssayError(NOT_FOUND)."""

        def work(transaction: Transaction) -> Conversation:
            router = _router(transaction, tenant, conversation_id)
            return as_conversation(router, _last(transaction, conversation_id))

        return await self._database.reading(work)

    async def page(
        self, tenant: str, session_id: str, size: int, token: str
    ) -> tuple[list[Conversation], str]:
        """Those last spoken in first, and the token of the next page."""
        listing = f"conversations:{session_id}"
        after = keys_of(listing, token, (str, str))
        place = (RouterRow.updated_at, RouterRow.router_id)
        wanted = select(RouterRow).where(RouterRow.tenant == tenant)
        if session_id:
            wanted = wanted.where(RouterRow.session_id == session_id)
        if after is not None:
            ended = (literal(moment_of(after[0]), UtcTime), literal(after[1]))
            wanted = wanted.where(tuple_(*place) < tuple_(*ended))
        wanted = wanted.order_by(*(column.desc() for column in place)).limit(size + 1)

        def work(transaction: Transaction) -> list[Conversation]:
            return [as_conversation(row, None) for row in transaction.scalars(wanted)]

        found = await self._database.reading(work)
        page, more = found[:size], ""
        if len(found) > size:
            last = page[-1]
            more = token_of(listing, (moment_key(last.last_updated), last.session_id))
        return page, more

    async def messages(
        self, tenant: str, conversation_id: str, size: int, token: str
    ) -> tuple[list[Message], str]:
        """The newest visible messages before those of the token, in order, and the token of those
        before them. Raises AssayError(NOT_FOUND)."""
        listing = f"messages:{conversation_id}"
        before = keys_of(listing, token, (int,))
        seen = [role.value for role in Role if role.visible]
        wanted = (
            select(RouterMessageRow)
            .where(RouterMessageRow.agent_id == conversation_id, RouterMessageRow.role.in_(seen))
            .order_by(RouterMessageRow.position.desc())
            .limit(size + 1)
        )
        if before is not None:
            wanted = wanted.where(RouterMessageRow.position < int(before[0]))

        def work(transaction: Transaction) -> list[Message]:
            _router(transaction, tenant, conversation_id)
            rows = transaction.scalars(wanted).all()
            how = links_of(transaction, conversation_id, rows)
            return [as_message(row, how.get(row.position)) for row in rows]

        found = await self._database.reading(work)
        page, more = found[:size], ""
        if len(found) > size:
            more = token_of(listing, (page[-1].position,))
        return page[::-1], more

    async def archive(self, tenant: str, conversation_id: str, now: datetime) -> Conversation:
        """End a conversation. Raises AssayError(NOT_FOUND)."""

        def work(transaction: Transaction) -> Conversation:
            router = _router(transaction, tenant, conversation_id, lock=True)
            if router.status != Status.ARCHIVED.value:
                router.status, router.updated_at = Status.ARCHIVED.value, now
            return as_conversation(router, _last(transaction, conversation_id))

        return await committed(self._database, "conversation-archived", work)

    async def delete(self, tenant: str, conversation_id: str) -> None:
        """Delete a conversation with its messages and links. Raises AssayError(NOT_FOUND)."""

        def work(transaction: Transaction) -> None:
            _router(transaction, tenant, conversation_id, lock=True)
            transaction.execute(delete(RouterRow).where(RouterRow.router_id == conversation_id))

        await committed(self._database, "conversation-deleted", work)


def _opened(
    transaction: Transaction,
    tenant: str,
    conversation_id: str,
    session_id: str,
    now: datetime,
    user: str,
    model: str = "",
) -> tuple[RouterRow, Conversation]:
    """A new conversation of a user's, without messages."""
    router = RouterRow(
        router_id=conversation_id,
        tenant=tenant,
        status=Status.ACTIVE.value,
        session_id=session_id,
        model=model or None,
        created_at=now,
        updated_at=now,
        agent_metadata={"user_id": user or tenant},
        message_count=0,
    )
    transaction.add(router)
    return router, Conversation(
        session_id=conversation_id,
        created_at=now,
        last_updated=now,
        tenant=tenant,
        in_session=session_id,
        model=model,
    )


def _router(
    transaction: Transaction, tenant: str, conversation_id: str, *, lock: bool = False
) -> RouterRow:
    row = transaction.get(RouterRow, conversation_id, with_for_update=lock or None)
    if row is None or row.tenant != tenant:
        raise absent("conversation", conversation_id)
    return row


def _asked(tenant: str, request_id: str) -> Select[RouterMessageRow]:
    """The user's message that a request made."""
    return (
        select(RouterMessageRow)
        .join(RouterRow, RouterRow.router_id == RouterMessageRow.agent_id)
        .where(
            RouterRow.tenant == tenant,
            RouterMessageRow.request_id == request_id,
            RouterMessageRow.role == Role.USER.value,
        )
    )


def _last(transaction: Transaction, conversation_id: str) -> RouterMessageRow | None:
    """The last message that people see."""
    seen = [role.value for role in Role if role.visible]
    return transaction.scalar(
        select(RouterMessageRow)
        .where(RouterMessageRow.agent_id == conversation_id, RouterMessageRow.role.in_(seen))
        .order_by(RouterMessageRow.position.desc())
        .limit(1)
    )


def _continued(
    transaction: Transaction, router: RouterRow, conversation: Conversation, opening: Opening
) -> Conversation:
    """The new conversation with the question and the answer that it goes on from."""
    asked, at = opening.continued, opening.message.timestamp
    assert asked is not None
    request_id = derived_id(opening.request_id, "continued")
    question = Message(Role.USER, asked.question, at, request_id=request_id)
    answer = Message(
        Role.ASSISTANT, "", at, request_id=request_id, job_id=asked.job_id, link=Link.CONTINUED
    )
    for message in (question, answer):
        conversation = conversation.with_message(message)
    transaction.flush()
    for message in conversation.messages:
        transaction.add(message_row(message, router.router_id, opening.terms))
    link(transaction, router.router_id, answer)
    router.agent_metadata = {**(router.agent_metadata or {}), "continues_job_id": asked.job_id}
    return replace(conversation, metadata=router.agent_metadata)


def _update(router: RouterRow, conversation: Conversation) -> None:
    router.title, router.preview = conversation.title, conversation.preview
    router.message_count = conversation.message_count
    router.updated_at = conversation.last_updated
    router.status = conversation.status.value


def _accessed(router: RouterRow, domains: Sequence[str]) -> None:
    """Note the domains that an answer is from, each once, in the order they came."""
    if domains:
        before = (router.agent_metadata or {}).get("domains_accessed", [])
        every = list(dict.fromkeys([*before, *domains]))
        router.agent_metadata = {**(router.agent_metadata or {}), "domains_accessed": every}
