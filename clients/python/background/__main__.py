"""The process of a mesh in the background: `starting.start` begins it, nobody else does."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, time

from clients.python.background.choosing import idle_minutes
from clients.python.background.using import USERS, Users
from clients.python.embedded import Served, find_embedded_mesh
from clients.python.owning import Owner, forget_owner, lock_file, write_owner
from mesh.errors import INTERNAL, AssayError
from mesh.processes.giving_back import trim
from mesh.processes.lifeline import tell, tell_failure

log = logging.getLogger("assay.background")

_LOOK_SECONDS = 2.0
_TRIM_AFTER_SECONDS = 20.0


def main() -> None:
    """Serve the home until nobody has used it for a while, or it is told to stop."""
    home, lock, line, made_of, soon = sys.argv[1:]
    # Open until this process ends, however it does: the lock is let go then, and not before.
    os.set_inheritable(int(lock), False)
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    os.environ["ASSAY_HOME"] = home
    # Imports make objects by the hundred thousand that all stay: looking through them is vain.
    gc.disable()
    with socket.socket(fileno=int(line)) as speaking:
        try:
            idle_seconds = idle_minutes() * 60
            owner = Owner(
                os.getpid(), "background", "", made_of, socket.gethostname(), time(), idle_seconds
            )
            write_owner(Path(home), owner)
            wanted = soon.split(",") if soon else []
            # Before anything else is open here: it forks.
            mesh = find_embedded_mesh()(Path(home), soon=wanted, apart=True)
            asyncio.run(_serve(Path(home), owner, mesh, speaking))
        except AssayError as error:
            tell_failure(speaking, error)
            raise SystemExit(1) from error
        except Exception as error:
            log.exception("the mesh in the background failed")
            tell_failure(speaking, AssayError(INTERNAL, f"{type(error).__name__}: {error}"))
            raise SystemExit(1) from error
        finally:
            forget_owner(Path(home))
    # Everything is closed, and taking modules down one by one is vain.
    os._exit(0)


async def _serve(
    home: Path,
    owner: Owner,
    serving: AbstractAsyncContextManager[Served],
    line: socket.socket,
) -> None:
    from clients.python.cli.logs import keep_logs

    over = _Over()
    keep_logs(home)
    with lock_file(home, USERS) as file:
        users = Users(file)
        async with serving as mesh:
            write_owner(home, replace(owner, target=mesh.target))
            tell(line, {"target": mesh.target})
            await over.wait(users, mesh.at_work, owner.idle_seconds)
            forget_owner(home)  # whoever comes now waits until the lock is free


class _Over:
    """When the mesh ends: told to stop now, or told that another is wanted, or left alone.

    SIGTERM stops it; SIGHUP asks it to make room for one of other code or settings once nobody uses
    it and nothing is at work.
    """

    def __init__(self) -> None:
        self._stop = self._make_room = False
        self._notified = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._on_stop)
        loop.add_signal_handler(signal.SIGHUP, self._on_make_room)

    def _on_stop(self) -> None:
        self._stop = True
        self._notified.set()

    def _on_make_room(self) -> None:
        self._make_room = True
        self._notified.set()

    async def wait(self, users: Users, at_work: Callable[[], bool], idle_seconds: float) -> None:
        """Return when it is over; others are kept out from then on, unless it was told to stop."""
        used, trimmed = monotonic(), False
        while not self._stop:
            if at_work() or not users.alone():
                used, trimmed = monotonic(), False
            else:
                used = max(used, monotonic() - users.seconds_since())
                left = monotonic() - used
                if self._make_room or left >= idle_seconds:
                    return
                users.leave()
                if not gc.isenabled():
                    gc.freeze()
                    gc.enable()
                if left >= _TRIM_AFTER_SECONDS and not trimmed:
                    trimmed = True
                    await asyncio.to_thread(_trim)
            self._notified.clear()
            pause = min(_LOOK_SECONDS, idle_seconds / 10) if not self._make_room else 0.1
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._notified.wait()


def _trim() -> None:
    """Give what nothing uses any more back to the system."""
    gc.collect()
    trim()


if __name__ == "__main__":
    main()
