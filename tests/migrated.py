"""New databases that are migrated already: migrations run once a kind, what they made is copied.

What migrations themselves promise is asked elsewhere, of databases that they run on.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from mesh.storage.database import open_database
from mesh.testing.postgres import fresh_database

_FOLDER = tempfile.TemporaryDirectory(prefix="assay-migrated-")


def migrated_file(file: Path, migrations: Path) -> str:
    """The URL of a SQLite file, which is made where it is not there."""
    if not file.exists():
        shutil.copy(_file(migrations), file)
    return f"sqlite:///{file}"


def migrated_database(server: str, migrations: Path) -> str:
    """The URL of a new database on a PostgreSQL server."""
    return fresh_database(server, template=_database(server, migrations))


def migrated(request: pytest.FixtureRequest, migrations: Path) -> str:
    """The URL of a new database of the kind that the parameter of a fixture names."""
    if request.param == "sqlite":
        folder: Path = request.getfixturevalue("tmp_path")
        return migrated_file(folder / "some.sqlite", migrations)
    copied: Callable[[Path], str] = request.getfixturevalue("migrated_postgres")
    return copied(migrations)


@cache
def _file(migrations: Path) -> Path:
    place = Path(tempfile.mkdtemp(dir=_FOLDER.name)) / "template.sqlite"
    _made(f"sqlite:///{place}", migrations)
    return place


@cache
def _database(server: str, migrations: Path) -> str:
    url = fresh_database(server)
    _made(url, migrations)
    return url


def _made(url: str, migrations: Path) -> None:
    open_database(url, migrations)._engine.dispose()  # where a loop may run already
