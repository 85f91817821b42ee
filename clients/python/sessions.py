"""Sessions and their files, and what was said and done in them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Protocol, TypeVar

from assay.common.v1.job_pb2 import Job
from assay.gateway.v1 import conversation_service_pb2 as talk_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import file_service_pb2_grpc, session_service_pb2_grpc
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as pb
from assay.gateway.v1.conversation_service_pb2_grpc import ConversationServiceStub
from assay.gateway.v1.job_service_pb2_grpc import JobServiceStub
from clients.python.calls import answered, streamed
from mesh.errors import SERVICE_UNAVAILABLE, VERIFICATION_FAILED, AssayError
from mesh.ids import new_id

T = TypeVar("T")

_PAGE = 100


class Repeated(Protocol):
    """Makes a call that may be repeated."""

    async def __call__(self, make: Callable[[], Awaitable[T]], /) -> T:
        """Its answer. Raises AssayError."""
        ...


class Sessions:
    """SessionService and FileService as methods; every one raises AssayError."""

    def __init__(
        self,
        sessions: session_service_pb2_grpc.SessionServiceStub,
        files: file_service_pb2_grpc.FileServiceStub,
        jobs: JobServiceStub,
        conversations: ConversationServiceStub,
        repeated: Repeated,
        resume_delays: Sequence[float] = (),
    ) -> None:
        """`repeated` makes a call again through a gateway's death."""
        self._sessions = sessions
        self._files = files
        self._jobs = jobs
        self._conversations = conversations
        self._repeated = repeated
        self._resume_delays = resume_delays

    async def create(self, title: str = "") -> pb.Session:
        """Open a session."""
        request = pb.CreateSessionRequest(request_id=new_id(), title=title)
        return (
            await self._repeated(lambda: answered(self._sessions.CreateSession(request)))
        ).session

    async def get(self, session_id: str) -> pb.Session:
        """A session as it stands."""
        request = pb.GetSessionRequest(session_id=session_id)
        return (await answered(self._sessions.GetSession(request))).session

    async def newest(self, limit: int = 20) -> list[pb.Session]:
        """At most `limit` sessions, newest first."""

        async def page(token: str) -> tuple[list[pb.Session], str]:
            request = pb.ListSessionsRequest(page_size=min(limit, _PAGE), page_token=token)
            found = await answered(self._sessions.ListSessions(request))
            return list(found.sessions), found.next_page_token

        return (await _all(page, limit))[:limit]

    async def delete(self, session_id: str) -> None:
        """Delete a session with its files, documents, conversations and pages, and what its jobs
        made."""
        await answered(self._sessions.DeleteSession(pb.DeleteSessionRequest(session_id=session_id)))

    async def upload(
        self, session_id: str, path: Path, sent: Callable[[int], None] | None = None
    ) -> files_pb.File:
        """Store a file; `sent` is told how many bytes have gone so far."""
        from clients.python import files

        return await self._repeated(lambda: files.upload(self._files, session_id, path, sent))

    async def describe(self, file_id: str, description: str) -> files_pb.File:
        """Say what a file holds."""
        request = files_pb.UpdateFileRequest(file_id=file_id, description=description)
        return (await answered(self._files.UpdateFile(request))).file

    async def files(self, session_id: str) -> list[files_pb.File]:
        """A session's files, oldest first."""

        async def page(token: str) -> tuple[list[files_pb.File], str]:
            request = files_pb.ListFilesRequest(session_id=session_id, page_token=token)
            found = await answered(self._files.ListFiles(request))
            return list(found.files), found.next_page_token

        return await _all(page)

    async def preview(self, file_id: str) -> files_pb.PreviewFileResponse:
        """What a file holds: its tables with their schemas and first rows."""
        request = files_pb.PreviewFileRequest(file_id=file_id)
        return await answered(self._files.PreviewFile(request))

    async def remove(self, file_id: str) -> None:
        """Take a file out of its session."""
        await answered(self._files.DeleteFile(files_pb.DeleteFileRequest(file_id=file_id)))

    async def download(self, file: files_pb.File, place: Path) -> None:
        """Write a file's bytes to `place`, whole or not at all; goes on where a stream broke.

        Raises AssayError; VERIFICATION_FAILED when they are not those that its hash names.
        """
        beside = place.with_name(f".{place.name}.part")
        try:
            digest = await self._fetched(file, beside)
            if digest != file.content_hash:
                raise AssayError(
                    VERIFICATION_FAILED,
                    f"{file.original_name} arrived with other bytes than its hash names",
                    hint="Download it again; if it stays so, the server's store was changed.",
                )
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)

    async def _fetched(self, file: files_pb.File, place: Path) -> str:
        """Write all bytes of a file; their SHA-256."""
        hashed = hashlib.sha256()
        with place.open("wb") as written:
            async with aclosing(self.pieces(file.file_id)) as pieces:
                async for piece in pieces:
                    hashed.update(piece)
                    written.write(piece)
        return hashed.hexdigest()

    async def pieces(self, file_id: str) -> AsyncGenerator[bytes]:
        """A file's bytes in pieces; goes on where a stream broke. Raises AssayError."""
        came = breaks = 0
        while True:
            request = files_pb.DownloadFileRequest(file_id=file_id, first_byte=came)
            before = came
            try:
                async with aclosing(streamed(self._files.DownloadFile(request))) as answers:
                    async for answer in answers:
                        came += len(answer.chunk.data)
                        yield answer.chunk.data
                return
            except AssayError as error:
                breaks = breaks + 1 if came == before else 1
                lost = error.reason is SERVICE_UNAVAILABLE
                if not lost or breaks > len(self._resume_delays):
                    raise
            await asyncio.sleep(self._resume_delays[breaks - 1])

    async def jobs(self, session_id: str) -> list[Job]:
        """A session's jobs, newest first, without steps and answers."""

        async def page(token: str) -> tuple[list[Job], str]:
            request = jobs_pb.ListJobsRequest(
                session_id=session_id, page_size=_PAGE, page_token=token
            )
            found = await answered(self._jobs.ListJobs(request))
            return list(found.jobs), found.next_page_token

        return await _all(page)

    async def conversations(self, session_id: str) -> list[talk_pb.Conversation]:
        """A session's conversations, those last spoken in first."""

        async def page(token: str) -> tuple[list[talk_pb.Conversation], str]:
            request = talk_pb.ListConversationsRequest(
                session_id=session_id, page_size=_PAGE, page_token=token
            )
            found = await answered(self._conversations.ListConversations(request))
            return list(found.conversations), found.next_page_token

        return await _all(page)

    async def messages(self, conversation_id: str) -> list[talk_pb.Message]:
        """All messages of a conversation, in order."""
        found: list[talk_pb.Message] = []
        token = ""
        while True:  # the newest page comes first
            request = talk_pb.ListMessagesRequest(
                conversation_id=conversation_id, page_size=_PAGE, page_token=token
            )
            page = await answered(self._conversations.ListMessages(request))
            found[:0] = page.messages
            token = page.next_page_token
            if not token:
                return found


async def _all(
    page: Callable[[str], Awaitable[tuple[list[Any], str]]], limit: int | None = None
) -> list[Any]:
    """Every item of a list that comes in pages; not many more than `limit`."""
    found, token = await page("")
    while token and (limit is None or len(found) < limit):
        more, token = await page(token)
        found += more
    return found
