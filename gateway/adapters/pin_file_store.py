"""Uploaded files that pins ask about, which outlive their sessions, in SQL; implements
`gateway.boards.ports.PinFiles`.

A pin refers to a content as a file of a session does: it counts once among the bytes of the tenant,
and is deleted when nothing refers to it any more.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.board_tables import PinFileRow
from gateway.adapters.rows import drop_reference, file_rows
from gateway.adapters.tables import ContentRow
from gateway.domain.board import Pin
from gateway.domain.session import SessionFile, StoredContent
from mesh.storage.database import Database


class SqlPinFileStore:
    """Files of all tenants' pins."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, pin_id: str) -> dict[str, SessionFile]:
        """The files of a pin, by the ids that its request names."""
        wanted = (
            select(PinFileRow, ContentRow)
            .join(ContentRow, ContentRow.file_id == PinFileRow.content_id)
            .where(PinFileRow.pin_id == pin_id)
        )
        return await self._database.reading(
            lambda transaction: {
                file.file_id: _kept(file, content) for file, content in transaction.execute(wanted)
            }
        )


def keep_files(transaction: Transaction, pin: Pin) -> None:
    """Have a pin refer to the files that its request names. Raises AssayError(NOT_FOUND) for one
    that went with its session."""
    for file_id in pin.file_ids:
        file, _ = file_rows(transaction, pin.tenant, file_id)
        content = transaction.get_one(ContentRow, file.content_id, with_for_update=True)
        content.reference_count += 1
        transaction.add(
            PinFileRow(
                pin_id=pin.pin_id,
                file_id=file_id,
                content_id=content.file_id,
                original_name=file.original_name,
                row_count=file.row_count,
            )
        )


def drop_files(transaction: Transaction, pin_ids: Iterable[str]) -> None:
    """Let the files of pins go that are about to be deleted; their bytes are swept."""
    held = select(PinFileRow).where(PinFileRow.pin_id.in_(list(pin_ids)))
    for file in transaction.scalars(held).all():
        content = transaction.get_one(ContentRow, file.content_id, with_for_update=True)
        transaction.delete(file)
        drop_reference(transaction, content)


def _kept(file: PinFileRow, content: ContentRow) -> SessionFile:
    return SessionFile(
        file_id=file.file_id,
        session_id="",
        original_name=file.original_name,
        description="",
        content=StoredContent(
            digest=content.content_hash,
            size_bytes=content.file_size,
            mime_type=content.mime_type or "",
            row_count=file.row_count,
        ),
        uploaded_at=content.upload_timestamp,
        last_accessed=content.last_accessed,
        reference_count=content.reference_count,
    )
