"""`/undo` and `/redo` in a conversation: a message is taken back, and brought back."""

from __future__ import annotations

from assay.gateway.v1.conversation_service_pb2 import Message, MessageRole
from clients.python.client import AssayClient

_LOOKED_AT = 100


async def undo(client: AssayClient, conversation_id: str) -> list[str]:
    """Take back what was said last; the messages that do not stand any more because of it, in
    their order. None where nothing stands."""
    said = await _said(client, conversation_id)
    standing = [one for one in said if not one.HasField("taken_back_at")]
    if not standing:
        return []
    last = standing[-1].message_id
    moved = await client.conversations.take_back(conversation_id, last, after_message_id=last)
    return [one.content for one in said if one.message_id in moved]


async def redo(client: AssayClient, conversation_id: str) -> list[str]:
    """Bring back what was taken back last; the messages that stand again, in their order. None
    where nothing was."""
    said = await _said(client, conversation_id)
    taken = [one for one in said if one.HasField("taken_back_at")]
    if not taken:
        return []
    standing = [one.message_id for one in said if not one.HasField("taken_back_at")]
    last = max(taken, key=lambda one: (one.taken_back_at.ToNanoseconds(), one.position))
    moved = await client.conversations.bring_back(
        conversation_id, last.message_id, after_message_id=standing[-1] if standing else 0
    )
    return [one.content for one in said if one.message_id in moved]


async def _said(client: AssayClient, conversation_id: str) -> list[Message]:
    """The last messages of a person."""
    page = await client.conversations.messages(conversation_id, page_size=_LOOKED_AT)
    return [one for one in page.messages if one.role == MessageRole.MESSAGE_ROLE_USER]
