"""What the gateway does with conversations: store what is said, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

from gateway.app_strangers import Strangers
from gateway.conversation_ports import Answered, ConversationStore, Opening, Said
from gateway.domain.conversation import Conversation, Link, Message, Role, checked_content
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import CONVERSATION_BUSY, AssayError

# Longer than a turn lasts: what was said so long ago and has no job was not answered.
_TURN = timedelta(seconds=90)


class Ends(Protocol):
    """Who knows what jobs came to."""

    async def end(self, job_id: str) -> tuple[bool, int] | None:
        """Whether a job rests, having ended or asked back, and its last event; None where there is
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

    async def say(
        self,
        conversation_id: str,
        request_id: str,
        content: str,
        *,
        new: bool,
        session_id: str = "",
        terms: str = "",
    ) -> Said:
        """Store a user's message; saying it again under the same request id changes nothing.

        A message before it that its own caller did not wait for is settled first. Raises
        AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG, NOT_FOUND, ID_REUSED, CONVERSATION_BUSY
        while that is still being answered, CONVERSATION_ARCHIVED.
        """
        message = Message(
            Role.USER, checked_content(content), self._clock.now(), request_id=request_id
        )
        opening = Opening(conversation_id, new, request_id, session_id, message, terms)
        tenant = calls.current().tenant
        with self._strangers.noticing("conversation", conversation_id):
            said = await self._store.say(tenant, opening)
            if said.pending:
                await self._settle(conversation_id, said.message)
                said = await self._store.say(tenant, opening)
        if said.pending:
            raise _busy(conversation_id)
        return said

    async def _settle(self, conversation_id: str, message: Message) -> None:
        """Store what became of a message that nobody waited for. Raises CONVERSATION_BUSY."""
        end = await self._ends.end(message.request_id)
        if end is not None:
            rests, sequence = end
            if not rests:
                raise _busy(conversation_id)
            await self.answered(
                conversation_id, message.request_id, "", message.request_id, sequence, None
            )
            return
        if self._clock.now() - message.timestamp < _TURN:
            raise _busy(conversation_id)
        await self.answered(conversation_id, message.request_id, "This was not answered.")

    async def answered(
        self,
        conversation_id: str,
        request_id: str,
        content: str,
        job_id: str = "",
        job_sequence: int = 0,
        link: Link | None = None,
        reason: str = "",
        about: str = "",
        artifacts: Sequence[str] = (),
    ) -> None:
        """Store the answer to a message, once: of one that a job holds, which it is; of a question
        `about` a job, its words, with the `artifacts` that they refer to."""
        message = Message(
            Role.ASSISTANT,
            "" if job_id else content,
            self._clock.now(),
            metadata={
                name: value for name, value in (("reason", reason), ("about", about)) if value
            },
            artifacts_referenced=tuple(artifacts),
            request_id=request_id,
            job_id=job_id,
            job_sequence=job_sequence,
            link=link or (Link.INITIATED if job_id else None),
        )
        await self._store.answer(calls.current().tenant, conversation_id, Answered(message))

    async def exchanged(
        self, session_id: str, question: str, answer: str, about: str, artifacts: Sequence[str]
    ) -> str:
        """Store a question about job `about` of a session with its answer and the files that this
        refers to; the id of the conversation that they are in."""
        now = self._clock.now()
        asked = Message(Role.USER, checked_content(question, "question"), now)
        told = Message(
            Role.ASSISTANT,
            answer,
            now,
            metadata={"about": about},
            artifacts_referenced=tuple(artifacts),
        )
        return await self._store.exchange(calls.current().tenant, session_id, asked, told)

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


def _busy(conversation_id: str) -> AssayError:
    return AssayError(
        CONVERSATION_BUSY,
        f"conversation {conversation_id[:8]} is still answering the message before",
        retry_seconds=1.0,
    )
