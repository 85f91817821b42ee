"""Copies of stored objects: read while others ask for them, and left when they are long unused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from mesh.storage.objects.cache import IN_USE_SECONDS, ObjectCache


def fetched(content: bytes) -> Callable[[BinaryIO], None]:
    def fetch(file: BinaryIO) -> None:
        file.write(content)

    return fetch


def test_a_copy_that_is_read_does_not_change_when_others_ask_for_it(tmp_path: Path) -> None:
    """Readers take a change of its times, or another file in its place, for somebody's writing."""
    cache = ObjectCache(tmp_path, 1 << 20)
    path = cache.add("files/a", fetched(b"north,3"), None)
    read = path.stat()
    assert cache.find("files/a") == path
    assert cache.add("files/a", fetched(b"north,3"), None) == path
    now = path.stat()
    assert (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) == (
        read.st_ino,
        read.st_mtime_ns,
        read.st_ctime_ns,
    )


def test_what_was_asked_for_lately_stays_and_the_longest_unused_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 2_000_000_000.0
    cache = ObjectCache(tmp_path, 10, clock=lambda: now)
    for key in ("a", "b"):
        cache.add(key, fetched(b"12345"), None)
    now += IN_USE_SECONDS + 1
    assert cache.find("a")
    cache.add("c", fetched(b"12345"), None)
    assert cache.find("a")
    assert not cache.find("b")
    assert cache.find("c")
