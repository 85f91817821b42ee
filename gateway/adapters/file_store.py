"""Files of sessions in SQL; implements `gateway.ports.FileStore`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.content_store import end_hold
from gateway.adapters.rows import (
    as_file,
    as_session,
    bytes_of,
    count_files,
    drop_file,
    file_rows,
    session_row,
)
from gateway.adapters.tables import ContentRow, SessionFileRow, SessionRow
from gateway.domain.session import NewFile, SessionFile, SessionState, storage_exceeded
from mesh.ids import new_id
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.storage.database import Database


class SqlFileStore:
    """Files of all tenants; no method shows one tenant another's.

    The contents of one tenant's files are together `most_bytes` at most; 0 for no limit.
    """

    def __init__(self, database: Database, most_bytes: int = 0) -> None:
        self._database = database
        self._most_bytes = most_bytes

    async def require_room(self, tenant: str) -> None:
        """Refuse a tenant that has no byte left."""
        if self._most_bytes:
            used = await self._database.reading(lambda transaction: bytes_of(transaction, tenant))
            if used >= self._most_bytes:
                raise storage_exceeded(used, self._most_bytes)

    async def add(self, tenant: str, file: NewFile, most_files: int, hold_id: str) -> SessionFile:
        """Put a file into a session, and end the hold on its content."""

        def work(transaction: Transaction) -> SessionFile:
            session = session_row(transaction, tenant, file.session_id, lock=True)
            again = _same_upload(transaction, file)
            if again is not None:
                end_hold(transaction, file.content.digest, hold_id)
                return as_file(*again)
            count = count_files(transaction, file.session_id)
            as_session(session, count).require_room(most_files)
            content, duplicate = _refer(transaction, tenant, file)
            if self._most_bytes and not duplicate:
                transaction.flush()
                used = bytes_of(transaction, tenant)
                if used > self._most_bytes:
                    raise storage_exceeded(used, self._most_bytes)
            end_hold(transaction, file.content.digest, hold_id)
            row = SessionFileRow(
                file_id=file.file_id,
                session_id=file.session_id,
                content_id=content.file_id,
                original_name=file.original_name,
                description=file.description,
                row_count=file.content.row_count,
                duplicate=duplicate,
                uploaded_at=file.uploaded_at,
            )
            transaction.add(row)
            if session.status == SessionState.CREATED.value:
                session.status = SessionState.HAS_FILES.value
            session.updated_at = file.uploaded_at
            return as_file(row, content)

        return await committed(self._database, "file-added", work)

    async def describe(self, tenant: str, file_id: str, description: str) -> SessionFile:
        """Change the description."""

        def work(transaction: Transaction) -> SessionFile:
            file, content = file_rows(transaction, tenant, file_id)
            file.description = description
            return as_file(file, content)

        return await self._database.in_transaction(work)

    async def get(self, tenant: str, file_id: str) -> SessionFile:
        """A file."""
        return await self._database.reading(
            lambda transaction: as_file(*file_rows(transaction, tenant, file_id))
        )

    async def of_session(self, tenant: str, session_id: str) -> list[SessionFile]:
        """A session's files, oldest first."""
        wanted = (
            select(SessionFileRow, ContentRow)
            .join(ContentRow, ContentRow.file_id == SessionFileRow.content_id)
            .where(SessionFileRow.session_id == session_id)
            .order_by(SessionFileRow.uploaded_at, SessionFileRow.file_id)
        )

        def work(transaction: Transaction) -> list[SessionFile]:
            session_row(transaction, tenant, session_id)
            return [as_file(file, content) for file, content in transaction.execute(wanted)]

        return await self._database.reading(work)

    async def page(
        self, tenant: str, session_id: str, size: int, token: str
    ) -> tuple[list[SessionFile], str]:
        """A page of a session's files; there are few, so all are read and a page is cut out."""
        listing = f"files:{session_id}"
        after = keys_of(listing, token, (str, str))
        files = await self.of_session(tenant, session_id)
        if after is not None:
            last = (moment_of(after[0]), str(after[1]))
            files = [file for file in files if (file.uploaded_at, file.file_id) > last]
        page, more = files[:size], ""
        if len(files) > size:
            more = token_of(listing, (moment_key(page[-1].uploaded_at), page[-1].file_id))
        return page, more

    async def touch(self, tenant: str, file_ids: list[str], now: datetime) -> None:
        """Note that contents were used."""
        if not file_ids:
            return
        contents = (
            select(SessionFileRow.content_id)
            .join(SessionRow, SessionRow.session_id == SessionFileRow.session_id)
            .where(SessionFileRow.file_id.in_(file_ids), SessionRow.tenant == tenant)
        )
        change = (
            update(ContentRow)
            .where(ContentRow.file_id.in_(contents), ContentRow.user_id == tenant)
            .values(last_accessed=now)
        )
        await self._database.in_transaction(
            lambda transaction: transaction.execute(
                change, execution_options={"synchronize_session": False}
            )
        )

    async def remove(self, tenant: str, file_id: str) -> str:
        """Take a file out of its session."""

        def work(transaction: Transaction) -> str:
            file, _ = file_rows(transaction, tenant, file_id)
            return drop_file(transaction, file)

        return await committed(self._database, "file-removed", work)


def _same_upload(
    transaction: Transaction, file: NewFile
) -> tuple[SessionFileRow, ContentRow] | None:
    """The file that an earlier attempt at the same upload made."""
    wanted = (
        select(SessionFileRow, ContentRow)
        .join(ContentRow, ContentRow.file_id == SessionFileRow.content_id)
        .where(
            SessionFileRow.session_id == file.session_id,
            SessionFileRow.original_name == file.original_name,
            ContentRow.content_hash == file.content.digest,
        )
    )
    found = transaction.execute(wanted).first()
    return None if found is None else (found[0], found[1])


def _refer(transaction: Transaction, tenant: str, file: NewFile) -> tuple[ContentRow, bool]:
    """The tenant's row of a content with one reference more, and whether it was there before."""
    wanted = (
        select(ContentRow)
        .where(ContentRow.content_hash == file.content.digest, ContentRow.user_id == tenant)
        .with_for_update()
    )
    stored = transaction.scalar(wanted)
    if stored is None:
        new = ContentRow(
            file_id=new_id(),
            content_hash=file.content.digest,
            original_filename=file.original_name,
            file_path=f"files/{file.content.digest}",
            file_size=file.content.size_bytes,
            mime_type=file.content.mime_type,
            user_id=tenant,
            reference_count=1,
            upload_timestamp=file.uploaded_at,
            last_accessed=file.uploaded_at,
        )
        try:
            with transaction.begin_nested():
                transaction.add(new)
            return new, False
        except IntegrityError:  # another gateway stored the same content at the same moment
            stored = transaction.scalars(wanted).one()
    stored.reference_count += 1
    stored.last_accessed = file.uploaded_at
    return stored, True
