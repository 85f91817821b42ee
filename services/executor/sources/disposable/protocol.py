"""What passes between the service, the fork server, and the processes it makes."""

from __future__ import annotations

import struct
from dataclasses import dataclass

FORK, KILL = b"f", b"k"
_MESSAGE = struct.Struct("!cQ")
MESSAGE_BYTES = _MESSAGE.size


@dataclass(frozen=True, slots=True)
class Limits:
    """What a process may use: bytes of address space, bytes of one file, seconds of one core."""

    memory_bytes: int
    file_bytes: int
    cpu_seconds: int


def message(operation: bytes, number: int) -> bytes:
    """An instruction to the fork server about the job of that number."""
    return _MESSAGE.pack(operation, number)


def parsed(data: bytes) -> tuple[bytes, int]:
    """The operation and the job's number."""
    operation, number = _MESSAGE.unpack(data)
    return operation, number
