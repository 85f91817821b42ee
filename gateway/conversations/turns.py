"""Turns of conversations: what the planner tells is passed on, an answer once it has been noted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from grpc import aio

from assay.common.v1 import conversation_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.conversations.app import Conversations
from gateway.conversations.messages import checked, link_of, outcome_of, shown
from gateway.conversations.ports import StoredMessage
from gateway.domain.conversation import Link, Outcome, Status
from gateway.forwarding import StreamCall, relayed
from gateway.jobs.showing import shown_event
from mesh import context as calls
from mesh.errors import SERVICE_UNAVAILABLE, AssayError, Kind

Context = aio.ServicerContext[Any, Any]
# Of these somebody may say the same again and be answered.
_PASSING = (Kind.UNAVAILABLE, Kind.INTERNAL, Kind.CANCELLED)


class Turns:
    """The turns under way; they are sent on to another gateway when this one stops."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        conversations: Conversations,
        local_paths: Callable[[Context], bool],
    ) -> None:
        self._planner = planner
        self._conversations = conversations
        self._local_paths = local_paths
        self._calls: set[StreamCall[planner_pb.ConverseResponse]] = set()
        self._stopping = False

    def stop(self) -> None:
        """Send who waits for an answer on to another gateway, now and from now on."""
        self._stopping = True
        for call in self._calls:
            call.cancel()

    async def stream_turn(
        self,
        request: pb.AskRequest,
        ready: planner_pb.CreateJobRequest,
        stored_message: StoredMessage,
        context: Context,
        candidates: list[planner_pb.CandidateDomain],
    ) -> AsyncIterator[pb.AskResponse]:
        """What the planner tells of the turn; its answer is stored before it is told."""
        conversation_id = stored_message.conversation.session_id
        ready.analysis.ClearField("intent")
        wanted = planner_pb.ConverseRequest(
            request_id=ready.request_id,
            conversation_id=conversation_id,
            turn=stored_message.message.position,
            session_id=stored_message.conversation.in_session,
            content=request.content,
            terms=ready.analysis,
            files=ready.files,
            submitted_at=ready.submitted_at,
            after_sequence=request.after_sequence,
            domains=candidates,
            taken_back=await self._conversations.taken_back(conversation_id),
            continues_job_id=str(stored_message.conversation.metadata.get("continues_job_id", "")),
        )
        local = self._local_paths(context)
        link: Link | None = None
        with calls.changed(request_id=ready.request_id):
            call = self._planner.Converse(wanted)
        self._calls.add(call)
        try:
            if self._stopping:
                call.cancel()
            with calls.changed(request_id=ready.request_id):
                async for value in relayed(call, "planner", context):
                    kind = value.WhichOneof("told")
                    if kind == "reading":
                        link = link_of(value.reading)
                        yield pb.AskResponse(reading=value.reading)
                    elif kind == "event":
                        yield pb.AskResponse(event=shown_event(value.event, local))
                    elif kind == "response":
                        await self._note(conversation_id, ready.request_id, value.response, link)
                        yield pb.AskResponse(response=shown(value.response, local))
        except (AssayError, asyncio.CancelledError) as error:
            if self._stopping and not context.cancelled():
                raise AssayError(
                    SERVICE_UNAVAILABLE,
                    "this gateway is stopping",
                    hint="Repeat the request at another gateway: the answer is not lost.",
                ) from error
            if not isinstance(error, AssayError):
                raise
            if error.reason.kind not in _PASSING and link is None:
                text = f"{error.message}. {error.remedy}".strip()
                failed = Outcome(text, Status.FAILED, reason=error.reason.code)
                await self._conversations.answered(conversation_id, ready.request_id, failed)
            raise
        finally:
            self._calls.discard(call)

    async def _note(
        self,
        conversation_id: str,
        request_id: str,
        response: conversation_pb2.AgentResponse,
        link: Link | None,
    ) -> None:
        checked(response)
        outcome = outcome_of(response, link)
        await self._conversations.answered(conversation_id, request_id, outcome)
