"""Alembic's way in: the connection comes from `mesh.storage.database`."""

from __future__ import annotations

from mesh.storage.database import run_migrations

run_migrations()
