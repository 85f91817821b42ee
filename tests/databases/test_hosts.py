"""Nobody reaches through the executor what they could not reach themselves."""

from __future__ import annotations

import json
import socket
from urllib.parse import quote

import pytest

from mesh.context import current
from mesh.errors import (
    DATABASE_HOST_REFUSED,
    DATABASE_LOGIN_REFUSED,
    DATABASE_UNREACHABLE,
    AssayError,
)
from services.executor.databases.address import address_of
from services.executor.databases.hosts import HostRules
from services.executor.domain.source import DataSource
from tests.databases.conftest import Opens
from tests.databases.server import NAME, PASSWORD, Server, looks_up, opened, outcome

NAMES = {
    "db.example": ["10.1.2.3", "fd00::5"],
    "two-faced.example": ["169.254.169.254", "10.1.2.3"],
    "metadata.example": ["169.254.169.254"],
    "deep.sub.example": ["192.0.2.7"],
    "tricky.example": ["::ffff:169.254.169.254"],
    "translated.example": ["64:ff9b::a9fe:a9fe"],
    "local.example": ["127.0.0.1"],
}
OPEN, CLOSED, UNKNOWN = "", DATABASE_HOST_REFUSED.code, DATABASE_UNREACHABLE.code


@pytest.mark.parametrize(
    ("rules", "place", "outcome"),
    [
        ("", "db.example", CLOSED),
        ("", "127.0.0.1", CLOSED),
        ("db.example", "db.example", "10.1.2.3,fd00::5"),
        ("db.example", "DB.example.", "10.1.2.3,fd00::5"),
        ("db.example", "sub.db.example", CLOSED),
        ("*.example", "deep.sub.example", "192.0.2.7"),
        ("*.example", "example", CLOSED),
        ("*.example", "nobody.example", UNKNOWN),
        ("10.0.0.0/8", "db.example", "10.1.2.3"),
        ("10.0.0.0/8", "nobody.example", CLOSED),
        ("10.0.0.0/8", "local.example", CLOSED),
        ("10.0.0.0/8, fd00::/8", "db.example", "10.1.2.3,fd00::5"),
        ("[fd00::/8]:5432", "[fd00::9]", "fd00::9"),
        ("10.1.2.3", "10.1.2.3", "10.1.2.3"),
        ("db.example:5432", "db.example", "10.1.2.3,fd00::5"),
        ("db.example:5432", "db.example:22", CLOSED),
        ("10.0.0.0/8:5432", "10.9.9.9:6379", CLOSED),
        ("*", "two-faced.example", "10.1.2.3"),
        ("*", "metadata.example", CLOSED),
        ("*", "169.254.169.254", CLOSED),
        ("*", "[fe80::1]", CLOSED),
        ("*", "[fd00:ec2::254]", CLOSED),
        ("*", "0.0.0.0", CLOSED),
        ("*", "tricky.example", CLOSED),
        ("*", "translated.example", CLOSED),
        ("metadata.example", "metadata.example", CLOSED),
        ("0.0.0.0/0", "metadata.example", CLOSED),
        ("169.254.0.0/16", "metadata.example", "169.254.169.254"),
        ("*", "?host=/var/run/postgresql", CLOSED),
        ("*", "?host=%40abstract", CLOSED),
        ("*", "db.example?unix_sock=/run/.s.PGSQL.5432", CLOSED),
        ("/run", "db.example?unix_sock=/run/.s.PGSQL.5432", OPEN),
        ("*", "?host=10.1.2.3,/run", CLOSED),
        ("10.1.2.3", "?host=10.1.2.3,10.1.2.4", CLOSED),
        ("*", "", CLOSED),
    ],
)
def test_a_stranger_reaches_what_is_listed_and_nothing_else(
    rules: str, place: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", looks_up(NAMES))
    host, question, query = place.partition("?")
    address = address_of(f"postgresql://u@{host}/shop{question}{query}", {}, own=False)

    try:
        found = HostRules.parsed(rules).numeric(address).get("hostaddr", "")
    except AssayError as error:
        found = error.reason.code
        assert "169.254" not in error.message or "169.254" in place

    assert found == outcome


@pytest.mark.parametrize("text", ["10.0.0.0/33", "a b", "postgresql://db", "db:port", "1.2.3"])
def test_a_list_of_hosts_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no host name"):
        HostRules.parsed(f"db.example, {text}")


def test_whose_machine_it_is_may_open_any_host_but_the_clouds_own() -> None:
    anywhere = HostRules.parsed("*")

    assert anywhere.numeric(address_of("postgresql:///shop", {}, own=True)) == {}
    with pytest.raises(AssayError):
        anywhere.numeric(address_of("postgresql://169.254.169.254/shop", {}, own=True))


def test_of_a_served_mesh_strangers_open_only_what_the_operator_listed(
    server: Server, library: Opens
) -> None:
    url = f"postgresql://reader@127.0.0.1:{server.port}/postgres"
    own = library(own_surroundings=True)
    listed = library(hosts=f"127.0.0.0/8:{server.port}")

    assert opened(own, url, stranger=False) == "orders"
    assert opened(own, url, stranger=True) == DATABASE_HOST_REFUSED.code
    assert opened(library(), url, stranger=False) == DATABASE_HOST_REFUSED.code
    assert opened(listed, url, stranger=True) == "orders"
    assert opened(library(hosts="10.0.0.0/8", own_surroundings=True), url, stranger=False) == (
        DATABASE_HOST_REFUSED.code
    )
    named = library(connections={"shop": url.replace("@", f":{quote(PASSWORD, safe='')}@")})
    assert outcome(named, DataSource(connection_string="connection://shop")) == "orders"


def test_a_refused_host_is_never_called(library: Opens) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        refused = opened(library(), f"postgresql://u@127.0.0.1:{port}/db", stranger=True)

        assert refused == DATABASE_HOST_REFUSED.code
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_what_was_checked_is_what_is_called(
    server: Server, library: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver could not look this name up: it is given the address that passed."""
    monkeypatch.setattr(socket, "getaddrinfo", looks_up({NAME: ["127.0.0.1"]}))
    listed = library(hosts="127.0.0.1")

    url = f"postgresql://reader@{NAME}:{server.port}/postgres"

    assert opened(listed, url, stranger=True) == "orders"


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("&service=prod", "SOURCE_NOT_FOUND"),
        ("&passfile=/etc/pgpass", "SOURCE_NOT_FOUND"),
        ("&sslkey=/etc/client.key", "SOURCE_NOT_FOUND"),
        ("&unix_sock={folder}/.s.PGSQL.{port}", DATABASE_HOST_REFUSED.code),
    ],
)
def test_a_stranger_uses_no_login_of_this_machine(
    query: str, reason: str, server: Server, library: Opens
) -> None:
    """Behind the socket anybody is the owner, in these tests without any password."""
    own = library(own_surroundings=True, hosts="127.0.0.1")
    place = query.format(folder=server.folder, port=server.port)
    url = f"postgresql://postgres@127.0.0.1:{server.port}/postgres?sslmode=prefer{place}"

    assert opened(own, url, stranger=True) == reason


def test_a_kept_password_goes_to_no_other_server(server: Server, library: Opens) -> None:
    own = library(own_surroundings=True)
    url = f"postgresql://reader@127.0.0.1:{server.port}/postgres"
    secret = json.dumps({"password": PASSWORD})
    kept = own.vault.put(current().tenant, url, secret)

    for other in (url.replace("127.0.0.1", "localhost"), f"{url}?sslmode=disable"):
        mark = "&" if "?" in other else "?"
        source = DataSource(connection_string=f"{other}{mark}assay_credential={kept}")
        assert outcome(own, source) == DATABASE_LOGIN_REFUSED.code
