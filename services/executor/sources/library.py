"""Sources, read once and kept.

Every source becomes one DuckDB file under `<home>/sources/<digest>/`, where the digest covers the
content, the reader's options and the version of the readers. A folder there is complete or absent:
it is built beside its place and renamed into it, so builders that meet do no harm, and whoever
comes second uses what the first made.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from mesh.digest import canonical_json, sha256_hex
from mesh.errors import (
    CANCELLED,
    RESOURCE_EXHAUSTED,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    AssayError,
)
from services.executor.domain.source import DataSource
from services.executor.engines.stopwatch import interrupted_when
from services.executor.sources.building import Building, table_name
from services.executor.sources.content import Parts, parts_of, source_digest, stamps_of
from services.executor.sources.csv_reader import read_csv
from services.executor.sources.duckdb_reader import read_duckdb
from services.executor.sources.json_reader import read_json
from services.executor.sources.kinds import Kind, recognise
from services.executor.sources.location import locate
from services.executor.sources.manifest import Manifest, StoredTable
from services.executor.sources.parquet_reader import read_parquet
from services.executor.sources.sqlite_reader import read_sqlite

_FILE_READERS = {Kind.CSV: read_csv, Kind.JSON: read_json, Kind.PARQUET: read_parquet}
_DATABASE_READERS = {Kind.SQLITE: read_sqlite, Kind.DUCKDB: read_duckdb}


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """A source that is ready to be queried: `database` is a DuckDB file nobody writes any more.

    `salt` goes into the pseudonyms of blocked cells: the same in one home, unknown outside it.
    """

    digest: str
    label: str
    database: Path
    tables: tuple[StoredTable, ...]
    notes: tuple[str, ...]
    schema_fingerprint: str
    salt: str = field(repr=False)

    @property
    def rows(self) -> int:
        """Rows of all tables together."""
        return sum(table.rows for table in self.tables)


class SourceLibrary:
    """Opens sources, each content only once for one home folder."""

    def __init__(
        self, home: Path, *, memory_limit: str = "4GB", unpacked_limit: int = 16 << 30
    ) -> None:
        self._folder = home / "sources"
        self._memory_limit = memory_limit
        self._unpacked_limit = unpacked_limit
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._known: dict[str, PreparedSource] = {}

    def open(self, source: DataSource, cancelled: threading.Event | None = None) -> PreparedSource:
        """The source, read now or earlier. Blocks while it is read, until `cancelled` is set.

        Raises AssayError: SOURCE_NOT_FOUND, SOURCE_NOT_SUPPORTED, SOURCE_NOT_READABLE,
        SOURCE_EMPTY, RESOURCE_EXHAUSTED when the disk is full, CANCELLED.
        """
        path = locate(source)
        try:
            parts = parts_of(path, source)
            digest = source_digest(parts, source)
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
            schema_fingerprint=schema_fingerprint(manifest.tables),
            salt=manifest.salt,
        )
        self._known[digest] = prepared
        return prepared

    def _build(
        self, place: Path, parts: Parts, source: DataSource, cancelled: threading.Event
    ) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        stamps = stamps_of(parts)
        building_folder = Path(tempfile.mkdtemp(prefix=".building-", dir=self._folder))
        try:
            manifest = self._read(building_folder, parts, source, cancelled)
            if stamps_of(parts) != stamps:
                raise AssayError(
                    SOURCE_NOT_READABLE,
                    f"{source.label} changed while it was read.",
                    hint="Ask again when nobody writes to it.",
                )
            (building_folder / "manifest.json").write_text(manifest.model_dump_json())
            try:
                building_folder.rename(place)
            except OSError:
                if not (place / "manifest.json").exists():
                    raise
        except AssayError:
            if cancelled.is_set():
                raise AssayError(CANCELLED, f"reading {source.label} was cancelled.") from None
            raise
        finally:
            shutil.rmtree(building_folder, ignore_errors=True)

    def _read(
        self, folder: Path, parts: Parts, source: DataSource, cancelled: threading.Event
    ) -> Manifest:
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": self._memory_limit,
            "autoload_known_extensions": "false",
            "autoinstall_known_extensions": "false",
        }
        with (
            duckdb.connect(str(folder / "tables.duckdb"), config=config) as connection,
            interrupted_when(connection, cancelled.is_set),
        ):
            tables: list[StoredTable] = []
            notes: list[str] = []
            kinds: set[Kind] = set()
            for path, name in parts:
                label = source.label if len(parts) == 1 else f"{source.label}/{name}"
                building = Building(
                    connection, label, folder, tables, unpacked_limit=self._unpacked_limit
                )
                kinds.add(_read_part(path, name, source, building))
                prefix = "" if len(parts) == 1 else f"{name}: "
                notes += [prefix + note for note in building.notes]
            connection.execute("CHECKPOINT")
        (folder / "transcoded.txt").unlink(missing_ok=True)
        kind = "+".join(sorted(kinds))
        return Manifest(
            label=source.label,
            kind=kind,
            tables=tuple(tables),
            notes=tuple(notes),
            salt=secrets.token_hex(16),
        )


def _read_part(path: Path, name: str, source: DataSource, building: Building) -> Kind:
    kind = recognise(path, building.label, source.type, Path(name).suffix.lower())
    try:
        if kind in _FILE_READERS:
            table = building.free_name(table_name(Path(name).stem))
            _FILE_READERS[kind](path, table, source.options, building)
        else:
            _DATABASE_READERS[kind](path, building)
    except duckdb.OutOfMemoryException:
        raise AssayError(
            RESOURCE_EXHAUSTED, f"{building.label} needs more memory than this server allows."
        ) from None
    except duckdb.Error as error:
        raise AssayError(
            SOURCE_NOT_READABLE, f"{building.label} cannot be read: {str(error).splitlines()[0]}"
        ) from None
    return kind


def schema_fingerprint(tables: tuple[StoredTable, ...]) -> str:
    """The fingerprint of stored tables: equal for equal schemas, whatever the rows."""
    return triples_fingerprint((t.name, c.name, c.type) for t in tables for c in t.columns)


def triples_fingerprint(triples: Iterable[tuple[str, str, str]]) -> str:
    """SHA-256 of the sorted (table, column, type) triples."""
    return sha256_hex(canonical_json(sorted(list(triple) for triple in triples)))
