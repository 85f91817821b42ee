"""A PostgreSQL server on a port of this machine, with certificates of an authority of its own."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from adbc_driver_postgresql import dbapi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mesh.context import current
from mesh.credentials import with_reference
from mesh.errors import AssayError
from mesh.testing.postgres import postgres_server
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource

PASSWORD = "Kr0kodil&%/t-r3n"
NAME = "db.shop.example"
_SHOP = (
    "CREATE TABLE orders AS SELECT i AS id, i * 1.25 AS amount FROM generate_series(1, 40) i",
    "ANALYZE",
    f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'",
    "GRANT SELECT ON orders TO reader",
    f"CREATE ROLE sealed LOGIN PASSWORD '{PASSWORD}'",
    f"CREATE ROLE open LOGIN PASSWORD '{PASSWORD}'",
    "CREATE ROLE certified LOGIN",
    "ALTER SYSTEM SET ssl = on",
)
_LOGINS = (
    "local all postgres trust\nlocal all all scram-sha-256\n"
    "hostssl all reader 127.0.0.1/32 scram-sha-256\n"
    "hostnossl all reader 127.0.0.1/32 scram-sha-256\n"
    "hostssl all sealed 127.0.0.1/32 scram-sha-256\n"
    "hostnossl all open 127.0.0.1/32 scram-sha-256\n"
    "hostssl all certified 127.0.0.1/32 cert\n"
)


@dataclass(frozen=True)
class Server:
    """Where it listens, the folder of its socket, and the authority that vouches for `NAME`.

    `reader` may log in either way, `sealed` encrypted, `open` not encrypted, and `certified` by the
    certificate certified.pem in the folder.
    """

    port: int
    folder: Path
    authority: Path

    @property
    def socket_uri(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}&port={self.port}"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """As the owner; the rows of the last statement that has any."""
        rows: list[tuple[Any, ...]] = []
        with dbapi.connect(self.socket_uri, autocommit=True) as owner, owner.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                rows = cursor.fetchall() if cursor.description else rows
        return rows


@contextmanager
def shop_server() -> Iterator[Server]:
    """Raises PostgresAbsent."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with postgres_server(port) as url:
        folder = Path(url.partition("unix_sock=")[2]).parent
        server = Server(port, folder, folder / "authority.pem")
        _certify(server, folder / "data")
        (folder / "data" / "pg_hba.conf").write_text(_LOGINS)
        authority = f"ALTER SYSTEM SET ssl_ca_file = '{server.authority}'"
        server.run(*_SHOP, authority, "SELECT pg_reload_conf()")
        yield server


def _certify(server: Server, data: Path) -> None:
    owner = data.stat()
    signing, served = (
        ec.generate_private_key(ec.SECP256R1()),
        ec.generate_private_key(ec.SECP256R1()),
    )
    root = certificate("Authority", signing, "Authority", signing, ca=True)
    leaf = certificate(NAME, served, "Authority", signing, ca=False)
    server.authority.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    server.authority.chmod(0o644)
    for name, content in (("server.crt", pem(leaf)), ("server.key", pem(served))):
        (data / name).write_bytes(content)
        (data / name).chmod(0o600)
        shutil.chown(data / name, owner.st_uid, owner.st_gid)
    own = ec.generate_private_key(ec.SECP256R1())
    certified = certificate("certified", own, "Authority", signing, ca=False)
    (server.folder / "certified.pem").write_bytes(pem(certified) + pem(own))


def pem(what: x509.Certificate | ec.EllipticCurvePrivateKey) -> bytes:
    """As a file holds it, without a password."""
    if isinstance(what, x509.Certificate):
        return what.public_bytes(serialization.Encoding.PEM)
    return what.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    signing: ec.EllipticCurvePrivateKey,
    *,
    ca: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(name)])
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(names, critical=False)
        .sign(signing, hashes.SHA256())
    )


def looks_up(answers: dict[str, list[str]]) -> object:
    """A stand-in for `socket.getaddrinfo` that knows these names and addresses alone."""

    def getaddrinfo(host: str, port: object, **_: object) -> list[tuple[Any, ...]]:
        try:
            numbers = [str(ip_address(host))]
        except ValueError:
            numbers = answers.get(host.lower().rstrip("."), [])
        if not numbers:
            raise socket.gaierror(socket.EAI_NONAME, "nobody knows")
        return [(0, socket.SOCK_STREAM, 6, "", (number, 0)) for number in numbers]

    return getaddrinfo


def deposited(library: DatabaseLibrary, url: str, *, stranger: bool) -> str:
    """The address as the gateway makes it, the reader's password left with the executor."""
    secret = json.dumps({"password": PASSWORD})
    kept = library.vault.put(current().tenant, url, secret, stranger=stranger)
    return with_reference(url, kept)


def opened(library: DatabaseLibrary, url: str, *, stranger: bool) -> str:
    """What comes of opening it with the reader's password."""
    return outcome(
        library, DataSource(connection_string=deposited(library, url, stranger=stranger))
    )


def outcome(library: DatabaseLibrary, source: DataSource) -> str:
    """The name of its one table, or the reason why there is none."""
    try:
        return library.open(source).tables[0].name
    except AssayError as error:
        return error.reason.code
