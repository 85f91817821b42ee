"""A MariaDB server for tests, made of the machine's own binaries and gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PLACES = ("/usr/sbin", "/usr/libexec", "/usr/local/sbin", "/opt/homebrew/opt/mariadb/bin")
_START_SECONDS = 60.0


class MariadbAbsent(RuntimeError):
    """There is no MariaDB to run here; the text says what is missing."""


@contextmanager
def mariadb_server(*options: str) -> Iterator[str]:
    """A running server; gives the URL of its owner, without a database.

    It listens on a free port of 127.0.0.1 and on a socket in a folder of its own, and does not wait
    for the disk. `options` are the server's own. Raises MariadbAbsent when binaries, driver or an
    ordinary user to run it are missing.
    """
    server, user = _program("mariadbd", "mysqld"), _user()
    install = _program("mariadb-install-db", "mysql_install_db")
    folder = Path(tempfile.mkdtemp(prefix="assay-my-"))
    shutil.chown(folder, user=user)
    data, place = folder / "data", folder / "socket"
    as_whom = [f"--user={user}"] if os.geteuid() == 0 else []
    try:
        with (folder / "log").open("wb") as log:
            subprocess.run(
                [
                    install,
                    "--no-defaults",
                    f"--datadir={data}",
                    *as_whom,
                    "--skip-test-db",
                    "--auth-root-authentication-method=normal",
                    "--skip-log-bin",
                ],
                check=True,
                stdout=log,
                stderr=log,
                timeout=300,
            )
            port = _free_port()
            running = subprocess.Popen(
                [
                    server,
                    "--no-defaults",
                    f"--datadir={data}",
                    *as_whom,
                    f"--socket={place}",
                    f"--port={port}",
                    "--bind-address=127.0.0.1",
                    "--skip-log-bin",
                    "--innodb-flush-log-at-trx-commit=0",
                    "--innodb-buffer-pool-size=32M",
                    "--performance-schema=OFF",
                    "--skip-name-resolve",
                    *options,
                ],
                stdout=log,
                stderr=log,
            )
        try:
            _wait_for(place, running, folder / "log")
            yield f"mysql://root@127.0.0.1:{port}/"
        finally:
            running.kill()
            running.wait()
    finally:
        shutil.rmtree(folder)


def fresh_database(server: str) -> str:
    """The URL of a new and empty database of a server."""
    from urllib.parse import urlsplit

    import pymysql

    parts = urlsplit(server)
    name = f"t{uuid.uuid4().hex}"
    with (
        pymysql.connect(host="127.0.0.1", port=parts.port or 3306, user="root") as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    return f"{server}{name}"


def _program(*names: str) -> str:
    """The path of the first of these programs that there is. Raises MariadbAbsent."""
    try:
        import pymysql  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise MariadbAbsent("the driver PyMySQL is not installed") from error
    path = os.pathsep.join((os.environ.get("PATH", ""), *_PLACES))
    for name in names:
        if found := shutil.which(name, path=path):
            return found
    raise MariadbAbsent("no MariaDB server is installed")


def _user() -> str:
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    try:
        return pwd.getpwnam("mysql").pw_name
    except KeyError as error:
        raise MariadbAbsent("MariaDB does not run as root, and there is no user mysql") from error


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_for(place: Path, running: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server takes connections. Raises RuntimeError with its log where it does not."""
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and running.poll() is None:
        with socket.socket(socket.AF_UNIX) as knock:
            try:
                knock.connect(str(place))
            except OSError:
                time.sleep(0.05)
            else:
                return
    raise RuntimeError(f"MariaDB did not start: {log.read_text(errors='replace')[-2000:]}")
