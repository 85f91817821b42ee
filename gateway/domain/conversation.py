"""Messages and conversations (seeds 003 and 004): what may be said when, and where they stand.

Nothing here changes: saying something gives a new conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from gateway.domain.response import ToolCall
from mesh.errors import (
    CONVERSATION_ARCHIVED,
    INVALID_ARGUMENT,
    QUESTION_EMPTY,
    QUESTION_TOO_LONG,
    AssayError,
)
from mesh.ids import is_id

IDLE_AFTER = timedelta(hours=1)
MAX_CONTENT_CHARACTERS = 5_000
_TITLE_CHARACTERS, _PREVIEW_CHARACTERS = 60, 200


class Role(StrEnum):
    """Who says a message; the first two are of people and seen by them (seed 003)."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    DEVELOPER = "developer"

    @property
    def visible(self) -> bool:
        """Whether people see it: rules of alternation hold for these alone."""
        return self in (Role.USER, Role.ASSISTANT)


class Link(StrEnum):
    """How a conversation came by a job (seed 004). It continues one of its own that waited, or one
    that it began with."""

    INITIATED = "initiated"
    CONTINUED = "continued"
    FORKED = "forked"


class Status(StrEnum):
    """What became of a conversation (seed 004): of what was said last, or that it was archived.

    Active while a message waits for its answer, a question was asked back, or work is under way;
    completed once it was answered, failed once it is known not to be. The next message makes it
    active again.
    """

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    ARCHIVED = "archived"


class State(StrEnum):
    """Where a conversation is by its last message (seed 003)."""

    CREATED = "created"
    ACTIVE = "active"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Message:
    """One message. Raises AssayError for what can be none.

    How an answer of a job came about is told by the job: `job_id` and `job_sequence` say which
    answer it is. Its content is what was told then; empty where nobody waited for it. One that was
    taken back stays where it is, and is no part of what was said before another.
    """

    role: Role
    content: str
    timestamp: datetime
    tool_calls: tuple[ToolCall, ...] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    image: str = ""
    artifacts_referenced: tuple[str, ...] = ()
    message_id: int = 0
    position: int = 0
    request_id: str = ""
    job_id: str = ""
    job_sequence: int = 0
    link: Link | None = None
    taken_back_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.timestamp.tzinfo is None:
            raise _wrong("timestamp", "says no time zone")
        if self.tool_calls is not None and self.role is not Role.ASSISTANT:
            raise _wrong("tool_calls", "only an assistant's message has them")
        if not self.content.strip() and not (self.job_id and self.role is Role.ASSISTANT):
            raise AssayError(
                QUESTION_EMPTY,
                "the message has no words in it",
                fields={"content": "must not be empty"},
            )

    @property
    def is_of_job(self) -> bool:
        """Whether it is an answer of a job, which knows how it came about."""
        return self.role is Role.ASSISTANT and bool(self.job_id)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a turn came to: its words, the job and the last event of it that tells them, what became
    of the conversation by it, why there is no answer, and which domains the answer is from.

    `about` is the job that a question was about, which made none; `artifacts` are the files that
    its answer refers to, `image` the place of its chart. `link` is how the conversation came by the
    job.
    """

    content: str
    status: Status
    job_id: str = ""
    job_sequence: int = 0
    reason: str = ""
    about: str = ""
    artifacts: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    link: Link | None = None
    image: str = ""


@dataclass(frozen=True, slots=True)
class Continued:
    """An answer that a new conversation goes on from: what was asked, and the job that answered."""

    question: str
    job_id: str


def may_follow(before: Role | None, role: Role) -> bool:
    """Whether a message of that role may come after the visible one before, None at the beginning.

    People begin, and then they and Assay speak in turns; what nobody sees may come at any time.
    """
    if not role.visible:
        return True
    return role is (Role.ASSISTANT if before is Role.USER else Role.USER)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with as many of its messages as were asked for.

    `session_id` is its own id as seed 003 has it; `in_session` is the session (seed 002) that it
    belongs to. `message_count` and `last_role`, that of the last visible message, are of all of
    them. Raises AssayError(INVALID_ARGUMENT) for what can be none.
    """

    session_id: str
    created_at: datetime
    last_updated: datetime
    messages: tuple[Message, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    tenant: str = ""
    in_session: str = ""
    title: str = ""
    preview: str = ""
    status: Status = Status.ACTIVE
    model: str = ""
    temperature: float | None = None
    message_count: int = 0
    last_role: Role | None = None

    def __post_init__(self) -> None:
        if not is_id(self.session_id):
            raise _wrong("session_id", "is no id")
        if self.created_at > self.last_updated:
            raise _wrong("last_updated", "lies before created_at")

    def with_message(self, message: Message) -> Conversation:
        """The conversation with one message more.

        Raises AssayError: CONVERSATION_ARCHIVED, and INVALID_ARGUMENT for one out of turn.
        """
        if self.status is Status.ARCHIVED:
            raise archived(self.session_id)
        if not may_follow(self.last_role, message.role):
            text = f"a message of the {message.role} cannot come "
            text += f"after one of the {self.last_role}" if self.last_role else "first"
            raise _wrong("role", text)
        first = self.message_count == 0
        placed = replace(message, position=self.message_count + 1)
        return replace(
            self,
            messages=(*self.messages, placed),
            last_updated=max(self.last_updated, message.timestamp),
            message_count=self.message_count + 1,
            last_role=message.role if message.role.visible else self.last_role,
            status=Status.ACTIVE if message.role is Role.USER else self.status,
            title=title_of(message.content) if first else self.title,
            preview=_shortened(message.content, _PREVIEW_CHARACTERS) if first else self.preview,
        )

    def state(self, now: datetime) -> State:
        """Where it stands: new with its first message, active, or idle after an hour; idle ones go
        on with the next message."""
        if now - self.last_updated > IDLE_AFTER:
            return State.IDLE
        return State.CREATED if self.message_count <= 1 else State.ACTIVE


def archived(conversation_id: str) -> AssayError:
    """That nothing more can be said in a conversation."""
    return AssayError(CONVERSATION_ARCHIVED, f"conversation {conversation_id[:8]} was archived")


def checked_content(content: str, field: str = "content") -> str:
    """What may be said. Raises AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG."""
    what = "message" if field == "content" else field
    if not content.strip():
        raise AssayError(
            QUESTION_EMPTY,
            f"the {what} has no words in it",
            fields={field: "must not be empty"},
        )
    if "\x00" in content:
        raise _wrong(field, "holds a zero character")
    if len(content) > MAX_CONTENT_CHARACTERS:
        raise AssayError(
            QUESTION_TOO_LONG,
            f"the {what} has {len(content):,} characters, at most {MAX_CONTENT_CHARACTERS:,} are "
            "read",
            fields={field: f"at most {MAX_CONTENT_CHARACTERS} characters"},
        )
    return content


def title_of(content: str) -> str:
    """The title that a first message gives its conversation."""
    return _shortened(content, _TITLE_CHARACTERS)


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,.;:") + "…"


def _wrong(name: str, what: str) -> AssayError:
    return AssayError(INVALID_ARGUMENT, f"{name.replace('_', ' ')}: {what}", fields={name: what})
