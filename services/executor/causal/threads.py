"""Linear algebra on one thread: how sums are cut up would else depend on the machine's cores."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_within = 0
_held: set[str] = set()
_limits: list[Any] = []


@contextmanager
def one_thread(*libraries: str) -> Iterator[None]:
    """Holds BLAS and OpenMP to one thread, in the whole process, until the last who asks is done.

    So equal input gives equal bits, and tools that run side by side do not fight for cores. The
    `libraries` that will be used are imported first: what is loaded later would not be held.
    """
    global _within
    from threadpoolctl import threadpool_limits

    wanted = {"scipy.linalg", *libraries}
    for name in sorted(wanted):
        importlib.import_module(name)
    with _lock:
        if not wanted <= _held:  # to find what is to be held takes longer than a small fit
            _limits.append(threadpool_limits(limits=1))
            _held.update(wanted)
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            while not _within and _limits:
                _limits.pop().restore_original_limits()
            if not _within:
                _held.clear()
