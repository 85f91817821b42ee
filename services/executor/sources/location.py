"""From a data source to the file or folder it names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from mesh.errors import SOURCE_NOT_FOUND, SOURCE_NOT_READABLE, SOURCE_NOT_SUPPORTED, AssayError
from services.executor.domain.source import DataSource
from services.executor.engines.registry import by_scheme

_DATABASE_SCHEMES = {"sqlite", "duckdb"}


def locate(source: DataSource) -> Path:
    """The absolute path of a source.

    URLs follow SQLAlchemy: three slashes begin a relative path, four an absolute one. Raises
    AssayError: SOURCE_NOT_SUPPORTED for other schemes, SOURCE_NOT_FOUND when nothing is there.
    """
    place = source.connection_string or source.file_path or ""
    if "\0" in place:
        raise AssayError(SOURCE_NOT_FOUND, "the path of a source holds a zero byte.")
    path = Path(_path_of_url(place, source) if "://" in place else place).expanduser()
    try:
        if not path.exists():
            raise AssayError(SOURCE_NOT_FOUND, f"there is nothing at {source.place}.")
        if not path.is_file() and not path.is_dir():
            raise AssayError(SOURCE_NOT_READABLE, f"{source.place} is neither a file nor a folder.")
        return path.resolve()
    except OSError as error:
        why = error.strerror or "the path cannot be used"
        raise AssayError(SOURCE_NOT_FOUND, f"{source.place}: {why}.") from None


def _path_of_url(url: str, source: DataSource) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise AssayError(SOURCE_NOT_FOUND, f"{source.place} is not the URL of anything.") from None
    scheme = parts.scheme.split("+")[0].lower()
    if scheme == "file":
        return unquote(parts.path)
    if scheme not in _DATABASE_SCHEMES:
        raise AssayError(
            SOURCE_NOT_SUPPORTED,
            f"{source.place}: {scheme or 'this'} databases cannot be read.",
            hint=f"Databases that can be have addresses of {', '.join(_known())}.",
        )
    if parts.netloc:
        raise AssayError(
            SOURCE_NOT_FOUND,
            f"{source.place}: a {scheme} URL names a file, not a host.",
            hint=f"Write {scheme}:///relative/path or {scheme}:////absolute/path.",
        )
    path = unquote(parts.path).removeprefix("/")
    if not path or path == ":memory:":
        raise AssayError(SOURCE_NOT_FOUND, f"{source.place} names no file.")
    return path


def _known() -> list[str]:
    """How the addresses of databases begin."""
    return [f"{scheme}://" for scheme in sorted({*_DATABASE_SCHEMES, *by_scheme()})]
