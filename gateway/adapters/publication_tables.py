"""The gateway's tables of publications: what stays of each, and apart from it what is given out."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from gateway.adapters.tables import Table
from mesh.storage.columns import UtcTime


class PublicationRow(Table):
    """A publication; it stays when it is revoked. `frames` are of its text, in order."""

    __tablename__ = "publications"
    __table_args__ = (
        Index("ix_publications_tenant_published_at", "tenant", "published_at", "publication_id"),
        Index("ix_publications_session_id", "session_id"),
    )

    publication_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(100))
    session_id: Mapped[str] = mapped_column(String(32))
    title: Mapped[str] = mapped_column(String(200))
    published_at: Mapped[datetime] = mapped_column(UtcTime)
    published_by: Mapped[str] = mapped_column(String(100))
    frames: Mapped[list[dict[str, str]]] = mapped_column(JSON)
    page_sha256: Mapped[str] = mapped_column(String(64))
    text_sha256: Mapped[str] = mapped_column(String(64))
    page_bytes: Mapped[int]
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)
    revoked_by: Mapped[str | None] = mapped_column(String(100))
    revoked_because: Mapped[str | None] = mapped_column(Text)


class PublishedPageRow(Table):
    """The page and the text of a publication that stands."""

    __tablename__ = "published_pages"

    publication_id: Mapped[str] = mapped_column(
        ForeignKey("publications.publication_id", ondelete="CASCADE"), primary_key=True
    )
    page: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
