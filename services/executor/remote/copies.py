"""Copies of what is elsewhere, on the disk: complete or absent, named by their version."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from services.executor.remote.bucket import Object

_AT_ONCE = 8


def fetch_all(
    objects: Sequence[Object],
    root: Path,
    unchanged: Callable[[Object], Path | None],
    fetch_one: Callable[[Object, Path], None],
) -> None:
    """Fetch objects, several at once; what did not change is taken from the copy before."""

    def one(wanted: Object) -> None:
        into = root / wanted.name
        into.parent.mkdir(parents=True, exist_ok=True)
        before = unchanged(wanted)
        if before is not None:
            os.link(before, into)
        else:
            fetch_one(wanted, into)

    with ThreadPoolExecutor(min(_AT_ONCE, len(objects)), "fetch") as threads:
        for done in [threads.submit(one, wanted) for wanted in objects]:
            try:
                done.result()
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise


def unchanged(folder: Path, top: str, before: Mapping[str, Any]) -> Callable[[Object], Path | None]:
    """Where a copy of an object is that was fetched for the version before."""
    tags = before.get("tags", {})

    def find(one: Object) -> Path | None:
        path = folder / before.get("version", "-") / top / one.name
        same = tags.get(one.name) == one.etag and path.is_file()
        return path if same and path.stat().st_size == one.size else None

    return find


def put(building: Path, place: Path) -> None:
    """Put a complete copy in its place; another fetcher of this home may have been faster."""
    with suppress(OSError):
        building.rename(place)
    if not place.exists():
        shutil.move(building, place)


def about(path: Path) -> dict[str, Any]:
    """What is remembered of the newest copy; nothing where that cannot be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(path: Path, known: Mapping[str, Any]) -> None:
    """Keep what is to be known of the newest copy. Raises OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    beside.write_text(json.dumps(dict(known)), encoding="utf-8")
    beside.replace(path)


def file_name(name: str) -> str:
    """A name for the copy that every file system takes, which keeps what it ends with."""
    plain = "".join(sign if sign.isprintable() and sign not in "/\\\0" else "_" for sign in name)
    return plain[-120:].lstrip(".") or "data"
