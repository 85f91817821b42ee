"""Conversations that a benchmark finds in the gateway's store, without having asked anything."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

from gateway.adapters.conversation_store import SqlConversationStore
from gateway.conversations.ports import Answered, Opening
from gateway.domain.conversation import Message, Role
from gateway.service import open_store
from mesh.config import MeshSettings
from mesh.ids import new_id


async def stored_talk(settings: MeshSettings, tenant: str, messages: int) -> str:
    """The id of a conversation of so many messages: as many questions as answers."""
    database = await asyncio.to_thread(open_store, settings)
    store, talk = SqlConversationStore(database), new_id()
    try:
        for number in range(messages // 2):
            request_id = new_id()
            words = f"revenue by month of product {number}, and by region, without returns"
            question = Message(Role.USER, words, datetime.now(UTC), request_id=request_id)
            await store.store_message(tenant, Opening(talk, not number, request_id, "", question))
            answer = replace(question, role=Role.ASSISTANT, content=f"It was {number:,}. {words}")
            await store.answer(tenant, talk, Answered(answer))
    finally:
        await database.close()
    return talk
