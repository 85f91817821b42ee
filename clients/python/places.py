"""What people write behind --data: files, folders, patterns of names, and addresses."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mesh.errors import INVALID_ARGUMENT, SOURCE_NOT_FOUND, AssayError

_PATTERN_SIGNS = ("*", "?", "[")
_STORES = frozenset(("gs", "gcs", "az", "abfs", "abfss", "hdfs", "ftp", "sftp"))


def parted(places: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files and folders that `places` name, and the addresses among them: of databases, of
    files on the web and of what is in buckets.

    A pattern such as "sales/*.csv" stands for every file that it matches, by name; a file://
    address for its file. Raises AssayError: SOURCE_NOT_FOUND where a pattern matches nothing,
    INVALID_ARGUMENT for an address in a store of files that is not read.
    """
    files: list[str] = []
    databases: list[str] = []
    for place in places:
        scheme = _scheme(place)
        if scheme == "file":
            files.append(unquote(urlsplit(place).path))
        elif scheme in _STORES:
            raise _in_a_store(place)
        elif scheme:
            databases.append(place)  # who opens it knows which kinds of databases there are
        else:
            files += _matched(place)
    return tuple(dict.fromkeys(files)), tuple(databases)


def _scheme(place: str) -> str:
    """The scheme of an address, in lower case; empty for what is none."""
    scheme, mark, _ = place.partition("://")
    return scheme.lower() if mark and scheme.replace("+", "").isalnum() else ""


def _matched(place: str) -> list[str]:
    if not any(sign in place for sign in _PATTERN_SIGNS) or Path(place).expanduser().exists():
        return [place]
    # Path.glob knows no pattern that begins at the root.
    found = sorted(glob.glob(str(Path(place).expanduser()), recursive=True))  # noqa: PTH207
    if not found:
        raise AssayError(
            SOURCE_NOT_FOUND,
            f"no file matches {place}",
            hint="Patterns know *, ?, [abc] and, for folders within folders, **.",
        )
    return found


def _in_a_store(place: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"{place} is in a store that Assay does not read",
        hint="Copy the file here, and name it with --data; what is read elsewhere is "
        "https://HOST/FILE and s3://BUCKET/KEY.",
    )
