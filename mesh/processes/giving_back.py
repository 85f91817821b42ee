"""Giving memory that was freed back to the system.

glibc keeps what was freed for its own later use, by thread and in pieces: after two hundred streams
that is gigabytes. Other C libraries are left to themselves.
"""

from __future__ import annotations

import asyncio
import ctypes
from contextlib import suppress

SOON_SECONDS = 2.0


def trim() -> None:
    """Give back what nothing uses any more. Blocks, for milliseconds."""
    with suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL("libc.so.6").malloc_trim(0)


class Trimming:
    """Trims after much was freed: once for all that is freed within SOON_SECONDS."""

    def __init__(self, soon_seconds: float = SOON_SECONDS) -> None:
        self._soon_seconds = soon_seconds
        self._waiting = False

    def soon(self) -> None:
        """Something large was freed; call it where the event loop runs."""
        if not self._waiting:
            self._waiting = True
            asyncio.get_running_loop().call_later(self._soon_seconds, self._trim)

    def _trim(self) -> None:
        self._waiting = False
        asyncio.get_running_loop().run_in_executor(None, trim)
