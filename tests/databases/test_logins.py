"""The ways to log in to a PostgreSQL database, each against a real one."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import quote

import pytest
from adbc_driver_postgresql import dbapi
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from mesh.errors import DATABASE_HOST_REFUSED, DATABASE_UNREACHABLE, AssayError
from services.executor.databases.address import address_of
from services.executor.domain.source import DataSource
from services.executor.engines.postgres.address import uri
from tests.databases.conftest import Opens
from tests.databases.server import (
    NAME,
    PASSWORD,
    Server,
    certificate,
    deposited,
    looks_up,
    opened,
    outcome,
)

REFUSED = "DATABASE_LOGIN_REFUSED"


def private(path: Path, text: str) -> str:
    """A file that only its owner reads; libpq believes no other."""
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


@pytest.fixture
def no_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing that whoever runs the tests has set up helps."""
    for name in ("PGPASSWORD", "PGSERVICE", "PGHOST", "PGUSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "absent"))
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "absent"))


def asked(url: str) -> DataSource:
    return DataSource(connection_string=url)


@pytest.mark.usefixtures("no_surroundings")
class TestSurroundings:
    """What whoever runs an embedded mesh has on their machine; strangers have none of it."""

    def test_a_pgpass_file(
        self, server: Server, library: Opens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = f"postgresql://reader@127.0.0.1:{server.port}/postgres"
        escaped = PASSWORD.replace(":", r"\:")
        line = f"127.0.0.1:{server.port}:*:reader:{escaped}\n"
        own, served = library(own_surroundings=True), library(hosts="127.0.0.1")

        assert outcome(own, asked(url)) == REFUSED
        monkeypatch.setenv("PGPASSFILE", private(tmp_path / "pgpass", line))

        assert outcome(own, asked(url)) == "orders"
        assert outcome(served, asked(url)) == REFUSED

    def test_the_variable_pgpassword(
        self, server: Server, library: Opens, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = f"postgresql://reader@127.0.0.1:{server.port}/postgres"
        monkeypatch.setenv("PGPASSWORD", PASSWORD)

        assert outcome(library(own_surroundings=True), asked(url)) == "orders"
        assert outcome(library(hosts="127.0.0.1"), asked(url)) == REFUSED

    def test_a_service_file(
        self, server: Server, library: Opens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told = (
            f"[shop]\nhost=127.0.0.1\nport={server.port}\nuser=reader\ndbname=postgres\n"
            f"password={PASSWORD}\n"
        )
        monkeypatch.setenv("PGSERVICEFILE", private(tmp_path / "services", told))
        own = library(own_surroundings=True)

        assert outcome(own, asked("postgresql:///?service=shop")) == "orders"
        assert outcome(own, asked("postgresql:///?service=absent")) == "SOURCE_NOT_FOUND"
        monkeypatch.setenv("PGSERVICE", "shop")
        assert outcome(own, asked("postgresql:///")) == "orders"
        served = library(hosts="127.0.0.1")
        assert outcome(served, asked("postgresql:///?service=shop")) == "SOURCE_NOT_FOUND"
        assert outcome(served, asked("postgresql:///")) == DATABASE_HOST_REFUSED.code
        assert outcome(served, asked(f"postgresql://127.0.0.1:{server.port}/postgres")) == REFUSED

    def test_a_database_by_the_operators_name_for_it(self, server: Server, library: Opens) -> None:
        url = f"postgresql://reader:{quote(PASSWORD, safe='')}@127.0.0.1:{server.port}/postgres"
        served = library(connections={"Shop": url, "locked": url.replace("Kr0", "Kr1")})

        assert outcome(served, asked("connection://Shop")) == "orders"
        assert outcome(served, asked("connection://shop")) == "SOURCE_NOT_FOUND"
        assert outcome(served, asked("connection://locked")) == REFUSED


@pytest.mark.usefixtures("no_surroundings")
class TestTransportSecurity:
    """`sslmode=verify-full` believes a server only under a name its authority vouches for."""

    @pytest.fixture(autouse=True)
    def names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known = {NAME: ["127.0.0.1"], "other.example": ["127.0.0.1"]}
        monkeypatch.setattr(socket, "getaddrinfo", looks_up(known))

    def url(self, server: Server, host: str = NAME, **parameters: object) -> str:
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        return f"postgresql://reader@{host}:{server.port}/postgres?{query}"

    def test_the_right_name_and_authority_are_believed(
        self, server: Server, library: Opens
    ) -> None:
        url = self.url(server, sslmode="verify-full", sslrootcert=server.authority)
        own = library(own_surroundings=True)

        assert opened(own, url, stranger=False) == "orders"
        # The same address, as the driver gets it: the connection is encrypted.
        places = {"hostaddr": "127.0.0.1"}
        place = uri(address_of(url, {"password": PASSWORD}, own=True), places)
        with dbapi.connect(place) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            assert cursor.fetchone() == (True,)

    def test_anything_else_is_not_and_it_is_said_what(
        self, server: Server, library: Opens, tmp_path: Path
    ) -> None:
        other, own = tmp_path / "other.pem", library(own_surroundings=True)
        other.write_bytes(_another_authority())
        wrong = {
            "of another name": self.url(
                server, "other.example", sslmode="verify-full", sslrootcert=server.authority
            ),
            "did not sign": self.url(server, sslmode="verify-full", sslrootcert=other),
            "names no certificate": self.url(
                server, sslmode="verify-full", sslrootcert=tmp_path / "absent"
            ),
        }
        for words, url in wrong.items():
            with pytest.raises(AssayError, match=words) as refused:
                own.open(DataSource(connection_string=deposited(own, url, stranger=False)))
            assert refused.value.reason is DATABASE_UNREACHABLE

    def test_where_strangers_ask_the_operator_says_whom_to_believe(
        self, server: Server, library: Opens, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = self.url(server, sslmode="verify-full")
        served = library(hosts=NAME)

        monkeypatch.setenv("PGSSLROOTCERT", "/nowhere")
        assert opened(served, url, stranger=True) == DATABASE_UNREACHABLE.code
        monkeypatch.setenv("PGSSLROOTCERT", str(server.authority))
        assert opened(served, url, stranger=True) == "orders"


def _another_authority() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    made = certificate("Authority", key, "Authority", key, ca=True)
    return made.public_bytes(serialization.Encoding.PEM)
