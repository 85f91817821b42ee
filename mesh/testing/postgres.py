"""A PostgreSQL server for tests, made of the machine's own binaries and gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")


class PostgresAbsent(RuntimeError):
    """There is no PostgreSQL to run here; the text says what is missing."""


@contextmanager
def postgres_server(port: int = 0) -> Iterator[str]:
    """A running server; gives the SQLAlchemy URL of its maintenance database.

    It listens on a socket in a folder of its own, with a `port` also on 127.0.0.1, and does not
    wait for the disk. Raises PostgresAbsent when binaries, driver or an ordinary user to run it are
    missing.
    """
    programs, user = binaries(), _user()
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))
    shutil.chown(folder, user=user)
    data = folder / "data"

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [programs / program, "--pgdata", data, *arguments],
            user=user if os.geteuid() == 0 else None,
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=300,
        )

    try:
        run("initdb", "--auth=trust", "--no-sync", "--username=postgres", "--encoding=UTF8")
        options = f"-c unix_socket_directories={folder} -c fsync=off -c listen_addresses="
        options += f"127.0.0.1 -p {port}" if port else ""
        run("pg_ctl", "start", "--wait", "--log", str(folder / "log"), "--options", options)
        try:
            place = f"{folder}/.s.PGSQL.{port or 5432}"
            yield f"postgresql+pg8000://postgres@/postgres?unix_sock={place}"
        finally:
            run("pg_ctl", "stop", "--mode", "immediate")
    finally:
        shutil.rmtree(folder)


def fresh_database(server: str, template: str = "") -> str:
    """The URL of a new database on a server: empty, or a copy of the one at the URL `template`,
    which nobody may be connected to."""
    from sqlalchemy import create_engine, make_url, text

    name = f"t{uuid.uuid4().hex}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        copied = f" TEMPLATE {make_url(template).database}" if template else ""
        connection.execute(text(f"CREATE DATABASE {name}{copied}"))
    engine.dispose()
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def binaries() -> Path:
    """The folder of a server's programs. Raises PostgresAbsent."""
    try:
        import pg8000  # type: ignore[import-untyped]  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise PostgresAbsent("the driver pg8000 is not installed") from error
    beside = shutil.which("pg_ctl")
    # Some link only a few of them to where programs are found.
    if beside and (Path(beside).resolve().parent / "initdb").exists():
        return Path(beside).resolve().parent
    for place in _PLACES:
        for folder in sorted(Path("/").glob(place.lstrip("/")), reverse=True):
            if (folder / "initdb").exists():
                return folder
    raise PostgresAbsent("no PostgreSQL server is installed")


def _user() -> str:
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError as error:
        raise PostgresAbsent("PostgreSQL does not run as root, and no user postgres") from error
