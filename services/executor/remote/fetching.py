"""Sources elsewhere, as copies on this machine: fetched once for each version of them.

A copy is `<home>/fetched/<address>/<version>/<name>`, a folder that is complete or absent. Whether
it is still the version that the server has is asked before it is used, unless that was just done.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from mesh.canonical import canonical_json
from mesh.context import current
from mesh.credentials import is_remote, reference_of
from mesh.digest import sha256_hex
from mesh.errors import RESOURCE_EXHAUSTED, SOURCE_NOT_FOUND, AssayError
from mesh.storage.files import building_folder
from services.executor.databases.address import NAMED
from services.executor.databases.vault import Vault
from services.executor.domain.source import DataSource
from services.executor.remote.address import Address, address_of
from services.executor.remote.bounds import PAUSES, Bounds
from services.executor.remote.bucket import Bucket, Object, Store
from services.executor.remote.copies import about, fetch_all, file_name, put, remember, unchanged
from services.executor.remote.hosts import WebHosts
from services.executor.sources.kinds import DATA_SUFFIXES
from services.executor.sources.lake.folders import wanted_of
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource

_DAY = 86_400.0
_ABOUT = "about.json"
_KEPT = 1_000


class RemoteSources:
    """Fetches what is on the web or in buckets. One object serves all threads.

    `connections` are addresses of the operator's own, `own_surroundings` lets the environment of
    this process log in, except for those whom the gateway calls strangers.
    """

    def __init__(
        self,
        home: Path,
        vault: Vault,
        *,
        hosts: WebHosts | None = None,
        store: Store | None = None,
        connections: Mapping[str, str] | None = None,
        own_surroundings: bool = False,
        most_bytes: int = 8 << 30,
        seconds: float = 600.0,
        kept_seconds: float = 30.0,
        authority: str = "",
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self._folder = home / "fetched"
        self._vault = vault
        self._hosts = hosts or WebHosts()
        self._store = store or Store()
        self._connections = dict(connections or {})
        self._own = own_surroundings
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._kept_seconds = kept_seconds
        self._authority = authority
        self._pauses = pauses
        self._guard = threading.Lock()
        self._locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._checked: dict[str, tuple[float, Path, str]] = {}

    def takes(self, source: DataSource) -> bool:
        """Whether a source is on the web or in a bucket, by its address or by the operator's."""
        return is_remote(self._url(source))

    def open(
        self,
        source: DataSource,
        library: SourceLibrary,
        cancelled: threading.Event | None = None,
    ) -> PreparedSource:
        """The source, fetched and read; a note says what was fetched. Raises AssayError as `local`
        and the library do."""
        fetched, note = self.local(source, cancelled)
        prepared = library.open(fetched, cancelled)
        return replace(prepared, notes=(*prepared.notes, note))

    def local(
        self, source: DataSource, cancelled: threading.Event | None = None
    ) -> tuple[DataSource, str]:
        """The source as a file or folder of this machine, and what is told of where it is from.

        Raises AssayError: SOURCE_HOST_REFUSED, SOURCE_UNREACHABLE, SOURCE_LOGIN_REFUSED,
        SOURCE_NOT_FOUND, SOURCE_NOT_READABLE where it changed meanwhile, RESOURCE_EXHAUSTED.
        """
        address = self._address(source)
        bounds = Bounds(
            self._most_bytes,
            self._seconds,
            cancelled or threading.Event(),
            self._pauses,
            self._authority,
        )
        key = sha256_hex(canonical_json([source.connection_string or "", address.shown]))[:32]
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        while not lock.acquire(timeout=0.1):
            bounds.check(address.shown)
        try:
            place, note = self._current(key, address, bounds)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            why = "there is no room for it" if full else error.strerror or "the disk fails"
            raise AssayError(
                RESOURCE_EXHAUSTED, f"{address.shown} cannot be kept: {why}."
            ) from None
        finally:
            lock.release()
        update = {
            "connection_string": None,
            "file_path": str(place),
            "name": source.name or address.name,
        }
        return source.model_copy(update=update), note

    def sweep(self, keep_days: float) -> int:
        """Forget copies that nobody used for so long; how many. Raises OSError."""
        forgotten = 0
        oldest = time.time() - keep_days * _DAY
        for place in self._folder.glob("*/*/"):
            with suppress(FileNotFoundError):
                if place.name.startswith(".") or place.stat().st_mtime > oldest:
                    continue
                with building_folder(self._folder) as rejected:  # complete or absent
                    place.rename(rejected / "copy")
                forgotten += 1
        return forgotten

    def _url(self, source: DataSource) -> str:
        url = source.connection_string or ""
        with suppress(ValueError):
            parts = urlsplit(url)
            if parts.scheme == NAMED:
                return self._connections.get(parts.netloc, "")
        return url

    def _address(self, source: DataSource) -> Address:
        url = self._url(source)
        if url != source.connection_string:
            return address_of(url, {}, own=True, trusted=True)
        if not reference_of(url):
            return address_of(url, {}, own=self._own)
        kept = self._vault.get(current().tenant, url)
        return address_of(url, kept.secrets, own=self._own and not kept.stranger)

    def _current(self, key: str, address: Address, bounds: Bounds) -> tuple[Path, str]:
        """The copy of what the server has now."""
        checked = self._checked.get(key)
        if (
            checked is not None
            and time.monotonic() - checked[0] < self._kept_seconds
            and checked[1].exists()
        ):
            return checked[1], checked[2]
        folder = self._folder / key
        if address.scheme == "s3":
            place, note = self._objects(folder, address, bounds)
        else:
            place, note = self._file(folder, address, bounds)
        os.utime(place.parent)  # when it was last used
        if len(self._checked) >= _KEPT:
            self._checked.clear()
        self._checked[key] = (time.monotonic(), place, note)
        return place, note

    def _file(self, folder: Path, address: Address, bounds: Bounds) -> tuple[Path, str]:
        from services.executor.remote.web import Version, fetch

        known = about(folder / _ABOUT)
        place = folder / str(known.get("version", "-")) / file_name(address.name)
        same = Version(known.get("etag", ""), known.get("modified", ""))
        with building_folder(folder) as building:
            into = building / place.name
            whole = place.is_file() and place.stat().st_size == known.get("size")
            got = fetch(address, into, same if whole else Version(), self._hosts, bounds)
            if got is not None:
                known = {**asdict(got.version), "version": got.digest, "size": got.size}
                place = folder / got.digest / place.name
                if place.is_file() and place.stat().st_size != got.size:
                    shutil.rmtree(place.parent)  # a disk that lost what it had
                put(building, place.parent)
                remember(folder / _ABOUT, known)
        seen = [f"{known['size']:,} bytes"]
        seen += [f"ETag {known['etag']}"] if known.get("etag") else []
        seen += [f"of {known['modified']}"] if known.get("modified") else []
        return place, f"fetched from {address.shown}: {', '.join(seen)}"

    def _objects(self, folder: Path, address: Address, bounds: Bounds) -> tuple[Path, str]:
        bucket = Bucket(address, self._store, self._hosts, bounds)
        top = file_name(address.name)
        single = bucket.one()
        objects = [replace(single, name=top)] if single else _wanted(bucket.all(), address)
        size = sum(one.size for one in objects)
        bounds.check_bytes(address.shown, size)
        listing = [[one.name, one.etag, one.size] for one in objects]
        version = sha256_hex(canonical_json(listing))
        place = folder / version / top
        if not place.exists():
            before = about(folder / _ABOUT)
            with building_folder(folder) as building:
                root = building if single else building / top
                fetch_all(objects, root, unchanged(folder, top, before), bucket.fetch)
                put(building, place.parent)
            tags = {one.name: one.etag for one in objects}
            remember(folder / _ABOUT, {"version": version, "tags": {} if single else tags})
        if single:
            return place, f"fetched from {address.shown}: {size:,} bytes, ETag {single.etag}"
        text = (
            f"{len(objects):,} objects, {size:,} bytes, listed with their ETags as {version[:16]}"
        )
        return place, f"fetched from {address.shown}: {text}"


def _wanted(objects: list[Object], address: Address) -> list[Object]:
    """Those that one table is made of, or the data files of a folder of tables."""
    names = [one.name for one in objects]
    wanted = set(wanted_of(names)) or {
        name
        for name in names
        if "/" not in name and Path(name).suffix.lower() in DATA_SUFFIXES and name[0] != "."
    }
    if not wanted:
        raise AssayError(
            SOURCE_NOT_FOUND,
            f"{address.shown} holds no data files.",
            hint="Name the object, or a prefix that ends where the files begin.",
        )
    return [one for one in objects if one.name in wanted]
