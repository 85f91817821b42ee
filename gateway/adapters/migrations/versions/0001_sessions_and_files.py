"""Sessions, their files, and the contents those show."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the three tables."""
    op.create_table(
        "sessions",
        sa.Column("session_id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("report_ready", sa.Boolean, nullable=False),
        sa.Column("last_job_id", sa.String(32), nullable=False),
    )
    op.create_index(
        "ix_sessions_tenant_created_at", "sessions", ["tenant", "created_at", "session_id"]
    )
    op.create_index("ix_sessions_status_expires_at", "sessions", ["status", "expires_at"])
    op.create_table(
        "file_metadata",
        sa.Column("file_id", sa.String(32), primary_key=True),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("original_filename", sa.String(512), nullable=False),
        sa.Column("file_path", sa.Text, nullable=False),
        sa.Column("file_size", sa.Integer, nullable=False),
        sa.Column("mime_type", sa.String(100)),
        sa.Column("user_id", sa.String(100), nullable=False),
        sa.Column("reference_count", sa.Integer, nullable=False, server_default="1"),
        sa.Column(
            "upload_timestamp", _MOMENT, nullable=False, server_default=sa.func.current_timestamp()
        ),
        sa.Column(
            "last_accessed", _MOMENT, nullable=False, server_default=sa.func.current_timestamp()
        ),
    )
    op.create_index("ix_file_metadata_content_hash", "file_metadata", ["content_hash"])
    op.create_index("ix_file_metadata_user_id", "file_metadata", ["user_id"])
    op.create_index("ix_file_metadata_upload_timestamp", "file_metadata", ["upload_timestamp"])
    op.create_index(
        "ix_file_metadata_content_hash_user_id",
        "file_metadata",
        ["content_hash", "user_id"],
        unique=True,
    )
    op.create_table(
        "session_files",
        sa.Column("file_id", sa.String(32), primary_key=True),
        sa.Column(
            "session_id",
            sa.String(32),
            sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column(
            "content_id", sa.String(32), sa.ForeignKey("file_metadata.file_id"), nullable=False
        ),
        sa.Column("original_name", sa.String(255), nullable=False),
        sa.Column("description", sa.String(2000), nullable=False),
        sa.Column("row_count", sa.Integer, nullable=False),
        sa.Column("duplicate", sa.Boolean, nullable=False),
        sa.Column("uploaded_at", _MOMENT, nullable=False),
    )
    op.create_index(
        "ix_session_files_session_id", "session_files", ["session_id", "uploaded_at", "file_id"]
    )
    op.create_index("ix_session_files_content_id", "session_files", ["content_id"])


def downgrade() -> None:
    """Drop them; what they held is lost."""
    op.drop_table("session_files")
    op.drop_table("file_metadata")
    op.drop_table("sessions")
