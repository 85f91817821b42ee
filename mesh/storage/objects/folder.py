"""Objects as files of a local folder."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from mesh.errors import AssayError
from mesh.storage.files import building_file, put_in_place, sweep
from mesh.storage.objects.failures import disk_failures
from mesh.storage.objects.port import Building, Check
from mesh.storage.state_files import state_failures

if TYPE_CHECKING:
    import pyarrow as pa

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


def checked(key: str) -> str:
    """The key. Raises ValueError for one that could lead elsewhere."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key[:40]!r} names no object")
    return key


@dataclass(frozen=True)
class _BuildingFile:
    file: BinaryIO
    built: Path
    root: Path

    def size(self) -> int:
        return self.file.tell()

    def keep(self, key: str, name: str = "file") -> None:
        path = self.root / checked(key)
        with disk_failures():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            put_in_place(self.file, self.built, path, name)


class FolderObjects:
    """The ObjectStore port on a disk; readable by its owner alone. Bounds no size by itself."""

    remote = False

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def building(self) -> Iterator[Building]:
        """A file beside the others, under a name that is no key."""
        with disk_failures(), building_file(self._root) as (file, built):
            yield _BuildingFile(file, built, self._root)

    def write(self, key: str, content: bytes, name: str = "file") -> None:
        """Store a small object."""
        with self.building() as building:
            building.file.write(content)
            building.keep(key, name)

    def read(self, key: str) -> bytes:
        """The whole file."""
        with _usable():
            return self._path(key).read_bytes()

    def open(self, key: str) -> pa.NativeFile:
        """The file."""
        import pyarrow as pa

        path = self._path(key)
        with _usable():
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
            return pa.OSFile(str(path))

    def local(self, key: str, check: Check | None = None) -> Path:
        """The file itself; nothing is fetched, so nothing is checked."""
        path = self._path(key)
        if not path.is_file():
            raise FileNotFoundError(path)
        return path

    def place(self, key: str) -> Path | None:
        """The file."""
        return self._path(key)

    def size(self, key: str) -> int | None:
        """Its bytes."""
        try:
            return self._path(key).stat().st_size
        except FileNotFoundError:
            return None

    def delete(self, key: str) -> bool:
        """Unlink the file; who has it open or mapped keeps it."""
        try:
            self._path(key).unlink()
        except FileNotFoundError:
            return False
        return True

    def sweep(self, older_than: float) -> int:
        """Remove half-written files whose builder is dead, however young: their lock shows it."""
        return sweep(self._root)

    def _path(self, key: str) -> Path:
        return self._root / checked(key)


@contextmanager
def _usable() -> Iterator[None]:
    """A file that is there and cannot be used is AssayError(STATE_DAMAGED or DISK_FULL)."""
    try:
        with state_failures():
            yield
    except AssayError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise error.__cause__ from None
        raise
