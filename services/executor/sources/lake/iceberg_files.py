"""The files of an Iceberg table in a folder, wherever it was written.

An Iceberg table names its files by absolute addresses. What begins with the table's own location is
looked up in the folder, so that a table that was copied or fetched is read where it is; any other
address is refused, because whoever wrote the table would choose what this machine opens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile
from pyiceberg.serializers import FromInputFile
from pyiceberg.table import StaticTable

from mesh.errors import SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, AssayError

_ALIKE = re.compile(r"^(?:s3a|s3n|s3)://")


def opened(files: Mapping[str, Path], metadata: str) -> StaticTable:
    """The table of that metadata, whose files are `files` by their names within its folder.

    Raises what PyIceberg raises for damaged metadata.
    """
    first = FolderFiles(files, "")
    known = FromInputFile.table_metadata(_File(metadata, files[metadata]))
    first.location = known.location
    return StaticTable(
        identifier=("table", metadata),
        metadata_location=metadata,
        metadata=known,
        io=first,
        catalog=NoopCatalog("table"),
    )


class FolderFiles(FileIO):
    """Opens what is in the folder, for reading only."""

    def __init__(self, files: Mapping[str, Path], location: str) -> None:
        super().__init__({})
        self._files = files
        self.location = location

    def new_input(self, location: str) -> InputFile:
        """Raises AssayError: SOURCE_NOT_SUPPORTED for an address outside the table,
        SOURCE_NOT_READABLE for a file that is not there."""
        name = within(location, self.location)
        if name is None:
            raise AssayError(
                SOURCE_NOT_SUPPORTED,
                "this Iceberg table names a file outside its folder, which is not followed.",
                hint="Rewrite the table into one folder.",
            )
        path = self._files.get(name) or self._files.get(unquote(name))
        if path is None:
            raise AssayError(
                SOURCE_NOT_READABLE,
                f"this Iceberg table misses its file {name}.",
                hint="Copy the whole folder of the table, with data and metadata.",
            )
        return _File(location, path)

    def new_output(self, location: str) -> OutputFile:
        """Nothing is written."""
        raise NotImplementedError(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Nothing is deleted."""
        raise NotImplementedError(str(location))


class _File(InputFile):
    def __init__(self, location: str, path: Path) -> None:
        super().__init__(location)
        self._path = path

    def __len__(self) -> int:
        return self._path.stat().st_size

    def exists(self) -> bool:
        """Whether it is there."""
        return self._path.is_file()

    def open(self, seekable: bool = True) -> InputStream:
        """The file, for reading."""
        return self._path.open("rb")


def within(location: str, table: str) -> str | None:
    """The name of a file within the table's folder; None for one that is elsewhere."""
    place, root = _plain(location), _plain(table)
    if not place.startswith(f"{root}/"):
        return None
    name = place[len(root) + 1 :]
    return None if ".." in name.split("/") else name


def _plain(location: str) -> str:
    """An address in one spelling: `file:/x`, `file:///x` and `/x` are one place."""
    if location.startswith("file:"):
        return urlsplit(location).path.rstrip("/")
    return _ALIKE.sub("s3://", location).rstrip("/")
