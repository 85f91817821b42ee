"""What a source consists of on disk, and the digest that names it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import duckdb

from mesh.digest import canonical_json, sha256_hex
from mesh.errors import SOURCE_NOT_FOUND, AssayError
from services.executor.domain.source import DataSource
from services.executor.sources.kinds import DATA_SUFFIXES

READERS_VERSION = 1

Parts = list[tuple[Path, str]]  # each file with the name it goes by


def parts_of(path: Path, source: DataSource) -> Parts:
    """The files of a source: one, or those of a folder that could hold data, by name.

    Raises AssayError(SOURCE_NOT_FOUND) for a folder without such files.
    """
    if path.is_file():
        return [(path, Path(source.name).name if source.name else path.name)]
    files = sorted(
        child
        for child in path.iterdir()
        if child.is_file()
        and child.suffix.lower() in DATA_SUFFIXES
        and not child.name.startswith(".")
    )
    if not files:
        raise AssayError(
            SOURCE_NOT_FOUND,
            f"the folder {source.label} holds no data files.",
            hint="Put CSV, TSV, JSON, JSON Lines, Parquet, SQLite or DuckDB files into it.",
        )
    return [(file, file.name) for file in files]


def source_digest(parts: Parts, source: DataSource) -> str:
    """SHA-256 over names, contents, options and the versions of whatever reads them."""
    described = {
        "version": READERS_VERSION,
        "engine": duckdb.__version__,
        "options": source.options.model_dump(),
        "type": source.type.value,
        "files": [[name, _content_digest(path)] for path, name in parts],
    }
    return sha256_hex(canonical_json(described))


def stamps_of(parts: Parts) -> list[tuple[int, int]]:
    """Size and time of change of every file, to notice a writer."""
    return [(path.stat().st_size, path.stat().st_mtime_ns) for path, _ in parts]


def _content_digest(path: Path) -> str:
    """SHA-256 of a file, with SQLite's write-ahead log where there is one beside it."""
    digest = hashlib.sha256()
    for part in (path, path.with_name(path.name + "-wal")):
        if part == path or part.exists():
            with part.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
