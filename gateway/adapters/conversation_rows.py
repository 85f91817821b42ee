"""Rows of conversations to and from the domain's values."""

from __future__ import annotations

from gateway.adapters.conversation_tables import RouterMessageRow, RouterRow
from gateway.domain.conversation import Conversation, Link, Message, Role, Status


def as_conversation(row: RouterRow, last: RouterMessageRow | None) -> Conversation:
    """The conversation in a row; `last` is its last visible message, where that matters."""
    return Conversation(
        session_id=row.router_id,
        created_at=row.created_at,
        last_updated=row.updated_at,
        metadata=row.agent_metadata or {},
        tenant=row.tenant,
        in_session=row.session_id,
        title=row.title or "",
        preview=row.preview or "",
        status=Status(row.status),
        model=row.model or "",
        temperature=row.temperature,
        message_count=row.message_count,
        last_role=Role(last.role) if last is not None else None,
    )


def as_message(row: RouterMessageRow, link: Link | None = None) -> Message:
    """The message in a row."""
    return Message(
        role=Role(row.role),
        content=row.content or "",
        timestamp=row.timestamp,
        metadata=row.message_metadata or {},
        image=row.image or "",
        artifacts_referenced=tuple(row.artifacts_referenced or ()),
        message_id=row.message_id,
        position=row.position,
        request_id=row.request_id,
        job_id=row.job_id,
        job_sequence=row.job_sequence,
        link=link,
        taken_back_at=row.taken_back_at,
    )


def message_row(message: Message, conversation_id: str, terms: str = "") -> RouterMessageRow:
    """The row of a message that is not stored yet; `terms` are those that it is said under."""
    return RouterMessageRow(
        agent_id=conversation_id,
        role=message.role.value,
        content=message.content or None,
        image=message.image or None,
        timestamp=message.timestamp,
        message_metadata=dict(message.metadata) or None,
        artifacts_referenced=list(message.artifacts_referenced) or None,
        position=message.position,
        request_id=message.request_id,
        job_id=message.job_id,
        job_sequence=message.job_sequence,
        terms=terms or None,
    )
