"""What the gateway does with conversations: store what is said, and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol

from gateway.admission.strangers import Strangers
from gateway.conversations.ports import (
    Answered,
    ConversationStore,
    Opening,
    StoredMessage,
    Taken,
    Taking,
)
from gateway.domain.conversation import (
    Continued,
    Conversation,
    Link,
    Message,
    Outcome,
    Role,
    Status,
    checked_content,
)
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import CONVERSATION_BUSY, AssayError

Move = Callable[[str, str, Taking], Awaitable[Taken]]
# Longer than a turn lasts: what was said so long ago and has no job was not answered.
_TURN = timedelta(seconds=90)


class Ends(Protocol):
    """Who knows what jobs came to."""

    async def end(self, job_id: str) -> tuple[bool, Outcome] | None:
        """Whether a job rests, having ended or asked back, and what it came to; None where there is
        no such job of the caller's."""
        ...


class Conversations:
    """The use cases of ConversationService, for the caller of the running call."""

    def __init__(
        self, store: ConversationStore, strangers: Strangers, ends: Ends, clock: Clock
    ) -> None:
        self._store = store
        self._strangers = strangers
        self._ends = ends
        self._clock = clock

    async def store_message(
        self,
        conversation_id: str,
        request_id: str,
        content: str,
        *,
        new: bool,
        session_id: str = "",
        terms: str = "",
        continued: Continued | None = None,
        after: int | None = None,
    ) -> StoredMessage:
        """Store a user's message; saying it again under the same request id changes nothing.

        A message before it that its own caller did not wait for is settled first. Raises
        AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG, NOT_FOUND, ID_REUSED, CONVERSATION_BUSY
        while that is still being answered, CONVERSATION_ARCHIVED, CONVERSATION_CHANGED where
        another than `after` is what was said last.
        """
        message = Message(
            Role.USER, checked_content(content), self._clock.now(), request_id=request_id
        )
        tenant = calls.current().tenant
        opening = Opening(
            *(conversation_id, new, request_id, session_id, message, terms),
            user=_user(),
            continued=continued,
            after=after,
        )
        with self._strangers.noticing("conversation", conversation_id):
            stored_message = await self._store.store_message(tenant, opening)
            if stored_message.pending:
                await self._settle(conversation_id, stored_message.message)
                stored_message = await self._store.store_message(tenant, opening)
        if stored_message.pending:
            raise _busy(conversation_id)
        return stored_message

    async def take_back(self, conversation_id: str, message_id: int, after: int | None) -> Taken:
        """Have a user's message stand no more, with all after it. Raises AssayError: NOT_FOUND,
        CONVERSATION_ARCHIVED, CONVERSATION_BUSY, CONVERSATION_CHANGED."""
        return await self._taken(self._store.take_back, conversation_id, message_id, after)

    async def bring_back(self, conversation_id: str, message_id: int, after: int | None) -> Taken:
        """Have it stand again, with what was taken back together with it before it. Raises as
        `take_back`."""
        return await self._taken(self._store.bring_back, conversation_id, message_id, after)

    async def _taken(
        self, move: Move, conversation_id: str, message_id: int, after: int | None
    ) -> Taken:
        tenant = calls.current().tenant
        taking = Taking(message_id, self._clock.now(), after)
        with self._strangers.noticing("conversation", conversation_id):
            taken = await move(tenant, conversation_id, taking)
            if taken.pending is not None:
                await self._settle(conversation_id, taken.pending)
                taken = await move(tenant, conversation_id, taking)
        if taken.pending is not None:
            raise _busy(conversation_id)
        return taken

    async def taken_back(self, conversation_id: str) -> tuple[int, ...]:
        """The positions of the user's messages in it that do not stand."""
        return await self._store.taken_back(conversation_id)

    async def _settle(self, conversation_id: str, message: Message) -> None:
        """Store what became of a message that nobody waited for. Raises CONVERSATION_BUSY."""
        end = await self._ends.end(message.request_id)
        if end is not None:
            rests, outcome = end
            if not rests:
                raise _busy(conversation_id)
            await self.answered(conversation_id, message.request_id, outcome)
            return
        if self._clock.now() - message.timestamp < _TURN:
            raise _busy(conversation_id)
        lost = Outcome("This was not answered.", Status.FAILED)
        await self.answered(conversation_id, message.request_id, lost)

    async def answered(self, conversation_id: str, request_id: str, outcome: Outcome) -> None:
        """Store what a message came to, once."""
        answer = Answered(self._message(outcome, request_id), outcome.status, outcome.domains)
        await self._store.answer(calls.current().tenant, conversation_id, answer)

    async def exchanged(self, session_id: str, question: str, outcome: Outcome) -> str:
        """Store a question about a job of a session with what it came to; the id of the
        conversation that they are in."""
        asked = Message(Role.USER, checked_content(question, "question"), self._clock.now())
        answer = Answered(self._message(outcome), outcome.status)
        return await self._store.exchange(
            calls.current().tenant, session_id, _user(), asked, answer
        )

    def _message(self, outcome: Outcome, request_id: str = "") -> Message:
        texts = (("reason", outcome.reason), ("about", outcome.about))
        return Message(
            Role.ASSISTANT,
            outcome.content,
            self._clock.now(),
            metadata={name: value for name, value in texts if value},
            image=outcome.image,
            artifacts_referenced=outcome.artifacts,
            request_id=request_id,
            job_id=outcome.job_id,
            job_sequence=outcome.job_sequence,
            link=outcome.link or (Link.INITIATED if outcome.job_id else None),
        )

    async def get(self, conversation_id: str) -> Conversation:
        """A conversation without its messages. Raises AssayError(NOT_FOUND)."""
        with self._strangers.noticing("conversation", conversation_id):
            return await self._store.get(calls.current().tenant, conversation_id)

    async def page(self, session_id: str, size: int, token: str) -> tuple[list[Conversation], str]:
        """The caller's conversations, those last spoken in first."""
        return await self._store.page(calls.current().tenant, session_id, size, token)

    async def messages(
        self, conversation_id: str, size: int, token: str
    ) -> tuple[list[Message], str]:
        """The last messages, in order. Raises AssayError(NOT_FOUND)."""
        with self._strangers.noticing("conversation", conversation_id):
            tenant = calls.current().tenant
            return await self._store.messages(tenant, conversation_id, size, token)

    async def archive(self, conversation_id: str) -> Conversation:
        """End a conversation. Raises AssayError(NOT_FOUND)."""
        with self._strangers.noticing("conversation", conversation_id):
            tenant = calls.current().tenant
            return await self._store.archive(tenant, conversation_id, self._clock.now())

    async def delete(self, conversation_id: str) -> None:
        """Delete a conversation; its jobs stay. Raises AssayError(NOT_FOUND)."""
        with self._strangers.noticing("conversation", conversation_id):
            await self._store.delete(calls.current().tenant, conversation_id)


def _user() -> str:
    here = calls.current()
    return here.user or here.tenant


def _busy(conversation_id: str) -> AssayError:
    return AssayError(
        CONVERSATION_BUSY,
        f"conversation {conversation_id[:8]} is still answering the message before",
        retry_seconds=1.0,
    )
