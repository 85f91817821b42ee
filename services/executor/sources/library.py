"""Sources, read once and kept.

Every source becomes a folder `<home>/sources/<digest>/`, where the digest covers the content, the
reader's options and the version of the readers. A folder there is complete or absent, also after
a power cut: it is built and synced beside its place and renamed into it, so builders that meet do
no harm, and whoever comes second uses what the first made. What parses foreign bytes is a process
that is used once.
"""

from __future__ import annotations

import logging
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from mesh.digest import sha256_hex
from mesh.errors import (
    CANCELLED,
    RESOURCE_EXHAUSTED,
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    AssayError,
)
from mesh.processes.failpoint import failpoint
from mesh.storage.files import building_folder, sync_folder
from mesh.telemetry.metrics import looked_up
from services.executor.domain.source import DataSource, ReaderOptions
from services.executor.masking_key import MaskingKey
from services.executor.sources.content import (
    ContentDigests,
    Parts,
    parts_of,
    source_digest,
    stamps_of,
)
from services.executor.sources.disposable.pool import Crashed, DisposableProcesses, Stopped
from services.executor.sources.disposable.refusals import raise_refusal
from services.executor.sources.limits import COLUMNS_LIMIT, ReadingLimits
from services.executor.sources.location import locate
from services.executor.sources.manifest import Manifest
from services.executor.sources.partly import is_enough, may_be_partly, may_touch
from services.executor.sources.prepared import PreparedSource, schema_fingerprint
from services.executor.sources.processes import reader_processes
from services.executor.sources.sealing import seal_of_folder
from services.executor.sources.stored import PART, manifest_of
from services.executor.sources.underway import ReadingsUnderWay

log = logging.getLogger("assay.executor")

_LIMITS = ReadingLimits()
_LOOK_SECONDS = 0.1
_DAY = 86_400.0
_KEPT = 128  # what is known of one takes 15 kB and more; its folder tells it again in milliseconds


