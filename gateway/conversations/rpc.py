"""ConversationService: what is said is stored, passed on to the planner, and its answer noted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from google.protobuf import json_format
from grpc import aio

from assay.common.v1 import analysis_pb2, conversation_pb2
from assay.gateway.v1 import conversation_service_pb2 as pb
from assay.gateway.v1 import conversation_service_pb2_grpc
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.conversations.app import Conversations
from gateway.conversations.candidates import Candidates
from gateway.conversations.continuing import Continuing, Origin
from gateway.conversations.messages import conversation_to, message_to, shown
from gateway.conversations.turns import Turns
from gateway.domain.conversation import (
    Continued,
    Conversation,
    Message,
    Status,
    archived,
    checked_content,
)
from gateway.forwarding import answered
from gateway.jobs.submitting import SessionFiles, Submitting
from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import derived_id, parse_id
from mesh.paging import page_size
from mesh.policy import Policy

Context = aio.ServicerContext[Any, Any]
_ASKED = ("intent", "statement", "choice", "corrections", "follows_job_id")


class ConversationServicer(conversation_service_pb2_grpc.ConversationServiceServicer):
    """Serves assay.gateway.v1.ConversationService."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        conversations: Conversations,
        files: SessionFiles,
        submitting: Submitting,
        candidates: Candidates,
        continuing: Continuing,
        clock: Clock,
        local_paths: Callable[[Context], bool],
    ) -> None:
        self._planner = planner
        self._conversations = conversations
        self._files = files
        self._submitting = submitting
        self._candidates = candidates
        self._clock = clock
        self._local_paths = local_paths
        self._continuing = continuing
        self._turns = Turns(planner, conversations, local_paths)

    def stop_watching(self) -> None:
        """Send who waits for an answer on to another gateway, now and from now on."""
        self._turns.stop()

    async def Ask(self, request: pb.AskRequest, context: Context) -> AsyncIterator[pb.AskResponse]:
        """Store the message, tell what the planner tells, and note the answer."""
        request_id = parse_id(request.request_id, "request_id")
        checked_content(request.content)
        new = not request.conversation_id
        conversation_id = derived_id(request_id, "conversation")
        session_id = parse_id(request.session_id, "session_id") if request.session_id else ""
        origin: Origin | None = None
        before: analysis_pb2.AnalysisRequest | None = None
        if not new:
            conversation_id = parse_id(request.conversation_id, "conversation_id")
            stored = await self._conversations.get(conversation_id)
            if stored.status is Status.ARCHIVED:
                raise archived(conversation_id)
            session_id = stored.in_session
            before = _terms_of(stored)
        elif request.continues_job_id:
            origin = await self._continuing.find(request.continues_job_id)
            session_id = session_id or origin.session_id
            before = origin.terms
        terms = _terms(request, before)
        domains = [] if terms.data_sources else await self._candidates.all()
        if domains and session_id and await self._files.held(session_id):
            domains = []  # a conversation about files of its own is about these
        ready = await self._ready(request, terms, request_id, session_id, context, bool(domains))
        policy = Policy(
            allowed_columns=tuple(terms.policy.allowed_columns),
            blocked_patterns=tuple(terms.policy.blocked_patterns),
        )
        kept = analysis_pb2.AnalysisRequest()
        kept.CopyFrom(ready.analysis)
        kept.ClearField("intent")
        stored_message = await self._conversations.store_message(
            conversation_id,
            request_id,
            policy.masked(request.content),
            new=new,
            session_id=session_id,
            terms=json_format.MessageToJson(kept, indent=None),
            continued=_masked(origin.continued, policy) if origin is not None else None,
            after=request.after_message_id if request.HasField("after_message_id") else None,
        )
        asked = pb.Asked(
            conversation=conversation_to(stored_message.conversation, self._clock.now()),
            message=message_to(stored_message.message),
        )
        yield pb.AskResponse(asked=asked)
        await self._files.expect(session_id, request_id)
        candidates = await self._candidates.ready(domains, request_id, context)
        async for value in self._turns.stream_turn(
            request, ready, stored_message, context, candidates
        ):
            yield value

    async def _ready(
        self,
        request: pb.AskRequest,
        terms: analysis_pb2.AnalysisRequest,
        request_id: str,
        session_id: str,
        context: Context,
        elsewhere: bool,
    ) -> planner_pb.CreateJobRequest:
        """The terms with their sources looked up: those named, else the files of the session; none
        where domains have them."""
        wanted = jobs_pb.CreateJobRequest(analysis=terms, session_id=session_id)
        if session_id and not terms.data_sources:
            for file_id in await self._files.held(session_id):
                wanted.analysis.data_sources.add(file_id=file_id)
        wanted.analysis.intent = request.content
        return await self._submitting.ready(
            wanted, request_id, session_id, context, elsewhere=elsewhere
        )

    async def GetConversation(
        self, request: pb.GetConversationRequest, context: Context
    ) -> pb.GetConversationResponse:
        """A conversation as it stands."""
        found = await self._conversations.get(parse_id(request.conversation_id, "conversation_id"))
        return pb.GetConversationResponse(conversation=conversation_to(found, self._clock.now()))

    async def ListConversations(
        self, request: pb.ListConversationsRequest, context: Context
    ) -> pb.ListConversationsResponse:
        """The caller's conversations."""
        page, token = await self._conversations.page(
            parse_id(request.session_id, "session_id") if request.session_id else "",
            page_size(request.page_size, 20, 100),
            request.page_token,
        )
        now = self._clock.now()
        return pb.ListConversationsResponse(
            conversations=[conversation_to(one, now) for one in page], next_page_token=token
        )

    async def ListMessages(
        self, request: pb.ListMessagesRequest, context: Context
    ) -> pb.ListMessagesResponse:
        """A page of messages; what answers say is asked of the planner."""
        page, token = await self._conversations.messages(
            parse_id(request.conversation_id, "conversation_id"),
            page_size(request.page_size, 50, 100),
            request.page_token,
        )
        values = await self._load_responses([message for message in page if message.is_of_job])
        local = self._local_paths(context)
        messages = [message_to(message, values.get(message.position)) for message in page]
        for message in messages:
            if message.HasField("response"):
                shown(message.response, local)
        return pb.ListMessagesResponse(messages=messages, next_page_token=token)

    async def _load_responses(
        self, messages: list[Message]
    ) -> dict[int, conversation_pb2.AgentResponse]:
        """What jobs hold of messages, by position."""
        if not messages:
            return {}
        wanted = planner_pb.GetResponsesRequest(
            turns=[
                planner_pb.TurnEnd(job_id=message.job_id, job_sequence=message.job_sequence)
                for message in messages
            ]
        )
        found = (await answered(self._planner.GetResponses(wanted), "planner")).responses
        places = [message.position for message in messages]
        return dict(zip(places, found, strict=True))

    async def TakeBack(self, request: pb.TakeBackRequest, context: Context) -> pb.TakeBackResponse:
        """Have a message stand no more, with all after it."""
        taken = await self._conversations.take_back(
            parse_id(request.conversation_id, "conversation_id"),
            request.message_id,
            request.after_message_id if request.HasField("after_message_id") else None,
        )
        return pb.TakeBackResponse(
            conversation=conversation_to(taken.conversation, self._clock.now()),
            message_ids=taken.message_ids,
        )

    async def BringBack(
        self, request: pb.BringBackRequest, context: Context
    ) -> pb.BringBackResponse:
        """Have it stand again."""
        taken = await self._conversations.bring_back(
            parse_id(request.conversation_id, "conversation_id"),
            request.message_id,
            request.after_message_id if request.HasField("after_message_id") else None,
        )
        return pb.BringBackResponse(
            conversation=conversation_to(taken.conversation, self._clock.now()),
            message_ids=taken.message_ids,
        )

    async def ArchiveConversation(
        self, request: pb.ArchiveConversationRequest, context: Context
    ) -> pb.ArchiveConversationResponse:
        """End a conversation."""
        found = await self._conversations.archive(
            parse_id(request.conversation_id, "conversation_id")
        )
        return pb.ArchiveConversationResponse(
            conversation=conversation_to(found, self._clock.now())
        )

    async def DeleteConversation(
        self, request: pb.DeleteConversationRequest, context: Context
    ) -> pb.DeleteConversationResponse:
        """Delete a conversation with its messages."""
        await self._conversations.delete(parse_id(request.conversation_id, "conversation_id"))
        return pb.DeleteConversationResponse()


