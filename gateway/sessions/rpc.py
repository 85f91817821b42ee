"""SessionService: translates between the contract and the use cases of sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from grpc import aio

from assay.gateway.v1 import session_service_pb2 as pb
from assay.gateway.v1 import session_service_pb2_grpc
from gateway.domain.session import Session, SessionState, SessionStatus
from gateway.sessions.app import Sessions
from mesh.ids import parse_id
from mesh.paging import page_size

Context = aio.ServicerContext[Any, Any]

_STATES = {
    SessionState.CREATED: pb.SESSION_STATE_CREATED,
    SessionState.HAS_FILES: pb.SESSION_STATE_HAS_FILES,
    SessionState.EXPIRED: pb.SESSION_STATE_EXPIRED,
}
_STATUSES = {
    None: pb.SESSION_STATUS_UNSPECIFIED,
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
        made = await self._sessions.create(
            parse_id(request.request_id, "request_id"), request.title
        )
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
        page, token = await self._sessions.page(
            page_size(request.page_size, 20, 100), request.page_token
        )
        return pb.ListSessionsResponse(
            sessions=[_message(session) for session in page], next_page_token=token
        )

    async def UpdateSession(
        self, request: pb.UpdateSessionRequest, context: Context
    ) -> pb.UpdateSessionResponse:
        """Change what was given."""
        changed = await self._sessions.retitle(
            parse_id(request.session_id, "session_id"),
            request.title if request.HasField("title") else None,
        )
        return pb.UpdateSessionResponse(session=_message(changed))

    async def DeleteSession(
        self, request: pb.DeleteSessionRequest, context: Context
    ) -> pb.DeleteSessionResponse:
        """Delete a session and what only it refers to."""
        await self._sessions.delete(parse_id(request.session_id, "session_id"))
        return pb.DeleteSessionResponse()


def _message(session: Session) -> pb.Session:
    jobs = session.jobs
    return pb.Session(
        session_id=session.session_id,
        state=_STATES[session.state],
        title=session.title,
        created_at=_stamp(session.created_at),
        updated_at=_stamp(session.updated_at),
        expires_at=_stamp(session.expires_at),
        file_count=session.file_count,
        job_counts=pb.SessionJobCounts(
            active=jobs.active,
            waiting=jobs.waiting,
            answered=jobs.answered,
            unanswered=jobs.unanswered,
        )
        if jobs is not None
        else None,
        report_ready=session.report_ready,
        status=_STATUSES[session.status],
    )


def _stamp(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp
