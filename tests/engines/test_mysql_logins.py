"""Who may log in, by which connection, and what is told of it: never a secret.

Starts a MariaDB server with a certificate of its own: what it takes only it can tell.
"""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from mesh.errors import AssayError
from mesh.testing.mariadb import fresh_database
from services.executor.databases.address import address_of
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from tests.databases.server import NAME, PASSWORD, deposited, looks_up, outcome
from tests.engines.mysql_world import AUTHORITY, run

Opens = Callable[..., DatabaseLibrary]
REFUSED = "DATABASE_LOGIN_REFUSED"
HOST_REFUSED = "DATABASE_HOST_REFUSED"


@pytest.fixture(scope="module")
def shop(mariadb: str) -> str:
    """The URL of a database with one table, for a reader who has a password."""
    owner = fresh_database(mariadb)
    database = owner.rpartition("/")[2]
    reader = f"reader_{secrets.token_hex(4)}"
    run(
        owner,
        "CREATE TABLE orders AS SELECT 1 AS id",
        f"CREATE USER {reader} IDENTIFIED BY '{PASSWORD}'",
        f"GRANT SELECT ON {database}.* TO {reader}",
    )
    return owner.replace("root@", f"{reader}@")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opens]:
    """Makes libraries, and closes them."""
    monkeypatch.delenv("MYSQL_PWD", raising=False)
    made: list[DatabaseLibrary] = []

    def make(**settings: Any) -> DatabaseLibrary:
        made.append(DatabaseLibrary(tmp_path / str(len(made)), kept_seconds=0, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def came_of(library: DatabaseLibrary, url: str, *, stranger: bool = False) -> str:
    kept = deposited(library, url, stranger=stranger)
    return outcome(library, DataSource(connection_string=kept))


def test_a_password_that_was_left_logs_in_and_another_does_not(shop: str, library: Opens) -> None:
    own = library(own_surroundings=True)
    assert came_of(own, shop) == "orders"
    with pytest.raises(AssayError) as refusal:
        own.open(DataSource(connection_string=shop))
    assert refusal.value.reason.code == REFUSED
    assert PASSWORD not in str(refusal.value)


def test_the_variable_of_the_server_helps_its_owner_alone(
    shop: str, library: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, served = library(own_surroundings=True), library(hosts="127.0.0.1")
    monkeypatch.setenv("MYSQL_PWD", PASSWORD)
    asked = DataSource(connection_string=shop)
    assert outcome(own, asked) == "orders"
    assert outcome(served, asked) == REFUSED


def test_a_database_by_the_operators_name_for_it(shop: str, library: Opens) -> None:
    user = urlsplit(shop).username or ""
    url = shop.replace(f"{user}@", f"{user}:{quote(PASSWORD, safe='')}@")
    served = library(connections={"Shop": url})
    assert outcome(served, DataSource(connection_string="connection://Shop")) == "orders"


def test_strangers_reach_the_hosts_that_are_listed(shop: str, library: Opens) -> None:
    port = urlsplit(shop).port
    assert came_of(library(hosts=f"127.0.0.1:{port}"), shop, stranger=True) == "orders"
    assert came_of(library(hosts="127.0.0.1:3306"), shop, stranger=True) == HOST_REFUSED
    assert came_of(library(), shop, stranger=True) == HOST_REFUSED


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer", "require"])
def test_a_mode_that_believes_every_server_connects(mode: str, shop: str, library: Opens) -> None:
    assert came_of(library(own_surroundings=True), f"{shop}?sslmode={mode}") == "orders"


def test_a_server_is_believed_under_the_name_its_authority_vouches_for(
    shop: str, library: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {NAME: ["127.0.0.1"], "other.example": ["127.0.0.1"]}
    monkeypatch.setattr(socket, "getaddrinfo", looks_up(known))
    named, other = (shop.replace("127.0.0.1", host) for host in (NAME, "other.example"))
    whom = f"sslrootcert={AUTHORITY}"
    own = library(own_surroundings=True)

    assert came_of(own, f"{named}?sslmode=verify-full&{whom}") == "orders"
    assert came_of(own, f"{other}?sslmode=verify-ca&{whom}") == "orders"
    told = {}
    for url in (f"{other}?sslmode=verify-full&{whom}", f"{named}?sslmode=verify-full"):
        with pytest.raises(AssayError) as refusal:
            own.open(DataSource(connection_string=deposited(own, url, stranger=False)))
        told[url] = refusal.value.message
    wrong_name, unknown = told.values()
    assert "another name" in wrong_name
    assert "did not sign" in unknown


@pytest.mark.parametrize("parameter", ["sslrootcert=/etc/passwd", "local_infile=1", "init=x"])
def test_strangers_name_no_files_and_nobody_what_is_not_known(parameter: str) -> None:
    with pytest.raises(AssayError) as refusal:
        address_of(f"mysql://a@h/d?{parameter}", {}, own=False)
    assert "which is not allowed" in refusal.value.message


def test_a_server_that_asks_for_the_password_in_the_open_does_not_get_it(library: Opens) -> None:
    """A server of our own, which speaks first and then asks for the plain password."""
    heard: list[bytes] = []
    greeting = (
        b"\x0a5.5.5-evil\x00\x01\x00\x00\x00abcdefgh\x00\xff\xf7\x2d\x02\x00\xff\x81\x15"
        + b"\x00" * 10
        + b"ijklmnopqrst\x00mysql_native_password\x00"
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(len(greeting).to_bytes(3, "little") + b"\x00" + greeting)
                heard.append(connection.recv(4096))
                switch = b"\xfemysql_clear_password\x00"
                connection.sendall(len(switch).to_bytes(3, "little") + b"\x02" + switch)
                heard.append(connection.recv(4096))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"mysql://reader@127.0.0.1:{listener.getsockname()[1]}/d?sslmode=disable"
        assert came_of(library(own_surroundings=True), url) == REFUSED
        thread.join(10)
    assert PASSWORD.encode() not in b"".join(heard)


def test_nothing_that_answers_is_told_as_such(library: Opens) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"mysql://reader@127.0.0.1:{port}/d"
    assert came_of(library(own_surroundings=True), url) == "DATABASE_UNREACHABLE"
