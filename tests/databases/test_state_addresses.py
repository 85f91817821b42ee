"""Where services keep their own state: a server by libpq's words for TLS, told of in words.

The folder's fixture starts a PostgreSQL server: only a real one negotiates TLS.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from gateway.settings import GatewaySettings
from mesh.config import load
from mesh.errors import AssayError
from mesh.storage.database import open_database
from mesh.storage.server import engine_of
from tests.databases.server import NAME, PASSWORD, Server, certificate

MIGRATIONS = Path(__file__).parents[2] / "gateway/adapters/migrations"


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every name is this machine's, and nothing in the home folder helps."""
    real = socket.getaddrinfo

    def here(_host: str, *rest: Any, **named: Any) -> Any:
        return real("127.0.0.1", *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", here)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The certificate of another authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    made = certificate("Authority", key, "Authority", key, ca=True)
    (tmp_path / "other.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return tmp_path / "other.pem"


def address(
    server: Server, user: str = "reader", host: str = NAME, secret: str = PASSWORD, **query: Any
) -> str:
    said = "&".join(f"{name}={value}" for name, value in query.items())
    place = f"{user}:{quote(secret, safe='')}@{host}:{server.port}"
    return f"postgresql://{place}/postgres?{said}"


def encrypted(url: str) -> bool:
    """Whether a connection by this address is."""
    engine = engine_of(url)
    with engine.connect() as connection:
        asked = text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        answer = connection.execute(asked).scalar()
    engine.dispose()
    return bool(answer)


def refusal(url: str) -> str:
    """How a service that keeps its state there is refused."""
    with pytest.raises(AssayError) as refused:
        open_database(url, MIGRATIONS)
    assert PASSWORD not in str(refused.value)
    assert quote(PASSWORD, safe="") not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("mode", "either", "sealed", "unsealed"),
    [
        ("disable", False, None, False),
        ("allow", False, True, False),
        ("prefer", True, True, False),
        ("require", True, True, None),
        ("verify-ca", True, True, None),
        ("verify-full", True, True, None),
        ("", True, True, False),
    ],
)
def test_each_mode_encrypts_as_libpq_does(
    server: Server, mode: str, either: bool, sealed: bool | None, unsealed: bool | None
) -> None:
    """For users who may log in either way, encrypted only, and not encrypted only."""
    asked: dict[str, Any] = {"sslmode": mode} if mode else {}
    if mode.startswith("verify"):
        asked["sslrootcert"] = server.authority
    for user, expected in (("reader", either), ("sealed", sealed), ("open", unsealed)):
        url = address(server, user, **asked)
        if expected is None:
            assert refusal(url).startswith("DATABASE_LOGIN_REFUSED")
        else:
            assert encrypted(url) is expected, user


def test_another_name_or_authority_is_refused_in_words(server: Server, other: Path) -> None:
    authority = server.authority
    for url, words in (
        (address(server, host="x.example", sslmode="verify-full", sslrootcert=authority), "name"),
        (address(server, sslmode="verify-full", sslrootcert=other), "did not sign"),
        (address(server, sslmode="verify-ca", sslrootcert=other), "did not sign"),
        (address(server, sslmode="require", sslrootcert=other), "did not sign"),
        (address(server, sslrootcert="system"), "did not sign"),
    ):
        told = refusal(url)
        assert told.startswith("DATABASE_UNREACHABLE"), url
        assert words in told
    # The authority alone counts, or nothing at all, as was asked for.
    assert encrypted(address(server, host="x.example", sslmode="verify-ca", sslrootcert=authority))
    assert encrypted(address(server, host="x.example", sslmode="require"))


def test_a_server_that_does_not_encrypt_is_refused_where_it_must(server: Server) -> None:
    server.run("ALTER SYSTEM SET ssl = off", "SELECT pg_reload_conf()")
    try:
        assert "offers no encryption" in refusal(address(server, sslmode="require"))
        assert not encrypted(address(server, sslmode="prefer"))
    finally:
        server.run("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()")


def test_a_certificate_of_ones_own_logs_in(server: Server) -> None:
    own = server.folder / "certified.pem"
    trusted: dict[str, Any] = {"sslmode": "verify-full", "sslrootcert": server.authority}
    assert encrypted(address(server, "certified", sslcert=own, **trusted))
    assert encrypted(address(server, "certified", sslcert=own, sslkey=own, **trusted))
    assert "does not let this user in" in refusal(address(server, "certified", **trusted))


def test_logins_and_sockets(server: Server) -> None:
    assert "refuses this user or password" in refusal(address(server, secret="wrong"))
    assert "does not exist" in refusal(address(server).replace("/postgres?", "/absent?"))
    assert not encrypted(f"{server.socket_uri}&sslmode=require&application_name=assay")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("sslmode=banana", "sslmode=banana; it may be disable, allow"),
        ("options=-csearch_path", "the parameter options; known are sslmode"),
        ("target_session_attrs=standby", "it may be any, read-write, primary"),
        ("connect_timeout=soon", "connect_timeout=soon; it is a whole number of seconds"),
        ("port=one", "the port one; it is a number"),
        ("port=1,2", "1 hosts and 2 ports"),
        ("sslmode=require&sslrootcert=system", "only verify-full"),
        ("sslkey=/a", "sslkey without sslcert"),
    ],
)
def test_addresses_that_mean_nothing_are_told_with_their_setting(query: str, words: str) -> None:
    url = f"postgresql://me:{quote(PASSWORD, safe='')}@db/assay?{query}"
    assert words in refusal(url)
    with pytest.raises(AssayError) as refused:
        load(GatewaySettings, gateway_database=url)
    assert words in refused.value.fields["ASSAY_GATEWAY_DATABASE"]
    assert quote(PASSWORD, safe="") not in str(refused.value)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("sslmode=verify-ca", "nothing says which authority"),
        ("sslmode=require&sslrootcert=/absent", "cannot be read: No such file"),
        (f"sslmode=verify-full&sslrootcert={__file__}", "does not fit"),
        ("sslcert=/absent", "cannot be read: No such file"),
        ("sslmode=require&sslmode=disable", "the same parameter twice"),
    ],
)
def test_files_that_cannot_be_used_are_named(query: str, words: str) -> None:
    assert words in refusal(f"postgresql://me@db/assay?{query}")


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def away() -> int:
    """A port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def several(server: Server, *ports: int, user: str = "reader", **query: Any) -> str:
    """The server and others before it, each under a name of its own."""
    hosts = ",".join(f"n{port}.example:{port}" for port in (*ports, server.port))
    said = "&".join(f"{name}={value}" for name, value in query.items())
    return f"postgresql://{user}:{quote(PASSWORD, safe='')}@{hosts}/postgres?{said}"


def test_the_next_host_is_asked_where_one_is_away_or_silent(
    server: Server, away: int, silent: int
) -> None:
    assert encrypted(several(server, away))
    assert encrypted(several(server, away, silent, connect_timeout=1))
    as_parameters = f"host={server.folder / 'absent'},{NAME}&port={away},{server.port}"
    secret = quote(PASSWORD, safe="")
    assert encrypted(f"postgresql://reader:{secret}@/postgres?{as_parameters}")


def test_each_host_is_verified_by_its_own_name(server: Server, away: int) -> None:
    trusted: dict[str, Any] = {"sslmode": "verify-full", "sslrootcert": server.authority}
    url = several(server, away, **trusted)
    assert "name" in refusal(url)
    assert encrypted(url.replace(f"n{server.port}.example", NAME))


def test_a_login_that_one_host_refuses_is_told(server: Server, away: int) -> None:
    hosts = f"{NAME}:{server.port},n.example:{away}"
    refused = refusal(f"postgresql://reader:wrong@{hosts}/postgres")
    assert refused.startswith("DATABASE_LOGIN_REFUSED")


def test_a_silent_server_is_told_to_be_away(server: Server, silent: int) -> None:
    url = address(server, connect_timeout=1).replace(f":{server.port}/", f":{silent}/")
    assert refusal(url).startswith("SERVICE_UNAVAILABLE")


def test_statements_may_take_longer_than_connecting(server: Server) -> None:
    engine = engine_of(address(server, connect_timeout=1))
    with engine.connect() as connection:
        assert connection.execute(text("SELECT 1 FROM pg_sleep(1.2)")).scalar() == 1
    engine.dispose()


def test_a_server_that_takes_writes_can_be_asked_for(server: Server) -> None:
    url = address(server, target_session_attrs="read-write")
    assert encrypted(url)
    server.run("ALTER ROLE reader SET default_transaction_read_only = on")
    try:
        told = refusal(url)
        assert told.startswith("SERVICE_UNAVAILABLE")
        assert f"at {NAME} of this service is read-write now" in told
        assert encrypted(address(server, target_session_attrs="primary"))  # it is no standby
    finally:
        server.run("ALTER ROLE reader RESET default_transaction_read_only")


def test_a_server_that_takes_no_writes_any_more_is_looked_for_anew(server: Server) -> None:
    engine = engine_of(address(server, target_session_attrs="read-write"))
    with engine.connect() as connection, pytest.raises(DBAPIError) as refused:
        connection.execute(text("SET TRANSACTION READ ONLY"))
        connection.execute(text("CREATE TEMPORARY TABLE t AS SELECT 1; DROP TABLE orders"))
    engine.dispose()
    assert refused.value.connection_invalidated


def test_a_service_keeps_its_state_behind_tls(server: Server) -> None:
    server.run("CREATE DATABASE kept", "ALTER DATABASE kept OWNER TO reader")
    url = address(server, sslmode="verify-full", sslrootcert=server.authority)
    database = open_database(url.replace("/postgres?", "/kept?"), MIGRATIONS)
    assert database.run(lambda session: session.execute(text("SELECT 1")).scalar()) == 1
    asyncio.run(database.close())