def _terms(
    request: pb.AskRequest, before: analysis_pb2.AnalysisRequest | None
) -> analysis_pb2.AnalysisRequest:
    """The terms of a message: those of `before` where it brings none.

    Raises AssayError(INVALID_ARGUMENT) where they hold what is asked.
    """
    for name in _ASKED:
        if getattr(request.terms, name):
            raise AssayError(
                INVALID_ARGUMENT,
                f"the terms of a message hold {name}",
                hint="What is asked is the content of the message.",
                fields={f"terms.{name}": "must not be set"},
            )
    terms = analysis_pb2.AnalysisRequest()
    if before is not None:
        terms.CopyFrom(before)
    for field, _ in request.terms.ListFields():
        terms.ClearField(field.name)  # type: ignore[arg-type]  # its names are of the message
    terms.MergeFrom(request.terms)
    return terms


def _terms_of(stored: Conversation) -> analysis_pb2.AnalysisRequest:
    """The terms that a conversation has."""
    terms = analysis_pb2.AnalysisRequest()
    if text := str(stored.metadata.get("terms", "")):
        json_format.Parse(text, terms, ignore_unknown_fields=True)
    return terms


def _masked(continued: Continued, policy: Policy) -> Continued:
    return replace(continued, question=policy.masked(continued.question))
