"""The gateway's tables: sessions and their files (seed 002), stored contents (seed 004).

Those of conversations are in `conversation_tables`.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Float, ForeignKey, Index, String, Text, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mesh.storage.columns import UtcTime


class Table(DeclarativeBase):
    """Base of the gateway's tables."""


class SessionRow(Table):
    """A session (seed 002), with its tenant."""

    __tablename__ = "sessions"
    __table_args__ = (
        Index("ix_sessions_tenant_created_at", "tenant", "created_at", "session_id"),
        Index("ix_sessions_status_expires_at", "status", "expires_at"),
    )

    session_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(100))
    status: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
    title: Mapped[str] = mapped_column(Text, default="")
    opened_title: Mapped[str] = mapped_column(Text, default="")
    updated_at: Mapped[datetime] = mapped_column(UtcTime)


class SessionJobRow(Table):
    """A job that was asked for in a session; outlives the session until it is settled.

    `settled` says that the executor holds no more of it than `keeping` wants. `frame` is the number
    of its table in the session, from 1; 0 for none.
    """

    __tablename__ = "session_jobs"
    __table_args__ = (
        Index("ix_session_jobs_session_id", "session_id"),
        Index("ix_session_jobs_settled", "settled"),
    )

    tenant: Mapped[str] = mapped_column(String(100), primary_key=True)
    job_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[str] = mapped_column(String(32))
    keeping: Mapped[str] = mapped_column(String(16))
    settled: Mapped[bool]
    noted_at: Mapped[datetime] = mapped_column(UtcTime)
    frame: Mapped[int] = mapped_column(default=0, server_default="0")


class KnownSourceRow(Table):
    """A source that a tenant gave a name. `source` is the contract's message as JSON, without
    secrets."""

    __tablename__ = "known_sources"

    tenant: Mapped[str] = mapped_column(String(100), primary_key=True)
    name: Mapped[str] = mapped_column(String(63), primary_key=True)
    source: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class DefinitionRow(Table):
    """What somebody proposes that data means. `places` are the digests of its sources' places, with
    spaces between, `place` the first of them; `measured` is facts and effects as JSON, `decided_by`
    empty while it is pending."""

    __tablename__ = "definitions"
    __table_args__ = (
        Index("ix_definitions_tenant_proposed_at", "tenant", "proposed_at", "definition_id"),
        Index("ix_definitions_tenant_place", "tenant", "place", "state"),
    )

    definition_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(100))
    place: Mapped[str] = mapped_column(String(64))
    places: Mapped[str] = mapped_column(Text)
    sources: Mapped[str] = mapped_column(Text)
    model: Mapped[str] = mapped_column(Text)
    evidence: Mapped[str] = mapped_column(Text)
    measured: Mapped[str] = mapped_column(Text)
    proposed_by: Mapped[str] = mapped_column(String(100))
    proposed_at: Mapped[datetime] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(16))
    decided_by: Mapped[str] = mapped_column(String(100))
    decided_at: Mapped[datetime | None] = mapped_column(UtcTime)
    reason: Mapped[str] = mapped_column(Text)
    version: Mapped[int]


class ApiKeyRow(Table):
    """An API key; `secret_hash` is all that is kept of its secret."""

    __tablename__ = "api_keys"
    __table_args__ = (Index("ix_api_keys_tenant_created_at", "tenant", "created_at", "key_id"),)

    key_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    secret_hash: Mapped[str] = mapped_column(String(64))
    tenant: Mapped[str] = mapped_column(String(100))
    user: Mapped[str] = mapped_column(String(100))
    role: Mapped[str] = mapped_column(String(16))
    label: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcTime)


class ContentRow(Table):
    """A stored content and who owns it (seed 004, file_metadata). One row a content and user.

    `reference_count` counts the session files that show this content.
    """

    __tablename__ = "file_metadata"
    __table_args__ = (
        Index("ix_file_metadata_content_hash_user_id", "content_hash", "user_id", unique=True),
    )

    file_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    content_hash: Mapped[str] = mapped_column(String(64), index=True)
    original_filename: Mapped[str] = mapped_column(String(512))
    file_path: Mapped[str] = mapped_column(Text)
    file_size: Mapped[int]
    mime_type: Mapped[str | None] = mapped_column(String(100))
    user_id: Mapped[str] = mapped_column(String(100), index=True)
    reference_count: Mapped[int] = mapped_column(default=1, server_default="1")
    upload_timestamp: Mapped[datetime] = mapped_column(
        UtcTime, index=True, server_default=func.current_timestamp()
    )
    last_accessed: Mapped[datetime] = mapped_column(
        UtcTime, server_default=func.current_timestamp()
    )


class SessionFileRow(Table):
    """A file in a session (seed 002, UploadedFile): what people see of a stored content."""

    __tablename__ = "session_files"
    __table_args__ = (Index("ix_session_files_session_id", "session_id", "uploaded_at", "file_id"),)

    file_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.session_id", ondelete="CASCADE"))
    content_id: Mapped[str] = mapped_column(ForeignKey("file_metadata.file_id"), index=True)
    original_name: Mapped[str] = mapped_column(String(255))
    description: Mapped[str] = mapped_column(String(2000))
    row_count: Mapped[int]
    duplicate: Mapped[bool] = mapped_column(default=False)
    uploaded_at: Mapped[datetime] = mapped_column(UtcTime)


class UnsettledRow(Table):
    """A content that may have to go. `deleting_until` is 0 while nobody deletes it."""

    __tablename__ = "unsettled_contents"

    content_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    deleting_until: Mapped[float] = mapped_column(Float, default=0.0)


class HoldRow(Table):
    """An upload under way that needs a content, until a time of the database's clock."""

    __tablename__ = "content_holds"

    hold_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    content_hash: Mapped[str] = mapped_column(String(64), index=True)
    held_until: Mapped[float] = mapped_column(Float)
