"""Conversations (seed 004): routers, their messages, and their links to planners."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_NOW = sa.func.current_timestamp()
_COUNTED = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the three tables."""
    op.create_table(
        "routers",
        sa.Column("router_id", sa.String(32), primary_key=True),
        sa.Column("id", sa.String(32), sa.Computed("router_id", persisted=True)),
        sa.Column("title", sa.Text),
        sa.Column("preview", sa.Text),
        sa.Column("status", sa.String(50), nullable=False),
        sa.Column("model", sa.String(100)),
        sa.Column("temperature", sa.Float),
        sa.Column("agent_metadata", sa.JSON),
        sa.Column("schema_version", sa.Integer, nullable=False, server_default="1"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=_NOW),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False, server_default=_NOW),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("session_id", sa.String(32), nullable=False, server_default=""),
        sa.Column("message_count", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_index(
        "ix_routers_tenant_updated_at", "routers", ["tenant", "updated_at", "router_id"]
    )
    op.create_index("ix_routers_session_id", "routers", ["session_id"])
    op.create_table(
        "router_messages",
        sa.Column("message_id", _COUNTED, primary_key=True, autoincrement=True),
        sa.Column(
            "agent_id",
            sa.String(32),
            sa.ForeignKey("routers.router_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("content", sa.Text),
        sa.Column("image", sa.Text),
        sa.Column("timestamp", sa.DateTime(timezone=True), nullable=False, server_default=_NOW),
        sa.Column("metadata", sa.JSON),
        sa.Column("artifacts_referenced", sa.JSON),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("request_id", sa.String(32), nullable=False, server_default=""),
        sa.Column("job_id", sa.String(32), nullable=False, server_default=""),
        sa.Column("job_sequence", _COUNTED, nullable=False, server_default="0"),
        sa.UniqueConstraint("agent_id", "position", name="uq_router_messages_position"),
    )
    op.create_index("ix_router_messages_request_id", "router_messages", ["request_id"])
    op.create_table(
        "router_planner_links",
        sa.Column("link_id", _COUNTED, primary_key=True, autoincrement=True),
        sa.Column(
            "router_id",
            sa.String(32),
            sa.ForeignKey("routers.router_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("planner_id", sa.String(32), nullable=False),
        sa.Column("relationship_type", sa.String(50), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=_NOW),
        sa.UniqueConstraint("router_id", "planner_id", name="uq_router_planner_links"),
    )
    op.create_index("ix_router_planner_links_planner_id", "router_planner_links", ["planner_id"])


def downgrade() -> None:
    """Drop them; what was said is lost, the jobs are not."""
    for table in ("router_planner_links", "router_messages", "routers"):
        op.drop_table(table)
