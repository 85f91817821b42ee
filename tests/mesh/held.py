"""Frames that a test puts into an executor's store itself, as if a job had made them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def hold(home: Path, digest: str, *tenants: str) -> None:
    """From now on a frame is these tenants'."""
    with closing(sqlite3.connect(home / "executor" / "executor.sqlite")) as database, database:
        database.execute(
            "INSERT OR IGNORE INTO stored_things (kind, name, bytes) VALUES ('frame', ?, 1)",
            (digest,),
        )
        database.executemany(
            "INSERT OR IGNORE INTO leases (tenant, holder, kind, name) "
            "VALUES (?, 'job:test', 'frame', ?)",
            [(tenant, digest) for tenant in tenants],
        )
