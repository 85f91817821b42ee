"""Alembic's way in; see mesh.database."""

from mesh.database import run_migrations

run_migrations()
