"""Alembic's way in; see mesh.storage.database."""

from mesh.storage.database import run_migrations

run_migrations()
