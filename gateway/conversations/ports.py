"""Where conversations are kept, and who takes part in them, as protocols."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gateway.domain.conversation import Continued, Conversation, Message, Status


@dataclass(frozen=True, slots=True)
class Opening:
    """A user's message for a conversation, a `new` one or one that is there.

    `terms` are sources, limits and policy as JSON; empty leaves those that the conversation has.
    `user` is who says it. A new conversation may go on from a `continued` answer. `after` is the
    user's message that stands last, as far as the caller knows: 0 for none, None where it does not
    matter.
    """

    conversation_id: str
    new: bool
    request_id: str
    session_id: str
    message: Message
    terms: str = ""
    model: str = ""
    user: str = ""
    continued: Continued | None = None
    after: int | None = None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A conversation with a message in it: the one that was said; one that the same request had
    said before (`repeated`); or another that is not answered yet (`pending`), then nothing was
    stored."""

    conversation: Conversation
    message: Message
    repeated: bool = False
    pending: bool = False
    terms: str = ""


@dataclass(frozen=True, slots=True)
class Taking:
    """That a user's message is taken back, or brought back, at a time; `after` as in Opening."""

    message_id: int
    at: datetime
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A conversation, and the user's messages of which it changed whether they stand; or a message
    that is not answered yet (`pending`), then nothing was changed."""

    conversation: Conversation
    message_ids: tuple[int, ...] = ()
    pending: Message | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to the message that a request made, what became of the conversation by it, and the
    `domains` that it is from."""

    message: Message
    status: Status = Status.COMPLETED
    domains: tuple[str, ...] = ()


class ConversationStore(Protocol):
    """Conversations in tables; every method is one transaction, every query names the tenant."""

    async def store_message(self, tenant: str, opening: Opening) -> StoredMessage:
        """Store a user's message, once for its request.

        Raises AssayError: NOT_FOUND, CONVERSATION_ARCHIVED, CONVERSATION_CHANGED, ID_REUSED.
        """
        ...

    async def take_back(self, tenant: str, conversation_id: str, taking: Taking) -> Taken:
        """Have a message stand no more, with all after it, and with the question that it is a reply
        to, if it is one.

        Raises AssayError: NOT_FOUND, CONVERSATION_ARCHIVED, CONVERSATION_CHANGED.
        """
        ...

    async def bring_back(self, tenant: str, conversation_id: str, taking: Taking) -> Taken:
        """Have a message stand again, with those before it that were taken back together with it,
        and with the reply to what was asked back. Raises as `take_back`."""
        ...

    async def taken_back(self, conversation_id: str) -> tuple[int, ...]:
        """The positions of users' messages that do not stand, in order."""
        ...

    async def answer(self, tenant: str, conversation_id: str, answered: Answered) -> None:
        """Store the answer to the message of its request, once; without effect on a conversation
        that is gone."""
        ...

    async def exchange(
        self, tenant: str, session_id: str, user: str, question: Message, answered: Answered
    ) -> str:
        """Store a user's question about the jobs of a session with its answer, both or neither, in
        the conversation that the session keeps for them; the id of that."""
        ...

    async def get(self, tenant: str, conversation_id: str) -> Conversation:
        """Without messages. Raises AssayError(NOT_FOUND)."""
        ...

    async def page(
        self, tenant: str, session_id: str, size: int, token: str
    ) -> tuple[list[Conversation], str]:
        """Those last spoken in first, and the token of the next page; of a session alone, where
        one is named. Raises AssayError(INVALID_ARGUMENT)."""
        ...

    async def messages(
        self, tenant: str, conversation_id: str, size: int, token: str
    ) -> tuple[list[Message], str]:
        """The last messages that people see, in order, and the token of those before them.

        Raises AssayError: NOT_FOUND, INVALID_ARGUMENT.
        """
        ...

    async def archive(self, tenant: str, conversation_id: str, now: datetime) -> Conversation:
        """End a conversation. Raises AssayError(NOT_FOUND)."""
        ...

    async def delete(self, tenant: str, conversation_id: str) -> None:
        """Delete a conversation with its messages and links. Raises AssayError(NOT_FOUND)."""
        ...
