"""Who uses a mesh in the background: each command holds <home>/mesh.users, shared, while it runs.

The mesh ends only while it holds that file alone, so nobody loses it under their hands; and the
kernel lets go for a command that dies.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import IO

from clients.python.owning import let_go, try_lock

USERS = "mesh.users"


class Users:
    """The file that says whether somebody uses the mesh of a home; `file` is it, open."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def join(self) -> bool:
        """Use the mesh from now on; False where it is about to end, so that another is needed."""
        if not try_lock(self._file, shared=True):
            return False
        with suppress(OSError):  # a full disk: a short command may go unseen, and nothing is lost
            os.utime(self._file.fileno())
        return True

    def leave(self) -> None:
        """Use it no longer."""
        let_go(self._file)

    def alone(self) -> bool:
        """Keep others out, where nobody uses the mesh: whoever comes waits until it has ended."""
        return try_lock(self._file)

    def seconds_since(self) -> float:
        """How long ago the last command came."""
        return max(0.0, time.time() - os.fstat(self._file.fileno()).st_mtime)
