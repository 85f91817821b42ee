"""`assay chat --list`: the conversations that there are."""

from __future__ import annotations

from typing import Any

from assay.gateway.v1.conversation_service_pb2 import Conversation
from clients.python.cli.connection import Place, connected
from clients.python.cli.screen import Screen
from clients.python.cli.words import count, short_id
from mesh.errors import ExitCode


async def list_conversations(screen: Screen, place: Place) -> int:
    """Show the caller's conversations, those last spoken in first."""
    async with connected(place, screen) as client:
        found = await client.conversations.newest(100)
        if screen.as_json:
            screen.object({"conversations": [_conversation_object(one) for one in found]})
            return ExitCode.ANSWERED
        for one in found:
            when = one.updated_at.ToDatetime().strftime("%Y-%m-%d %H:%M")
            text = count(one.message_count, "message", "messages")
            screen.line(short_id(one.conversation_id), f"{when}  {one.title}  ({text})")
        return ExitCode.ANSWERED


def _conversation_object(one: Conversation) -> dict[str, Any]:
    return {
        "conversation": one.conversation_id,
        "title": one.title,
        "messages": one.message_count,
        "updated_at": one.updated_at.ToJsonString(),
    }
