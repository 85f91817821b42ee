"""Conversations: what is said, and what is answered to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from assay.common.v1.analysis_pb2 import AnalysisRequest
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import conversation_service_pb2_grpc
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from clients.python.calls import answered, streamed
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.ids import new_id

_ASKED = ("intent", "statement", "choice", "corrections", "follows_job_id")
_TURN_SECONDS = 240.0


class Conversations:
    """ConversationService as methods; every one raises AssayError."""

    def __init__(
        self,
        stub: conversation_service_pb2_grpc.ConversationServiceStub,
        resume_delays: Sequence[float] = (),
    ) -> None:
        self._stub = stub
        self._resume_delays = resume_delays

    async def send(
        self,
        content: str,
        *,
        conversation_id: str = "",
        terms: CreateJobRequest | None = None,
        request_id: str = "",
        continues_job_id: str = "",
    ) -> AsyncGenerator[pb.AskResponse]:
        """Say something, in a new conversation where none is named; what comes of it.

        A new one may go on from an answered analysis of the caller's, `continues_job_id`.

        `terms` name sources, limits and policy, and the session of uploaded files, as a question
        does; what it asks does not matter. Repeating a request id tells the same again, which is
        done here when the connection breaks.
        """
        request = pb.AskRequest(
            request_id=request_id or new_id(),
            conversation_id=conversation_id,
            content=content,
            continues_job_id=continues_job_id,
        )
        if terms is not None:
            request.session_id = terms.session_id
            request.terms.CopyFrom(terms_of(terms.analysis))
        failures, seen = 0, set[str]()
        while True:
            try:
                call = self._stub.Ask(request, timeout=_TURN_SECONDS)
                async with aclosing(streamed(call)) as values:
                    async for one in values:
                        kind = str(one.WhichOneof("told"))
                        if kind in seen:
                            continue  # what a broken stream had told already
                        if kind == "event":
                            request.after_sequence = max(request.after_sequence, one.event.sequence)
                        else:
                            seen.add(kind)
                        yield one
                return
            except AssayError as error:
                # Where nothing came the address may be wrong, which nobody waits for.
                lost = error.reason is SERVICE_UNAVAILABLE and bool(seen)
                if not lost or failures == len(self._resume_delays):
                    raise
            await asyncio.sleep(self._resume_delays[failures])
            failures += 1

    async def get(self, conversation_id: str) -> pb.Conversation:
        """A conversation as it stands."""
        request = pb.GetConversationRequest(conversation_id=conversation_id)
        return (await answered(self._stub.GetConversation(request))).conversation

    async def newest(self, limit: int = 20) -> list[pb.Conversation]:
        """At most `limit` (to 100) conversations of the caller, those last spoken in first."""
        request = pb.ListConversationsRequest(page_size=limit)
        return list((await answered(self._stub.ListConversations(request))).conversations)

    async def messages(
        self, conversation_id: str, page_token: str = "", page_size: int = 0
    ) -> pb.ListMessagesResponse:
        """The last messages in order, and the token of those before them."""
        request = pb.ListMessagesRequest(
            conversation_id=conversation_id, page_token=page_token, page_size=page_size
        )
        return await answered(self._stub.ListMessages(request))

    async def take_back(
        self, conversation_id: str, message_id: int, *, after_message_id: int | None = None
    ) -> list[int]:
        """Have a message of a person's stand no more, with all after it; which those are.

        What is said next is understood as if they had not been said. `after_message_id` is the last
        that stands, as far as the caller knows: where it is another by now, CONVERSATION_CHANGED is
        raised and nothing done.
        """
        request = pb.TakeBackRequest(
            conversation_id=conversation_id,
            message_id=message_id,
            after_message_id=after_message_id,
        )
        return list((await answered(self._stub.TakeBack(request))).message_ids)

    async def bring_back(
        self, conversation_id: str, message_id: int, *, after_message_id: int | None = None
    ) -> list[int]:
        """Have it stand again, with those before it that were taken back together with it; which
        those are. `after_message_id` as for `take_back`."""
        request = pb.BringBackRequest(
            conversation_id=conversation_id,
            message_id=message_id,
            after_message_id=after_message_id,
        )
        return list((await answered(self._stub.BringBack(request))).message_ids)

    async def archive(self, conversation_id: str) -> pb.Conversation:
        """End a conversation: it can still be read."""
        request = pb.ArchiveConversationRequest(conversation_id=conversation_id)
        return (await answered(self._stub.ArchiveConversation(request))).conversation

    async def delete(self, conversation_id: str) -> None:
        """Delete a conversation with its messages; its jobs stay."""
        request = pb.DeleteConversationRequest(conversation_id=conversation_id)
        await answered(self._stub.DeleteConversation(request))


def terms_of(asked: AnalysisRequest) -> AnalysisRequest:
    """What a question names beside what it asks."""
    terms = AnalysisRequest()
    terms.CopyFrom(asked)
    for name in _ASKED:
        terms.ClearField(name)  # type: ignore[arg-type]  # its names are of the message
    return terms
