"""SessionService: translates between the contract and the use cases of sessions."""

from __future__ import annotations

from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from grpc import aio

from assay.gateway.v1 import session_service_pb2 as pb
from assay.gateway.v1 import session_service_pb2_grpc
from gateway.app_sessions import Sessions
from gateway.domain.session import Session, SessionStatus
from mesh.ids import parse_id

Context = aio.ServicerContext[Any, Any]

_STATUS = {
    SessionStatus.CREATED: pb.SESSION_STATUS_CREATED,
    SessionStatus.HAS_FILES: pb.SESSION_STATUS_HAS_FILES,
    SessionStatus.RUNNING: pb.SESSION_STATUS_RUNNING,
    SessionStatus.COMPLETED: pb.SESSION_STATUS_COMPLETED,
    SessionStatus.FAILED: pb.SESSION_STATUS_FAILED,
    SessionStatus.EXPIRED: pb.SESSION_STATUS_EXPIRED,
}


class SessionServicer(session_service_pb2_grpc.SessionServiceServicer):
    """Serves assay.gateway.v1.SessionService."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    async def CreateSession(
        self, request: pb.CreateSessionRequest, context: Context
    ) -> pb.CreateSessionResponse:
        """Open a session."""
        made = await self._sessions.create(parse_id(request.request_id, "request_id"))
        return pb.CreateSessionResponse(session=_message(made))

    async def GetSession(
        self, request: pb.GetSessionRequest, context: Context
    ) -> pb.GetSessionResponse:
        """A session as it stands."""
        found = await self._sessions.get(parse_id(request.session_id, "session_id"))
        return pb.GetSessionResponse(session=_message(found))

    async def ListSessions(
        self, request: pb.ListSessionsRequest, context: Context
    ) -> pb.ListSessionsResponse:
        """The caller's sessions."""
        page, token = await self._sessions.page(request.page_size, request.page_token)
        return pb.ListSessionsResponse(
            sessions=[_message(session) for session in page], next_page_token=token
        )

    async def DeleteSession(
        self, request: pb.DeleteSessionRequest, context: Context
    ) -> pb.DeleteSessionResponse:
        """Delete a session and what only it refers to."""
        await self._sessions.delete(parse_id(request.session_id, "session_id"))
        return pb.DeleteSessionResponse()


def _message(session: Session) -> pb.Session:
    created, expires = Timestamp(), Timestamp()
    created.FromDatetime(session.created_at)
    expires.FromDatetime(session.expires_at)
    return pb.Session(
        session_id=session.session_id,
        status=_STATUS[session.status],
        created_at=created,
        expires_at=expires,
        file_count=session.file_count,
        report_ready=session.report_ready,
    )
