"""Copies of objects on this machine's disk, so that they can be mapped and read again."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from mesh.storage.files import building_file, sweep
from mesh.storage.objects.failures import disk_failures
from mesh.storage.objects.port import Check
from mesh.telemetry.metrics import looked_up

log = logging.getLogger("assay.objects")

IN_USE_SECONDS = 900.0
"""A copy that was asked for within this time stays: longer than reading a source may take."""


class ObjectCache:
    """A folder of copies of at most `max_bytes`, the longest unused going first.

    May exceed that by what was asked for within the last fifteen minutes. What it holds was
    checked when it came; the disk is trusted afterwards.
    """

    def __init__(self, root: Path, max_bytes: int, clock: Callable[[], float] = time.time) -> None:
        self._root = root
        self._max_bytes = max_bytes
        self._clock = clock
        self._guard = threading.Lock()
        self._held: int | None = None
        # Kept beside the files, not in their times: whoever reads a copy watches these, to notice
        # that it is written to.
        self._used: dict[Path, float] = {}

    def find(self, key: str) -> Path | None:
        """The copy of an object, from now on in use; None when there is none."""
        path = self._root / key
        self._used[path] = self._clock()
        there = path.exists()
        looked_up("objects", hit=there)
        return path if there else None

    def add(self, key: str, fetch: Callable[[BinaryIO], None], check: Check | None) -> Path:
        """Keep what `fetch` writes, once `check` let it pass. Raises what either raises.

        Of several that fetch one object at once the first one's copy stays: it may be read already.
        """
        path = self._root / key
        with disk_failures(), building_file(path.parent) as (file, built):
            fetch(file)
            file.flush()
            if check is not None:
                check(built)
            size = built.stat().st_size
            now = self._used[path] = self._clock()
            os.utime(built, (now, now))  # what is told of its last use after a restart
            with suppress(FileExistsError):
                path.hardlink_to(built)
        self._make_room(size)
        return path

    def drop(self, key: str) -> None:
        """Forget a copy; no error when there is none."""
        self._used.pop(self._root / key, None)
        (self._root / key).unlink(missing_ok=True)

    def sweep(self) -> int:
        """Remove half-fetched copies of a process that died."""
        return sweep(self._root)

    def _make_room(self, added: int) -> None:
        with self._guard:
            if self._held is not None:
                self._held += added
                if self._held <= self._max_bytes:
                    return
            copies = sorted(_copies(self._root), key=self._last_used)
            self._held = sum(about.st_size for _, about in copies)
            for path, about in copies:
                if self._held <= self._max_bytes:
                    return
                if self._last_used((path, about)) > self._clock() - IN_USE_SECONDS:
                    log.warning(
                        "the cache of stored objects holds %d bytes, all in use", self._held
                    )
                    return
                path.unlink(missing_ok=True)
                self._used.pop(path, None)
                self._held -= about.st_size

    def _last_used(self, copy: tuple[Path, os.stat_result]) -> float:
        path, about = copy
        return max(self._used.get(path, 0.0), about.st_mtime)


def _copies(root: Path) -> list[tuple[Path, os.stat_result]]:
    found = []
    for folder, _, files in os.walk(root):
        for name in files:
            path = Path(folder) / name
            try:
                found.append((path, path.stat()))
            except FileNotFoundError:
                continue
    return [copy for copy in found if not copy[0].name.startswith(".")]
