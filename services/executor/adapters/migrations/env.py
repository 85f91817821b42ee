"""Alembic's way in: the connection comes from `mesh.database`."""

from __future__ import annotations

from mesh.database import run_migrations

run_migrations()
