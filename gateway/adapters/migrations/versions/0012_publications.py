"""Pages of checked texts; page and text lie apart, since they go when one is revoked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "publications",
        sa.Column("publication_id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(100), nullable=False),
        sa.Column("session_id", sa.String(32), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_by", sa.String(100), nullable=False),
        sa.Column("frames", sa.JSON, nullable=False),
        sa.Column("page_sha256", sa.String(64), nullable=False),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("page_bytes", sa.Integer, nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.Column("revoked_by", sa.String(100)),
        sa.Column("revoked_because", sa.Text),
    )
    op.create_index(
        "ix_publications_tenant_published_at",
        "publications",
        ["tenant", "published_at", "publication_id"],
    )
    op.create_index("ix_publications_session_id", "publications", ["session_id"])
    op.create_table(
        "published_pages",
        sa.Column(
            "publication_id",
            sa.String(32),
            sa.ForeignKey("publications.publication_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("page", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop them; pages and their records are lost."""
    op.drop_table("published_pages")
    op.drop_table("publications")
