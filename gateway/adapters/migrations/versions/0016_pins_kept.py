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
    op.execute("UPDATE board_pins SET pinned_how = 'socket' WHERE tenant = 'local'")


def downgrade() -> None:
    """Take them away; every pin is asked again, those that were taken off are forgotten."""
    op.drop_table("board_versions")
    op.execute("DELETE FROM board_pins WHERE removed_at IS NOT NULL")
    for name in ("removed_at", "paused_why", "paused_at", "pinned_how"):
        op.drop_column("board_pins", name)
    op.drop_table("people_seen")
