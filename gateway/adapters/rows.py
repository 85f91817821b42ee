"""What both stores do with rows: find a tenant's, count references, translate."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.content_store import mentioned
from gateway.adapters.publication_tables import PublicationRow
from gateway.adapters.tables import ContentRow, SessionFileRow, SessionRow
from gateway.domain.session import (
    Session,
    SessionFile,
    SessionState,
    StoredContent,
    absent,
)


def session_row(
    transaction: Transaction, tenant: str, session_id: str, *, lock: bool = False
) -> SessionRow:
    """A tenant's session. Raises AssayError(NOT_FOUND)."""
    wanted = select(SessionRow).where(
        SessionRow.session_id == session_id, SessionRow.tenant == tenant
    )
    row = transaction.scalar(wanted.with_for_update() if lock else wanted)
    if row is None:
        raise absent("session", session_id)
    return row


def file_rows(
    transaction: Transaction, tenant: str, file_id: str
) -> tuple[SessionFileRow, ContentRow]:
    """A tenant's file with its content. Raises AssayError(NOT_FOUND)."""
    wanted = (
        select(SessionFileRow, ContentRow)
        .join(ContentRow, ContentRow.file_id == SessionFileRow.content_id)
        .join(SessionRow, SessionRow.session_id == SessionFileRow.session_id)
        .where(SessionFileRow.file_id == file_id, SessionRow.tenant == tenant)
    )
    row = transaction.execute(wanted).first()
    if row is None:
        raise absent("file", file_id)
    return row[0], row[1]


def count_files(transaction: Transaction, session_id: str) -> int:
    """Files in a session."""
    wanted = select(func.count()).where(SessionFileRow.session_id == session_id)
    return transaction.scalar(wanted) or 0


def bytes_of(transaction: Transaction, tenant: str) -> int:
    """Bytes of a tenant's pages that stand, and of all contents of its files; what it stored twice
    is there once."""
    files = select(func.sum(ContentRow.file_size)).where(ContentRow.user_id == tenant)
    pages = select(func.sum(PublicationRow.page_bytes)).where(
        PublicationRow.tenant == tenant, PublicationRow.revoked_at.is_(None)
    )
    return int(transaction.scalar(files) or 0) + int(transaction.scalar(pages) or 0)


def drop_file(transaction: Transaction, file: SessionFileRow) -> str:
    """Take a file away; the digest of its content if nobody refers to it any more, else ""."""
    content = transaction.get_one(ContentRow, file.content_id, with_for_update=True)
    transaction.delete(file)
    return drop_reference(transaction, content)


def drop_reference(transaction: Transaction, content: ContentRow) -> str:
    """Refer to a locked content once less; its digest if nobody refers to it any more, else ""."""
    transaction.flush()
    content.reference_count -= 1
    if content.reference_count > 0:
        return ""
    digest = content.content_hash
    transaction.delete(content)
    transaction.flush()
    mentioned(transaction, digest)
    others = select(func.count()).where(ContentRow.content_hash == digest)
    return "" if transaction.scalar(others) else digest


def as_session(row: SessionRow, file_count: int) -> Session:
    """The session in a row."""
    return Session(
        session_id=row.session_id,
        tenant=row.tenant,
        created_at=row.created_at,
        expires_at=row.expires_at,
        state=SessionState(row.status),
        title=row.title,
        opened_title=row.opened_title,
        updated_at=row.updated_at,
        file_count=file_count,
    )


def as_file(file: SessionFileRow, content: ContentRow) -> SessionFile:
    """The file in its two rows."""
    return SessionFile(
        file_id=file.file_id,
        session_id=file.session_id,
        original_name=file.original_name,
        description=file.description,
        content=StoredContent(
            digest=content.content_hash,
            size_bytes=content.file_size,
            mime_type=content.mime_type or "",
            row_count=file.row_count,
        ),
        uploaded_at=file.uploaded_at,
        last_accessed=content.last_accessed,
        reference_count=content.reference_count,
        duplicate=file.duplicate,
    )
