"""When this command was started, and the first a person sees of it."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path, PurePath

from mesh.text.harmless import harmless

_CLEAR_LINE = "\r\x1b[K"
_MOST_NAMED = 2
_START_TICKS = 19  # field 22 of proc(5)'s stat, counted after the name

_shown = False


def _age() -> float:
    """Seconds that this process has lived; where the system does not tell, those it worked."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError, IndexError):
            after_name = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
            started = int(after_name[_START_TICKS]) / os.sysconf("SC_CLK_TCK")
            return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    return time.process_time()


_BEGAN = time.monotonic() - _age()


def seconds() -> float:
    """Since the command was started."""
    return time.monotonic() - _BEGAN


def show_reading(data: Sequence[str], databases: Sequence[str]) -> None:
    """Tell a person at a terminal what is being read, before anything is imported for it."""
    names = [PurePath(place).name for place in data] + ["the database"] * bool(databases)
    named = " and ".join(names) if len(names) <= _MOST_NAMED else f"{len(names)} sources"
    _show(f"reading {harmless(named)} …" if names else "starting …")


def clear() -> None:
    """Take away what `show_reading` wrote: what follows has its place."""
    global _shown
    if _shown:
        _shown = False
        sys.stderr.write(_CLEAR_LINE)
        sys.stderr.flush()


def _show(text: str) -> None:
    global _shown
    if sys.stdout.isatty() and sys.stderr.isatty():
        _shown = True
        sys.stderr.write(text)
        sys.stderr.flush()
