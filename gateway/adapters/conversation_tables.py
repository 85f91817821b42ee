"""The tables of conversations (seed 004): routers, their messages, and their links to planners.

A planner is a job, in the planner's own database: what it holds is not kept here a second time.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Computed,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.orm import Mapped, mapped_column

from gateway.adapters.tables import Table
from mesh.storage.columns import UtcTime

SCHEMA_VERSION = 1
_COUNTED = BigInteger().with_variant(Integer, "sqlite")


class RouterRow(Table):
    """A conversation. Seed 004 describes this table twice: it has the columns of both, and `id` and
    `router_id` cannot differ."""

    __tablename__ = "routers"
    __table_args__ = (
        Index("ix_routers_tenant_updated_at", "tenant", "updated_at", "router_id"),
        Index("ix_routers_session_id", "session_id"),
    )

    router_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    id: Mapped[str] = mapped_column(String(32), Computed("router_id", persisted=True))
    title: Mapped[str | None] = mapped_column(Text)
    preview: Mapped[str | None] = mapped_column(Text)
    status: Mapped[str] = mapped_column(String(50))
    model: Mapped[str | None] = mapped_column(String(100))
    temperature: Mapped[float | None] = mapped_column(Float)
    agent_metadata: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    schema_version: Mapped[int] = mapped_column(Integer, default=SCHEMA_VERSION, server_default="1")
    created_at: Mapped[datetime] = mapped_column(UtcTime, server_default=func.current_timestamp())
    updated_at: Mapped[datetime] = mapped_column(UtcTime, server_default=func.current_timestamp())

    # Assay's own
    tenant: Mapped[str] = mapped_column(String(100))
    session_id: Mapped[str] = mapped_column(String(32), default="", server_default="")
    message_count: Mapped[int] = mapped_column(Integer, default=0, server_default="0")


class RouterMessageRow(Table):
    """A message. The content of an answer that a job holds is empty: `job_id` and `job_sequence`
    say which of the job's answers it is. `terms` are those that a person's message was said
    under; messages that were taken back together have the same `taken_back_at`."""

    __tablename__ = "router_messages"
    __table_args__ = (
        UniqueConstraint("agent_id", "position", name="uq_router_messages_position"),
        Index("ix_router_messages_request_id", "request_id"),
    )

    message_id: Mapped[int] = mapped_column(_COUNTED, primary_key=True, autoincrement=True)
    agent_id: Mapped[str] = mapped_column(ForeignKey("routers.router_id", ondelete="CASCADE"))
    role: Mapped[str] = mapped_column(String(20))
    content: Mapped[str | None] = mapped_column(Text)
    image: Mapped[str | None] = mapped_column(Text)
    timestamp: Mapped[datetime] = mapped_column(UtcTime, server_default=func.current_timestamp())
    message_metadata: Mapped[dict[str, Any] | None] = mapped_column(
        "metadata", JSON(none_as_null=True)
    )
    artifacts_referenced: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True))

    # Assay's own
    position: Mapped[int] = mapped_column(Integer)
    request_id: Mapped[str] = mapped_column(String(32), default="", server_default="")
    job_id: Mapped[str] = mapped_column(String(32), default="", server_default="")
    job_sequence: Mapped[int] = mapped_column(_COUNTED, default=0, server_default="0")
    taken_back_at: Mapped[datetime | None] = mapped_column(UtcTime)
    terms: Mapped[str | None] = mapped_column(Text)


class RouterPlannerLinkRow(Table):
    """That a conversation came by a job, and how. The job is in the planner's database."""

    __tablename__ = "router_planner_links"
    __table_args__ = (
        UniqueConstraint("router_id", "planner_id", name="uq_router_planner_links"),
        Index("ix_router_planner_links_planner_id", "planner_id"),
    )

    link_id: Mapped[int] = mapped_column(_COUNTED, primary_key=True, autoincrement=True)
    router_id: Mapped[str] = mapped_column(ForeignKey("routers.router_id", ondelete="CASCADE"))
    planner_id: Mapped[str] = mapped_column(String(32))
    relationship_type: Mapped[str] = mapped_column(String(50))
    created_at: Mapped[datetime] = mapped_column(UtcTime, server_default=func.current_timestamp())
