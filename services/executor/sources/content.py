"""What a source consists of on disk, and the digest that names it."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

from mesh.canonical import canonical_json
from mesh.digest import sha256_hex
from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_NOT_FOUND, AssayError
from services.executor.domain.source import DataSource, ReaderOptions
from services.executor.sources.kinds import DATA_SUFFIXES
from services.executor.sources.lake.folders import MOST_FILES, layout_of, one_table
from services.executor.sources.location import locate

READERS_VERSION = 12

Parts = list[tuple[Path, str]]  # each file with the name it goes by
Stamp = tuple[int, ...]

_SETTLED_NS = 2_000_000_000
_KEPT_DIGESTS = 65_536  # more than the files of one table


def parts_of(path: Path, source: DataSource) -> Parts:
    """The files of a source: one, those that are one together, or those of a folder that could
    hold data, by name.

    Of a folder that is one table (`lake`) the names are paths within it. Where a folder has no such
    files, those of the folders in it are meant, which are named by these too. Raises AssayError:
    SOURCE_NOT_FOUND for a folder without such files, RESOURCE_EXHAUSTED for one with too many.
    """
    if source.parts:
        return [
            (locate(DataSource(file_path=part)), Path(name).name) for part, name in source.parts
        ]
    if path.is_file():
        return [(path, Path(source.name).name if source.name else path.name)]
    if parts := one_table(path):
        return parts
    files = sorted(child for child in path.iterdir() if _is_data(child))
    if not files and (nested := _nested(path)):
        return nested
    if not files:
        raise AssayError(
            SOURCE_NOT_FOUND,
            f"the folder {source.label} holds no data files.",
            hint="Put CSV, TSV, JSON, JSON Lines, Parquet, Arrow, Excel, SQLite or DuckDB files "
            "into it.",
        )
    return [(file, file.name) for file in files]


def _is_data(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in DATA_SUFFIXES and not path.name.startswith(".")


def _nested(folder: Path) -> Parts:
    """The files in the folders of a folder, by name: their own where each has one of its own, else
    with the folders' before it. Raises AssayError(RESOURCE_EXHAUSTED) for too many."""
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith((".", "_")))
        found += filter(_is_data, (Path(place) / name for name in sorted(names)))
        if len(found) > MOST_FILES:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"the folder {folder.name} holds more than {MOST_FILES:,} files in its folders.",
                hint="Name one of the folders in it.",
            )
    apart = len({file.name for file in found}) == len(found)
    joined = ("_".join(file.relative_to(folder).parts) for file in found)
    return [(f, f.name if apart else name) for f, name in zip(found, joined, strict=True)]


class ContentDigests:
    """SHA-256 of files, computed again only when a file's stamp has changed.

    A digest is kept where the file was left alone for two seconds before it was read: within the
    resolution of a file system's clock a later change could have the same stamp. The time of change
    that the system keeps cannot be set back by a program, unlike the time of modification. One
    object serves all threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Path, tuple[list[Stamp], str]] = OrderedDict()

    def of(self, path: Path) -> str:
        """The digest of a file, with SQLite's write-ahead log where there is one beside it.

        Raises OSError.
        """
        stamps = _stamps(path)
        with self._lock:
            kept = self._kept.get(path)
            if kept is not None and kept[0] == stamps:
                self._kept.move_to_end(path)
                return kept[1]
        latest = max(max(stamp[-2:]) for stamp in stamps)
        settled = 0 <= latest < time.time_ns() - _SETTLED_NS
        digest = _content_digest(path)
        if settled and _stamps(path) == stamps:
            with self._lock:
                self._kept[path] = (stamps, digest)
                while len(self._kept) > _KEPT_DIGESTS:
                    self._kept.popitem(last=False)
        return digest


def source_digest(parts: Parts, source: DataSource, digests: ContentDigests) -> str:
    """SHA-256 over names, contents, options and the versions of whatever reads them."""
    import duckdb

    described = {
        "version": READERS_VERSION,
        "engine": duckdb.__version__,
        "options": _options_to_json(source.options),
        "type": source.type.value,
        "files": [[name, digests.of(path)] for path, name in parts],
    }
    if layout_of(name for _, name in parts):
        described["folder"] = source.label  # which names the table
    if source.parts:
        described["folder"] = ""  # as no folder does
    return sha256_hex(canonical_json(described))


def _options_to_json(options: ReaderOptions) -> dict[str, Any]:
    """The options as JSON; what all columns are read for has the digest that it always had."""
    return options.model_dump(mode="json", exclude=set() if options.only else {"only"})


def stamps_of(parts: Parts) -> list[Stamp]:
    """Size and time of modification of every file, to notice a writer."""
    return [(path.stat().st_size, path.stat().st_mtime_ns) for path, _ in parts]


def _stamps(path: Path) -> list[Stamp]:
    """Device, inode, size, times of modification and change in ns, of each file it consists of."""
    found = [path.stat()]
    found += [log.stat() for log in (path.with_name(path.name + "-wal"),) if log.exists()]
    return [(s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for s in found]


def _content_digest(path: Path) -> str:
    digest = hashlib.sha256()
    for part in (path, path.with_name(path.name + "-wal")):
        if part == path or part.exists():
            with part.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
