"""What a benchmark does as one of the mesh: frames in an executor's store, calls to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from grpc import aio

from mesh.dial import open_channel
from mesh.keys import shared_key
from mesh.seal import Seal


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


def peer_channel(home: Path, service: str, tenant: str) -> aio.Channel:
    """A channel to a service below a home folder, as one of its peers."""
    seal = Seal([shared_key(home / "mesh.key")])
    return open_channel(f"unix:{home}/{service}.sock", tenant, seal=seal)