class SourceLibrary:
    """Opens sources, each content only once for one home folder."""

    def __init__(
        self,
        home: Path,
        *,
        memory_limit: str = "4GB",
        limits: ReadingLimits = _LIMITS,
        seconds: float = 600.0,
        processes: DisposableProcesses | None = None,
        masking: MaskingKey | None = None,
    ) -> None:
        self.home = home
        self._folder = home / "sources"
        self._masking = masking or MaskingKey(home)
        self._memory_limit = memory_limit
        self._limits = limits
        self._seconds = seconds
        self._processes = processes or reader_processes(memory_limit, limits.unpacked_bytes)
        # A lock for each source that is being opened; it goes with whoever opens it.
        self._locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._guard = threading.Lock()
        self._known: OrderedDict[str, PreparedSource] = OrderedDict()  # those opened last
        self._parts: dict[str, PreparedSource] = {}  # read in part, by the digest of the content
        self._digests = ContentDigests()
        self.under_way = ReadingsUnderWay()

    @property
    def folder(self) -> Path:
        """Where what was read of sources is kept, one folder each."""
        return self._folder

    def start(self) -> None:
        """Prepare for the first source, without waiting until that is done."""
        self._processes.start()

    def close(self) -> None:
        """Stop reading."""
        self._processes.close()

    def open(
        self,
        source: DataSource,
        cancelled: threading.Event | None = None,
        *,
        used_by: Sequence[str] | None = None,
    ) -> PreparedSource:
        """The source, read now or earlier. Blocks while it is read, until `cancelled` is set.

        What has more columns than one may have is read for those that are wanted alone. Where it is
        known what is `asked`, a large file is read for that alone at first (`partly`). So it stays
        for statements that touch nothing else (`used_by`; none for who looks at texts alone), and
        any other use has it read whole.

        Raises AssayError: SOURCE_NOT_FOUND, SOURCE_NOT_SUPPORTED, SOURCE_NOT_READABLE,
        SOURCE_EMPTY, RESOURCE_EXHAUSTED when the disk is full, CANCELLED.
        """
        try:
            return self._open(source, cancelled, used_by)
        except AssayError as error:
            if not source.wanted or error.metadata.get("limit") != COLUMNS_LIMIT:
                raise
        return self._open(source.of_wanted, cancelled, None)

    def _open(
        self,
        source: DataSource,
        cancelled: threading.Event | None,
        used_by: Sequence[str] | None,
    ) -> PreparedSource:
        path = locate(source)
        try:
            parts = parts_of(path, source)
            digest = source_digest(parts, source, self._digests)
            cancelled = cancelled or threading.Event()
            with self._one_builder(digest, cancelled, source):
                known = self._remembered(digest)
                if known is not None and known.database.exists():
                    looked_up("sources", hit=True)
                elif (part := self._part(digest, parts, source, cancelled, used_by)) is not None:
                    known = part
                else:
                    known = self._load_or_build(digest, parts, source, cancelled)
                os.utime(known.database.parent)  # when it was last used
                return known
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

    def _part(
        self,
        digest: str,
        parts: Parts,
        source: DataSource,
        cancelled: threading.Event,
        used_by: Sequence[str] | None,
    ) -> PreparedSource | None:
        """What was read of it in part, or is now, where that is enough and no more is known."""
        if os.path.lexists(self._folder / digest):
            return None
        part = self._parts.get(digest)
        if part is not None and part.database.exists():
            if source.asked:
                return part if is_enough(part.tables, source.asked) else None
            if used_by is None or any(may_touch(part.unread, one) for one in used_by):
                return None
            return part
        plain = source.options == ReaderOptions() and not source.wanted
        if not (source.asked and plain and may_be_partly([path for path, _ in parts])):
            return None
        place = self._folder / f"{digest}{PART}{sha256_hex(' '.join(source.asked).encode())[:16]}"
        manifest = manifest_of(place)
        if manifest is None:
            if os.path.lexists(place):
                _clear(place)
            self._build(place, parts, source, cancelled)
            manifest = Manifest.model_validate_json((place / "manifest.json").read_bytes())
        if all(column.read for table in manifest.tables for column in table.columns):
            # Nothing was left: it is what reading it whole gives.
            with suppress(OSError):
                place.rename(self._folder / digest)
            return None
        whole = self._prepared(digest, place, manifest)
        part = replace(
            whole,
            digest=sha256_hex(place.name.encode()),
            part_of=digest,
            seal=whole.seal + place.name.removeprefix(digest),
        )
        with self._guard:
            self._parts[digest] = part
            while len(self._parts) > _KEPT:
                self._parts.pop(next(iter(self._parts)))
        return part

    def fits_part(self, digest: str, fingerprint: str, used_by: Sequence[str] | None) -> bool:
        """Whether statements that touch nothing else were planned over what was read in part,
        before the whole showed what a sample had not."""
        part = self._parts.get(digest)
        return (
            part is not None
            and part.schema_fingerprint == fingerprint
            and used_by is not None
            and not any(may_touch(part.unread, one) for one in used_by)
        )

    def known(self, source: DataSource) -> bool:
        """Whether opening it takes no reading, as where it cannot be found. Blocks to hash it."""
        try:
            parts = parts_of(locate(source), source)
            forms = (source, source.of_wanted) if source.wanted else (source,)
            digests = [source_digest(parts, one, self._digests) for one in forms]
        except (AssayError, OSError):
            return True
        return any(
            self._remembered(d)
            or (self._folder / d).exists()
            or ((part := self._parts.get(d)) and is_enough(part.tables, source.asked))
            for d in digests
        )

    def sweep(self, keep_days: float) -> int:
        """Forget sources that nobody used for so long; how many. They are read again when used.

        Raises OSError.
        """
        forgotten, now = 0, time.time()
        for place in self._folder.glob("*"):
            with suppress(FileNotFoundError):  # another executor of this home was faster
                if place.name.startswith(".") or now - place.stat().st_mtime < keep_days * _DAY:
                    continue
                with self._guard:
                    self._known.pop(place.name, None)
                with building_folder(
                    self._folder
                ) as rejected:  # whoever wants it now reads it anew
                    place.rename(rejected / place.name)
                forgotten += 1
        return forgotten

    @contextmanager
    def _one_builder(
        self, digest: str, cancelled: threading.Event, source: DataSource
    ) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(digest, threading.Lock())
        while not lock.acquire(timeout=_LOOK_SECONDS):
            if cancelled.is_set():
                raise _cancelled(source)
        try:
            yield
        finally:
            lock.release()

    def _load_or_build(
        self, digest: str, parts: Parts, source: DataSource, cancelled: threading.Event
    ) -> PreparedSource:
        place = self._folder / digest
        there = os.path.lexists(place)  # else another builder may put it there meanwhile
        manifest = manifest_of(place)
        looked_up("sources", hit=manifest is not None)
        if manifest is None:
            if there:
                _clear(place)
            whole = source.model_copy(update={"asked": ()})
            self._build(place, parts, whole, cancelled)
            manifest = Manifest.model_validate_json((place / "manifest.json").read_bytes())
        prepared = self._prepared(digest, place, manifest)
        with self._guard:
            self._known[digest] = prepared
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return prepared

    def _prepared(self, digest: str, place: Path, manifest: Manifest) -> PreparedSource:
        return PreparedSource(
            digest=digest,
            label=manifest.label,
            database=place / "tables.duckdb",
            tables=manifest.tables,
            notes=manifest.notes,
            decisions=manifest.decisions,
            schema_fingerprint=schema_fingerprint(manifest.tables),
            salt=self._masking.salt(digest),
            kinds=tuple(manifest.kind.split("+")),
            note_columns=manifest.note_columns,
            seal=manifest.seal or seal_of_folder(place, manifest),
            doubts=manifest.doubts,
        )

    def _remembered(self, digest: str) -> PreparedSource | None:
        with self._guard:
            if digest in self._known:
                self._known.move_to_end(digest)
            return self._known.get(digest)

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
                "limits": self._limits.model_dump(),
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
            with self.under_way.reading(source) as function:
                return self._processes.run(
                    job, seconds=self._seconds, cancelled=cancelled, told=function
                )
        except Stopped as stopped:
            if not stopped.late:
                raise _cancelled(source) from None
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"reading {source.label} was stopped after {self._seconds:g} s.",
                hint="Split the file, or raise ASSAY_EXECUTOR_READING_SECONDS.",
            ) from None
        except Crashed as crash:
            log.warning("the reader of a source ended with %d", crash.code)
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"{source.label} made its reader stop (exit {crash.code}): it is damaged, or needs "
                "more memory than this server allows.",
                hint="Write the file again with the program it came from.",
            ) from None
        except RuntimeError:
            log.exception("reading a source failed")
            raise AssayError(
                SOURCE_NOT_READABLE, f"{source.label} cannot be read; the server's log says why."
            ) from None


def _clear(place: Path) -> None:
    """Remove what is left of a damaged folder: all of it can be read again from the source."""
    log.warning("%s is damaged and is made again from its source", place)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink()


def _cancelled(source: DataSource) -> AssayError:
    return AssayError(CANCELLED, f"reading {source.label} was cancelled.")
