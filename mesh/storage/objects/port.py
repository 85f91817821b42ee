"""Where bytes are kept by name: one port, a folder or a bucket behind it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

Check = Callable[[Path], None]


class Building(Protocol):
    """An object that nobody sees yet."""

    @property
    def file(self) -> BinaryIO:
        """What its content is written to."""
        ...

    def size(self) -> int:
        """Bytes written so far."""
        ...

    def keep(self, key: str, name: str = "file") -> None:
        """Let it appear under its key; when this returns it survives a crash.

        Replaces what was there. `name` is what failpoints call it. Raises AssayError:
        RESOURCE_EXHAUSTED when there is no room, SERVICE_UNAVAILABLE when the store is away.
        """
        ...


class ObjectStore(Protocol):
    """Objects under keys such as "ab/abcd.arrow": names of letters, digits, . _ - between slashes.

    An object is there in full or not at all, across crashes and for every reader. All methods
    block. They raise ValueError for what is no key, AssayError(SERVICE_UNAVAILABLE) when the store
    cannot be reached, and AssayError(RESOURCE_EXHAUSTED) when it is full.
    """

    @property
    def remote(self) -> bool:
        """Whether other machines see the same objects."""
        ...

    def building(self) -> AbstractContextManager[Building]:
        """A new object; gone after the block unless it was kept."""
        ...

    def write(self, key: str, content: bytes, name: str = "file") -> None:
        """Store a small object, as `Building.keep` does."""
        ...

    def read(self, key: str) -> bytes:
        """The content of a small object. Raises FileNotFoundError."""
        ...

    def open(self, key: str) -> pa.NativeFile:
        """The object for reading at any place, without fetching the rest.

        Raises FileNotFoundError.
        """
        ...

    def local(self, key: str, check: Check | None = None) -> Path:
        """A file of this machine with the object's content, for mapping and for other libraries.

        What had to be fetched is given to `check` first, whose exceptions come out and leave
        nothing here. The file may go when it was not asked for in a while; who has it open or
        mapped keeps it. Raises FileNotFoundError.
        """
        ...

    def place(self, key: str) -> Path | None:
        """Where the object lies for as long as it exists; None when that is not this machine."""
        ...

    def size(self, key: str) -> int | None:
        """Its bytes; None when there is no such object."""
        ...

    def delete(self, key: str) -> bool:
        """Remove an object; tells whether there was one."""
        ...

    def sweep(self, older_than: float) -> int:
        """Remove what builders left that died, begun more than `older_than` seconds ago.

        Returns how many things that were. Where death can be seen, age does not matter.
        """
        ...
