"""How a benchmark calls a service as one of the mesh."""

from __future__ import annotations

from pathlib import Path

from grpc import aio

from mesh.keys import shared_key
from mesh.transport.dial import open_channel
from mesh.transport.seal import Seal


def peer_channel(home: Path, service: str, tenant: str) -> aio.Channel:
    """A channel to a service below a home folder, as one of its peers."""
    return open_channel(f"unix:{home}/{service}.sock", tenant, seal=mesh_seal(home))


def mesh_seal(home: Path) -> Seal:
    """The seal of the mesh below a home folder."""
    return Seal([shared_key(home / "mesh.key")])
