"""Pins know how their owners were known, and wait for one who may ask; boards keep versions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mesh.storage.columns import UtcTime

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the columns and the table; pins of the tenant `local` were made over its own socket."""
    op.create_table(
        "people_seen",
        sa.Column("tenant", sa.String(100), primary_key=True),
        sa.Column("user_name", sa.String(100), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("seen_at", UtcTime, nullable=False),
    )
    how = sa.Column("pinned_how", sa.String(16), nullable=False, server_default="token")
    op.add_column("board_pins", how)
    op.add_column("board_pins", sa.Column("paused_at", UtcTime))
    why = sa.Column("paused_why", sa.Text, nullable=False, server_default="")
    op.add_column("board_pins", why)
    op.add_column("board_pins", sa.Column("removed_at", UtcTime))
    op.create_table(
        "board_versions",
        sa.Column(
            "board_id",
            sa.String(32),
            sa.ForeignKey("boards.board_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("held", sa.JSON, nullable=False),
    )
    op.create_table(
        "board_pin_files",
        sa.Column(
            "pin_id",
            sa.String(32),
            sa.ForeignKey("board_pins.pin_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("file_id", sa.String(32), primary_key=True),
        sa.Column(
            "content_id", sa.String(32), sa.ForeignKey("file_metadata.file_id"), nullable=False
        ),
        sa.Column("original_name", sa.String(255), nullable=False),
        sa.Column("row_count", sa.Integer, nullable=False),
    )
    op.create_index("ix_board_pin_files_content_id", "board_pin_files", ["content_id"])
    op.execute("UPDATE board_pins SET pinned_how = 'socket' WHERE tenant = 'local'")


def downgrade() -> None:
    """Take them away: every pin is asked again, and those that were taken off are on their boards
    again. What pins kept of uploads stays, and counts among its tenant's bytes."""
    op.drop_table("board_pin_files")
    op.drop_table("board_versions")
    for name in ("removed_at", "paused_why", "paused_at", "pinned_how"):
        op.drop_column("board_pins", name)
    op.drop_table("people_seen")
