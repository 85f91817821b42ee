"""What people write behind --data: files, folders, patterns of names, and addresses."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mesh.errors import INVALID_ARGUMENT, SOURCE_NOT_FOUND, AssayError

_PATTERN_SIGNS = ("*", "?", "[")
_DATA_TOO = frozenset(".txt .dat .log .sqlite .sqlite3 .db .db3 .duckdb .ddb".split())
_STORES = frozenset(("gs", "gcs", "az", "abfs", "abfss", "hdfs", "ftp", "sftp"))


def parted(places: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files and folders that `places` name, and the addresses among them: of databases, of
    files on the web and of what is in buckets.

    A pattern such as "sales/*.csv" stands for every file that it matches, by name, and for their
    folder where these are all the data in it, so that files of one form may be one table; a file://
    address stands for its file. Raises AssayError: SOURCE_NOT_FOUND where nothing matches,
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
    folder = _folder_of(found)
    return [folder] if folder else found


def _folder_of(found: Sequence[str]) -> str:
    """The folder of which several files of one kind are all the data; empty where there is none."""
    from clients.python.files import DATA_SUFFIXES  # comes with the generated code

    paths = [Path(one) for one in found]
    if len(paths) < 2 or len({(path.parent, path.suffix.lower()) for path in paths}) > 1:
        return ""
    folder = paths[0].parent
    names = {path.name for path in paths}
    known = DATA_SUFFIXES | _DATA_TOO | {paths[0].suffix.lower()}
    rest = (one for one in folder.iterdir() if one.name not in names and one.name[:1] != ".")
    more = any(one.is_dir() or one.suffix.lower() in known for one in rest)
    all_files = all(path.is_file() for path in paths)
    named = folder if folder.name else folder.absolute()  # which names the table
    return str(named) if all_files and not more else ""


def _in_a_store(place: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"{place} is in a store that Assay does not read",
        hint="Copy the file here, and name it with --data; what is read elsewhere is "
        "https://HOST/FILE and s3://BUCKET/KEY.",
    )
