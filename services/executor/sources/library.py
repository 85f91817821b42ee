"""Sources, read once and kept.

Every source becomes a folder `<home>/sources/<digest>/`, where the digest covers the content, the
reader's options and the version of the readers. A folder there is complete or absent, also after
a power cut: it is built and synced beside its place and renamed into it, so builders that meet do
no harm, and whoever comes second uses what the first made. What parses foreign bytes is a process
that is used once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesh.digest import canonical_json, sha256_hex
from mesh.errors import (
    CANCELLED,
    RESOURCE_EXHAUSTED,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    AssayError,
)
from mesh.failpoint import failpoint
from mesh.files import building_folder, sync_folder
from services.executor.domain.source import DataSource
from services.executor.sources.content import (
    ContentDigests,
    Parts,
    parts_of,
    source_digest,
    stamps_of,
)
from services.executor.sources.disposable.pool import Crashed, DisposableProcesses, Stopped
from services.executor.sources.disposable.refusals import raise_refusal
from services.executor.sources.location import locate
from services.executor.sources.manifest import Decision, Manifest, StoredTable
from services.executor.sources.processes import reader_processes

log = logging.getLogger("assay.executor")


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """A source that is ready to be queried, from files that nobody writes any more.

    `database` is a DuckDB file with the tables that came from a database, and the rows of files
    that were kept aside; each table of a file is a Parquet file beside it.

    `kinds` are those of its files, such as "csv". `salt` goes into the pseudonyms of blocked cells:
    the same in one home, unknown outside it.
    """

    digest: str
    label: str
    database: Path
    tables: tuple[StoredTable, ...]
    notes: tuple[str, ...]
    decisions: tuple[Decision, ...]
    schema_fingerprint: str
    salt: str = field(repr=False)
    kinds: tuple[str, ...] = ()
    note_columns: Mapping[str, str] = field(default_factory=dict)

    def file(self, table: StoredTable) -> Path | None:
        """The Parquet file that holds a table; None for one that is in `database`."""
        return self.database.with_name(table.file) if table.file else None

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(table.rows for table in self.tables)


class SourceLibrary:
    """Opens sources, each content only once for one home folder."""

    def __init__(
        self,
        home: Path,
        *,
        memory_limit: str = "4GB",
        unpacked_limit: int = 16 << 30,
        seconds: float = 600.0,
        processes: DisposableProcesses | None = None,
    ) -> None:
        self.home = home
        self._folder = home / "sources"
        self._memory_limit = memory_limit
        self._unpacked_limit = unpacked_limit
        self._seconds = seconds
        self._processes = processes or reader_processes(memory_limit, unpacked_limit)
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._known: dict[str, PreparedSource] = {}
        self._digests = ContentDigests()

    def start(self) -> None:
        """Prepare for the first source, without waiting until that is done."""
        self._processes.start()

    def close(self) -> None:
        """Stop reading."""
        self._processes.close()

    def open(self, source: DataSource, cancelled: threading.Event | None = None) -> PreparedSource:
        """The source, read now or earlier. Blocks while it is read, until `cancelled` is set.

        Raises AssayError: SOURCE_NOT_FOUND, SOURCE_NOT_SUPPORTED, SOURCE_NOT_READABLE,
        SOURCE_EMPTY, RESOURCE_EXHAUSTED when the disk is full, CANCELLED.
        """
        path = locate(source)
        try:
            parts = parts_of(path, source)
            digest = source_digest(parts, source, self._digests)
            with self._one_builder(digest):
                known = self._known.get(digest)
                if known is not None and known.database.exists():
                    return known
                return self._load_or_build(digest, parts, source, cancelled or threading.Event())
        except PermissionError:
            raise AssayError(
                SOURCE_NOT_READABLE, f"{source.label} may not be read by this user."
            ) from None
        except FileNotFoundError:
            raise AssayError(
                SOURCE_NOT_FOUND, f"{source.label} went away while it was read."
            ) from None
        except OSError as error:
            raise AssayError(
                RESOURCE_EXHAUSTED, f"{source.label} cannot be stored: {error.strerror or error}."
            ) from None

    @contextmanager
    def _one_builder(self, digest: str) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(digest, threading.Lock())
        with lock:
            yield

    def _load_or_build(
        self, digest: str, parts: Parts, source: DataSource, cancelled: threading.Event
    ) -> PreparedSource:
        place = self._folder / digest
        if not (place / "manifest.json").exists():
            self._build(place, parts, source, cancelled)
        manifest = Manifest.model_validate_json((place / "manifest.json").read_bytes())
        prepared = PreparedSource(
            digest=digest,
            label=manifest.label,
            database=place / "tables.duckdb",
            tables=manifest.tables,
            notes=manifest.notes,
            decisions=manifest.decisions,
            schema_fingerprint=schema_fingerprint(manifest.tables),
            salt=manifest.salt,
            kinds=tuple(manifest.kind.split("+")),
            note_columns=manifest.note_columns,
        )
        self._known[digest] = prepared
        return prepared

    def _build(
        self,
        place: Path,
        parts: Parts,
        source: DataSource,
        cancelled: threading.Event,
    ) -> None:
        stamps = stamps_of(parts)
        with building_folder(self._folder) as folder:
            job = {
                "folder": str(folder),
                "parts": [[str(path), name] for path, name in parts],
                "source": source.model_dump(mode="json"),
                "memory_limit": self._memory_limit,
                "unpacked_limit": self._unpacked_limit,
            }
            raise_refusal(self._read(job, source, cancelled))
            if stamps_of(parts) != stamps:
                raise AssayError(
                    SOURCE_NOT_READABLE,
                    f"{source.label} changed while it was read.",
                    hint="Ask again when nobody writes to it.",
                )
            failpoint("executor: source, built")
            try:
                folder.rename(place)
            except OSError:
                if not (place / "manifest.json").exists():
                    raise
            failpoint("executor: source, renamed")
            sync_folder(self._folder)

    def _read(
        self, job: dict[str, Any], source: DataSource, cancelled: threading.Event
    ) -> dict[str, Any]:
        """The job's answer, from a process that is used once."""
        try:
            return self._processes.run(job, seconds=self._seconds, cancelled=cancelled)
        except Stopped as stopped:
            if not stopped.late:
                raise AssayError(CANCELLED, f"reading {source.label} was cancelled.") from None
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"reading {source.label} was stopped after {self._seconds:g} s.",
                hint="Split the file, or raise ASSAY_EXECUTOR_READING_SECONDS.",
            ) from None
        except Crashed as crash:
            log.warning("the reader of %s ended with %d", source.label, crash.code)
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{source.label} made its reader stop (exit {crash.code}): it is damaged, or needs "
                "more memory than this server allows.",
                hint="Write the file again with the program it came from.",
            ) from None
        except RuntimeError:
            log.exception("reading %s failed", source.label)
            raise AssayError(
                SOURCE_NOT_READABLE, f"{source.label} cannot be read; the server's log says why."
            ) from None


def schema_fingerprint(tables: tuple[StoredTable, ...]) -> str:
    """The fingerprint of stored tables: equal for equal schemas, whatever the rows."""
    return triples_fingerprint((t.name, c.name, c.type) for t in tables for c in t.columns)


def triples_fingerprint(triples: Iterable[tuple[str, str, str]]) -> str:
    """SHA-256 of the sorted (table, column, type) triples."""
    return sha256_hex(canonical_json(sorted(list(triple) for triple in triples)))
