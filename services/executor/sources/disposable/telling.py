"""How far a job is, told by the process that does it to the service that waits for it."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import Any

_channels: list[socket.socket] = []


def through(channel: socket.socket) -> None:
    """Have what this process tells go there."""
    _channels.append(channel)


def tell(update: dict[str, Any]) -> None:
    """Tell how far the job is, as a JSON object; nobody need listen. Blocks no longer than it takes
    to hand over, and must not be called beside itself."""
    for channel in _channels:
        with contextlib.suppress(OSError):
            channel.sendall(json.dumps({"told": update}).encode() + b"\n")
