"""Which folders are one table, and which of their files belong to it.

A folder is Delta where it has a log (`_delta_log`), Iceberg where it has metadata
(`metadata/….metadata.json`), and a data set where its folders are named `key=value` or where its
files are Parquet named as parts (`part-00000-….parquet`). Any other folder is a table a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath

from mesh.errors import RESOURCE_EXHAUSTED, AssayError
from services.executor.sources.kinds import DATA_SUFFIXES

MOST_FILES = 50_000
"""Files that one table may consist of."""

DELTA_LOG = "_delta_log"
ICEBERG_METADATA = "metadata"
_ICEBERG = re.compile(r"metadata/[^/]+\.metadata\.json")
_COMMIT = re.compile(r"_delta_log/\d{20}\.(json|checkpoint.*\.parquet)")
_KEY = re.compile(r"[^=/]+=[^/]*")
_PARQUET = frozenset({".parquet", ".pq"})
# part-00000-<uuid>.c000.snappy, data_0, 000000_0, 17, a uuid alone
_PART = re.compile(
    r"(?:(?:part|data|chunk|shard|batch|block)[-_.]?)?"
    r"(?:(\d+)(?:[-_.].*)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f-]+(?:[-_.].*)?)",
    re.IGNORECASE,
)


class Layout(StrEnum):
    """What makes a folder one table."""

    PARTS = "parts"
    DELTA = "delta"
    ICEBERG = "iceberg"


def layout_of(names: Iterable[str]) -> Layout | None:
    """What makes these files one table, told by their names within the folder; None if nothing."""
    names = tuple(names)
    if any(_COMMIT.fullmatch(name) for name in names):
        return Layout.DELTA
    if any(_ICEBERG.fullmatch(name) for name in names):
        return Layout.ICEBERG
    if any(_KEY.fullmatch(name.partition("/")[0]) and "/" in name for name in names):
        return Layout.PARTS
    data = [PurePosixPath(name) for name in names if is_data(name)]
    return Layout.PARTS if data and _are_parts(data) else None


def _are_parts(files: Sequence[PurePosixPath]) -> bool:
    """Whether Parquet files are numbered parts of one table, and not tables of their own.

    Numbers count from 0 or 1: `2023.parquet` and `2024.parquet` are years.
    """
    found = [_PART.fullmatch(file.stem) for file in files]
    if not all(found) or any(file.suffix.lower() not in _PARQUET for file in files):
        return False
    numbers = {int(match[1]) for match in found if match and match[1]}
    return not numbers or min(numbers) <= 1


def is_data(name: str) -> bool:
    """Whether a file of a data set holds rows of it: what begins with a dot or a line does not."""
    *folders, last = name.split("/")
    hidden = any(part.startswith((".", "_")) and "=" not in part for part in (*folders, last))
    suffix = PurePosixPath(last).suffix.lower()
    return not hidden and (suffix in DATA_SUFFIXES or (bool(folders) and not suffix))


def wanted_of(names: Sequence[str]) -> list[str]:
    """The files that a folder's table is made of, by name; empty for a folder that is none.

    Of Delta and Iceberg these are all files: which of them count, their own records say.
    """
    layout = layout_of(names)
    if layout is None:
        return []
    if layout is Layout.PARTS:
        return sorted(name for name in names if is_data(name))
    return sorted(name for name in names if not name.endswith((".crc", "/_SUCCESS")))


def one_table(folder: Path) -> list[tuple[Path, str]]:
    """The files of a folder that is one table, with their names within it; else nothing.

    Raises AssayError(RESOURCE_EXHAUSTED) for more than can be read. Blocks, and raises OSError.
    """
    names = _names(folder)
    return [(folder / name, name) for name in wanted_of(names)]


def _names(folder: Path) -> list[str]:
    """All files that could belong to one table; those alone at its top where no folder does."""
    with os.scandir(folder) as entries:
        top = list(entries)
    deep = any(
        entry.is_dir() and (entry.name in (DELTA_LOG, ICEBERG_METADATA) or "=" in entry.name)
        for entry in top
    )
    if not deep:
        return [entry.name for entry in top if entry.is_file()]
    names: list[str] = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        within = Path(place).relative_to(folder)
        names += [(within / name).as_posix() for name in files]
        if len(names) > MOST_FILES:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"the folder {folder.name} holds more than {MOST_FILES:,} files, which is the most "
                "that is read as one table.",
                hint="Write it anew in larger files, or name a folder within it.",
            )
    return names
