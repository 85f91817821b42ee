"""The gateway's tables of boards: their pins, what came of these, and what was told of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from gateway.adapters.tables import Table
from mesh.storage.columns import UtcTime


class BoardRow(Table):
    """A board. `next_run_at` is what gateways claim a due board by."""

    __tablename__ = "boards"
    __table_args__ = (
        Index("ix_boards_tenant_created_at", "tenant", "created_at", "board_id"),
        Index("ix_boards_next_run_at", "next_run_at"),
    )

    board_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(100))
    title: Mapped[str] = mapped_column(String(200))
    opened_title: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    created_by: Mapped[str] = mapped_column(String(100))
    schedule: Mapped[dict[str, Any]] = mapped_column(JSON)
    targets: Mapped[dict[str, Any]] = mapped_column(JSON)
    changes: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    version: Mapped[int]
    next_run_at: Mapped[datetime | None] = mapped_column(UtcTime)


class PinRow(Table):
    """An answer on a board. `request` is what is asked again, as JSON of the contract; `removed_at`
    is when it was taken off, since when nothing but a restored version knows it."""

    __tablename__ = "board_pins"
    __table_args__ = (Index("ix_board_pins_board_id", "board_id", "pinned_at"),)

    pin_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    board_id: Mapped[str] = mapped_column(ForeignKey("boards.board_id", ondelete="CASCADE"))
    tenant: Mapped[str] = mapped_column(String(100))
    title: Mapped[str] = mapped_column(String(200))
    question: Mapped[str] = mapped_column(Text)
    request: Mapped[str] = mapped_column(Text)
    session_id: Mapped[str] = mapped_column(String(32))
    local: Mapped[bool]
    pinned_by: Mapped[str] = mapped_column(String(100))
    pinned_how: Mapped[str] = mapped_column(String(16))
    pinned_at: Mapped[datetime] = mapped_column(UtcTime)
    paused_at: Mapped[datetime | None] = mapped_column(UtcTime)
    paused_why: Mapped[str] = mapped_column(Text)
    job_id: Mapped[str] = mapped_column(String(32))
    watched: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    alerting: Mapped[list[str]] = mapped_column(JSON)
    before: Mapped[str] = mapped_column(String(32))
    changed: Mapped[str] = mapped_column(String(32))
    removed_at: Mapped[datetime | None] = mapped_column(UtcTime)


class PinFileRow(Table):
    """An uploaded file that a pin asks about, by the id that its request names."""

    __tablename__ = "board_pin_files"

    pin_id: Mapped[str] = mapped_column(
        ForeignKey("board_pins.pin_id", ondelete="CASCADE"), primary_key=True
    )
    file_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    content_id: Mapped[str] = mapped_column(ForeignKey("file_metadata.file_id"), index=True)
    original_name: Mapped[str] = mapped_column(String(255))
    row_count: Mapped[int]


class VersionRow(Table):
    """What was set of a board and its pins in one of its newest versions."""

    __tablename__ = "board_versions"

    board_id: Mapped[str] = mapped_column(
        ForeignKey("boards.board_id", ondelete="CASCADE"), primary_key=True
    )
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    held: Mapped[dict[str, Any]] = mapped_column(JSON)


class RunRow(Table):
    """What came of a pin once. `seen_at` is when a gateway last tried to take it further."""

    __tablename__ = "board_runs"
    __table_args__ = (
        Index("ix_board_runs_pin_id", "pin_id", "due_at", "run_id"),
        Index("ix_board_runs_state", "state", "seen_at"),
    )

    run_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    job_id: Mapped[str] = mapped_column(String(32))
    pin_id: Mapped[str] = mapped_column(ForeignKey("board_pins.pin_id", ondelete="CASCADE"))
    board_id: Mapped[str] = mapped_column(String(32))
    due_at: Mapped[datetime] = mapped_column(UtcTime)
    state: Mapped[str] = mapped_column(String(16))
    seen_at: Mapped[datetime] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)
    result: Mapped[dict[str, Any]] = mapped_column(JSON)
    number: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True))
    meaning_changed: Mapped[bool]
    out_of_range: Mapped[bool]


class AlertRow(Table):
    """Something that somebody ought to look at."""

    __tablename__ = "board_alerts"
    __table_args__ = (Index("ix_board_alerts_board_id", "board_id", "at"),)

    alert_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    board_id: Mapped[str] = mapped_column(ForeignKey("boards.board_id", ondelete="CASCADE"))
    tenant: Mapped[str] = mapped_column(String(100))
    pin_id: Mapped[str] = mapped_column(String(32))
    run_id: Mapped[str] = mapped_column(String(32))
    kind: Mapped[str] = mapped_column(String(32))
    words: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)


class DeliveryRow(Table):
    """An alert on its way. `recorded` says that the audit log has what became of it."""

    __tablename__ = "board_deliveries"
    __table_args__ = (Index("ix_board_deliveries_recorded", "recorded", "try_at"),)

    delivery_id: Mapped[str] = mapped_column(String(32), primary_key=True)
    alert_id: Mapped[str] = mapped_column(
        ForeignKey("board_alerts.alert_id", ondelete="CASCADE"), index=True
    )
    channel: Mapped[str] = mapped_column(String(16))
    target: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))
    attempts: Mapped[int]
    try_at: Mapped[datetime] = mapped_column(UtcTime)
    why: Mapped[str] = mapped_column(Text)
    recorded: Mapped[bool]
