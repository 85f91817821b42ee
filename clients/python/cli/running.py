"""Run a command's coroutine: errors become blocks and exit codes, Ctrl-C ends it in time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from clients.python.cli.logs import kept_in
from clients.python.cli.words import short_path
from mesh.errors import CANCELLED, INTERNAL, AssayError, ExitCode

if TYPE_CHECKING:
    from clients.python.cli.screen import Screen

log = logging.getLogger("assay.cli")

EXIT_WITHIN_SECONDS = 10.0
"""From the first Ctrl-C to the end of the process, whatever is still closing: what was cancelled is
waited for, so that what became of it can be told."""


def execute(main: Callable[[Screen], Awaitable[int]], *, as_json: bool = False) -> int:
    """Run a command to its exit code."""
    from clients.python.cli.screen import Screen

    screen = Screen(as_json=as_json)
    try:
        code = asyncio.run(_interruptible(main(screen)))
        sys.stdout.flush()
        return code
    except AssayError as error:
        return screen.error(error)
    except asyncio.CancelledError:
        return screen.error(
            AssayError(
                CANCELLED, "stopped before anything was done", hint="Nothing is left behind."
            )
        )
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.ANSWERED
    except Exception as error:
        if (better := _about_a_file(error)) is not None:
            return screen.error(better)
        log.exception("the command failed")
        where = f" Details are in {short_path(Path(kept_in()))}." if kept_in() else ""
        hint = f"{INTERNAL.remedy}{where}"
        return screen.error(AssayError(INTERNAL, f"{type(error).__name__}: {error}", hint=hint))


def _about_a_file(error: Exception) -> AssayError | None:
    """What to tell of a full disk or of a file that cannot be used."""
    from mesh.storage.state_files import find_file_error, full_in

    return full_in(error) or (find_file_error(error) if isinstance(error, OSError) else None)


async def _interruptible(work: Awaitable[int]) -> int:
    """Cancel `work` at the first SIGINT or SIGTERM; the second ends the process."""
    task = asyncio.ensure_future(work)
    interrupted = threading.Event()

    def stop() -> None:
        if interrupted.is_set():
            _leave()
        interrupted.set()
        guard = threading.Timer(EXIT_WITHIN_SECONDS, _leave)
        guard.daemon = True
        guard.start()
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    return await task


def _leave() -> None:
    """End now: what counts is on disk, and the kernel lets the home's lock go."""
    if sys.stdout.isatty():
        sys.stdout.write("\x1b[?25h")  # a live display may have hidden the cursor
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(ExitCode.CANCELLED)
