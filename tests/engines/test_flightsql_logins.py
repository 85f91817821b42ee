"""Who a Flight SQL server lets in, over which connections, and what is told where it does not."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from mesh.credentials import separated
from mesh.errors import AssayError
from services.executor.databases.address import address_of
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines.flightsql.connect import FlightSessions
from tests.databases.server import NAME, certificate, pem
from tests.engines.flight_server import (
    PASSWORD,
    TOKEN,
    USER,
    DuckDBFlightServer,
    flight_server,
)

pytestmark = pytest.mark.usefixtures("flightsql")
LOGIN = f"{USER}:{quote(PASSWORD, safe='')}@"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, bytes]:
    """The file of an authority, and a certificate for `NAME` with its key."""
    signing, served = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root = tmp_path_factory.mktemp("authority") / "ca.pem"
    root.write_bytes(pem(certificate("Authority", signing, "Authority", signing, ca=True)))
    return root, pem(certificate(NAME, served, "Authority", signing, ca=False)), pem(served)


@pytest.fixture(scope="module")
def guarded(flightsql: None) -> Iterator[DuckDBFlightServer]:
    """A server that asks for a login, in the open."""
    with flight_server(":memory:", login=True) as server:
        server.database.execute("CREATE TABLE a AS SELECT 1 AS i")
        yield server


@pytest.fixture(scope="module")
def encrypted(
    flightsql: None, authority: tuple[Path, bytes, bytes]
) -> Iterator[DuckDBFlightServer]:
    _, shown, key = authority
    with flight_server(":memory:", login=True, tls_certificates=[(shown, key)]) as server:
        server.database.execute("CREATE TABLE a AS SELECT 1 AS i")
        yield server


def rows(url: str, places: dict[str, str] | None = None) -> list[tuple[object, ...]]:
    """What is in the table there, asked by whoever the URL names."""
    parts = separated(url)
    address = address_of(parts.address, parts.secrets, own=True)
    sessions = FlightSessions(lambda _: places or {})
    with sessions.open(address, 10.0) as session:
        return session.rows("SELECT i FROM a")


def refused(url: str, places: dict[str, str] | None = None) -> str:
    with pytest.raises(AssayError) as refusal:
        rows(url, places)
    assert PASSWORD not in str(refusal.value)
    assert "wrong" not in str(refusal.value)
    return f"{refusal.value.reason.code}: {refusal.value.message}"


def test_a_password_or_a_token_lets_in(guarded: DuckDBFlightServer) -> None:
    place = f"127.0.0.1:{guarded.port}"
    assert rows(f"flightsql://{LOGIN}{place}?sslmode=disable") == [(1,)]
    assert rows(f"flightsql://{place}?sslmode=disable&token={TOKEN}") == [(1,)]


@pytest.mark.parametrize("login", ["", f"{USER}:wrong@", "mallory:wrong@"])
def test_nobody_else_is_let_in(login: str, guarded: DuckDBFlightServer) -> None:
    told = refused(f"flightsql://{login}127.0.0.1:{guarded.port}?sslmode=disable")
    assert told.startswith("DATABASE_LOGIN_REFUSED")
    wrong = refused(f"flightsql://127.0.0.1:{guarded.port}?sslmode=disable&token=wrong")
    assert wrong.startswith("DATABASE_LOGIN_REFUSED")


def test_the_secrets_of_an_address_are_not_shown(guarded: DuckDBFlightServer) -> None:
    for url in (f"flightsql://{LOGIN}h:1", f"flightsql://h:1?token={TOKEN}"):
        parts = separated(url)
        shown = repr(address_of(parts.address, parts.secrets, own=True)) + parts.address
        assert PASSWORD not in shown
        assert quote(PASSWORD, safe="") not in shown
        assert TOKEN not in shown


def test_a_server_is_believed_under_the_name_that_its_authority_signed(
    encrypted: DuckDBFlightServer, authority: tuple[Path, bytes, bytes]
) -> None:
    there = {"host": NAME, "hostaddr": "127.0.0.1", "port": str(encrypted.port)}
    root = f"sslrootcert={quote(str(authority[0]))}"
    by_name = f"flightsql://{LOGIN}{NAME}:{encrypted.port}"
    assert rows(f"{by_name}?{root}", there) == [(1,)]
    assert rows(f"{by_name}?sslmode=require", there) == [(1,)]
    assert "did not sign" in refused(by_name, there)
    other = f"flightsql://{LOGIN}127.0.0.1:{encrypted.port}"
    assert "another name" in refused(f"{other}?{root}")


def test_encryption_that_only_one_side_wants_is_told(
    encrypted: DuckDBFlightServer, guarded: DuckDBFlightServer
) -> None:
    sealed = refused(f"flightsql://{LOGIN}127.0.0.1:{encrypted.port}?sslmode=disable")
    assert sealed.startswith("DATABASE_UNREACHABLE")
    in_the_open = refused(f"flightsql://{LOGIN}127.0.0.1:{guarded.port}")
    assert "offers no encryption" in in_the_open


def test_where_nothing_answers_it_is_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        assert "nothing answers there" in refused(f"flightsql://127.0.0.1:{port}?sslmode=disable")
        unused.listen()
        silent = f"flightsql://127.0.0.1:{port}?sslmode=disable&connect_timeout=1"
        assert "did not answer in time" in refused(silent)


def test_rows_are_fetched_from_the_server_that_was_asked() -> None:
    """Wherever it claims that they lie: a login is for one server, and so is a rule about hosts."""
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.settimeout(0)
        claimed = f"grpc://127.0.0.1:{elsewhere.getsockname()[1]}"
        with flight_server(":memory:", elsewhere=claimed) as server:
            server.database.execute("CREATE TABLE a AS SELECT 1 AS i")
            assert rows(f"flightsql://127.0.0.1:{server.port}?sslmode=disable") == [(1,)]
            with pytest.raises(BlockingIOError):
                elsewhere.accept()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("flightsql://", "names no host"),
        ("flightsql://a,b:1", "names no host, or several"),
        ("flightsql://h/db", "names a database"),
        ("flightsql://h?sslmode=prefer", "sslmode=prefer"),
        ("flightsql://h?connect_timeout=x", "connect_timeout"),
        ("flightsql://h?options=-c", "options, which is not allowed"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, words: str) -> None:
    with pytest.raises(AssayError, match=words) as refusal:
        address_of(url, {}, own=True)
    assert refusal.value.reason.code == "SOURCE_NOT_FOUND"


def test_strangers_name_no_files_and_no_hosts_that_are_not_listed(
    guarded: DuckDBFlightServer, tmp_path: Path
) -> None:
    with pytest.raises(AssayError, match="sslrootcert, which is not allowed"):
        address_of("flightsql://h?sslrootcert=/etc/passwd", {}, own=False)
    library = DatabaseLibrary(tmp_path, hosts="db.example")
    url = f"flightsql://127.0.0.1:{guarded.port}?sslmode=disable"
    with pytest.raises(AssayError) as refusal:
        library.open(DataSource(connection_string=url))
    assert refusal.value.reason.code == "DATABASE_HOST_REFUSED"
