"""What the gateway does with files: store, describe, show, take away."""

from __future__ import annotations

from collections.abc import AsyncIterator

from gateway.admission.strangers import Strangers
from gateway.domain.references import description as checked_description
from gateway.domain.references import display_name, usual_description
from gateway.domain.session import NewFile, Session, SessionFile
from gateway.files.contents import Contents
from gateway.store_ports import FileStore, SessionStore
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import AssayError
from mesh.ids import new_id


class Files:
    """The use cases of FileService, for the caller of the running call."""

    def __init__(
        self,
        sessions: SessionStore,
        files: FileStore,
        contents: Contents,
        strangers: Strangers,
        clock: Clock,
        most_files: int,
        most_bytes: int,
    ) -> None:
        self._sessions = sessions
        self._files = files
        self._contents = contents
        self._strangers = strangers
        self._clock = clock
        self._most_files = most_files
        self._most_bytes = most_bytes

    async def upload(
        self,
        session_id: str,
        name: str,
        description: str,
        pieces: AsyncIterator[bytes],
        *,
        frame: bool = False,
    ) -> SessionFile:
        """Store a file of a session, reading `pieces` no further than its size limit.

        A `frame` may hold any Arrow type, also those of which no question can be asked. Without a
        `description` it gets one by its name and rows.
        Repeating an upload gives the file it made. Raises AssayError: NOT_FOUND, SESSION_EXPIRED,
        MAX_FILES_EXCEEDED, STORAGE_EXCEEDED, FILE_TOO_LARGE, INVALID_FILE_TYPE, NO_HEADERS,
        INVALID_ARGUMENT.
        """
        name = display_name(name, "head.name")
        described = checked_description(description) if description else ""
        tenant = calls.current().tenant
        session = await self._session(session_id)
        session.require_open(self._clock.now()).require_room(self._most_files)
        await self._files.require_room(tenant)
        content, hold_id = await self._contents.store(
            name, self._most_bytes, bounded(pieces, self._most_bytes), frame=frame
        )
        new = NewFile(
            file_id=new_id(),
            session_id=session_id,
            original_name=name,
            description=described or usual_description(name, content.row_count),
            content=content,
            uploaded_at=self._clock.now(),
        )
        try:
            return await self._files.add(tenant, new, self._most_files, hold_id)
        except AssayError:
            await self._contents.give_up(content.digest, hold_id)
            raise

    async def describe(self, file_id: str, description: str) -> SessionFile:
        """Change a description. Raises AssayError: NOT_FOUND, SESSION_EXPIRED, INVALID_ARGUMENT."""
        await self.get(file_id)
        description = checked_description(description)
        return await self._files.describe(calls.current().tenant, file_id, description)

    async def get(self, file_id: str) -> SessionFile:
        """A file of the caller. Raises AssayError: NOT_FOUND, SESSION_EXPIRED."""
        tenant = calls.current().tenant
        with self._strangers.noticing("file", file_id):
            file = await self._files.get(tenant, file_id)
        session = await self._sessions.get(tenant, file.session_id)
        session.require_open(self._clock.now())
        return file

    async def used(self, file_id: str) -> SessionFile:
        """A file of the caller that is about to be read. Raises AssayError as `get` does."""
        file = await self.get(file_id)
        await self._files.touch(calls.current().tenant, [file_id], self._clock.now())
        return file

    async def of_session(self, session_id: str) -> list[SessionFile]:
        """A session's files, oldest first. Raises AssayError: NOT_FOUND, SESSION_EXPIRED."""
        tenant = calls.current().tenant
        (await self._session(session_id)).require_open(self._clock.now())
        return await self._files.of_session(tenant, session_id)

    async def page(self, session_id: str, size: int, token: str) -> tuple[list[SessionFile], str]:
        """A page of them, and the token of the next. Raises AssayError as `of_session` does, and
        INVALID_ARGUMENT for a token that was never given."""
        (await self._session(session_id)).require_open(self._clock.now())
        return await self._files.page(calls.current().tenant, session_id, size, token)

    async def remove(self, file_id: str) -> None:
        """Take a file out of its session, also out of an expired one.

        Its content goes when nobody refers to it any more. Raises AssayError(NOT_FOUND).
        """
        with self._strangers.noticing("file", file_id):
            digest = await self._files.remove(calls.current().tenant, file_id)
        await self._contents.release([digest] if digest else [])

    async def _session(self, session_id: str) -> Session:
        with self._strangers.noticing("session", session_id):
            return await self._sessions.get(calls.current().tenant, session_id)


async def bounded(pieces: AsyncIterator[bytes], most_bytes: int) -> AsyncIterator[bytes]:
    """The pieces up to the one that exceeds the limit, for which the store refuses them all.

    Breaking off instead would cancel the store's call, and gRPC shows a cancelled upload to its
    receiver as one that is complete.
    """
    size = 0
    async for piece in pieces:
        size += len(piece)
        yield piece
        if size > most_bytes:
            return
