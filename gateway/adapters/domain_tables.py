"""The gateway's tables of domains (seed 003) and of what was approved of their tools."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from gateway.adapters.tables import Table
from mesh.storage.columns import UtcTime


class DomainRow(Table):
    """A domain of a tenant. `made_of` says what `place` is: a session, a source, a server."""

    __tablename__ = "domains"

    tenant: Mapped[str] = mapped_column(String(100), primary_key=True)
    name: Mapped[str] = mapped_column(String(63), primary_key=True)
    display_name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(Text)
    capabilities: Mapped[list[str]] = mapped_column(JSON)
    mcp_tools: Mapped[list[str]] = mapped_column(JSON)
    related_domains: Mapped[list[str]] = mapped_column(JSON)
    enabled: Mapped[bool]
    made_of: Mapped[str] = mapped_column(String(16))
    place: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)


class ApprovedToolRow(Table):
    """A tool of a domain as a tenant approved it: at this server, with this digest."""

    __tablename__ = "approved_tools"

    tenant: Mapped[str] = mapped_column(String(100), primary_key=True)
    domain: Mapped[str] = mapped_column(String(63), primary_key=True)
    tool: Mapped[str] = mapped_column(String(200), primary_key=True)
    server: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(64))
    description: Mapped[str] = mapped_column(Text, default="")
    input_schema: Mapped[str] = mapped_column(Text, default="")
