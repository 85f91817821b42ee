"""A web server on this machine with a certificate of its own, for tests of what is fetched."""

from __future__ import annotations

import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class Answer:
    """What the server says of a path: `status` and `headers`, and `body`, of which `cut` bytes at
    the end never arrive."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0


@dataclass
class Web:
    """Files by their paths; what is a function is called for each request with its headers."""

    url: str
    authority: Path
    files: dict[str, Answer | Callable[[dict[str, str]], Answer]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def put(self, path: str, body: bytes | str, **headers: str) -> str:
        """Serve a file; its address."""
        content = body.encode() if isinstance(body, str) else body
        self.files[path] = Answer(content, headers=headers)
        return f"{self.url}{path}"


@contextmanager
def web_server(folder: Path, *, secure: bool = True) -> Iterator[Web]:
    """Serve on a free port of this machine, by https unless it is not to be `secure`."""
    web = Web("", folder / "authority.pem")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            web.asked.append((self.path, headers))
            found = web.files.get(self.path, Answer(status=404))
            answer = found if isinstance(found, Answer) else found(headers)
            etag = answer.headers.get("ETag")
            if etag and headers.get("if-none-match") == etag:
                answer = Answer(status=304, headers=answer.headers)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if "Transfer-Encoding" not in answer.headers and answer.status != 304:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) - answer.cut])
            self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if secure:
        certificate, key = _certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    web.url = f"{'https' if secure else 'http'}://localhost:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost, which is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "assay tests")])
    now = datetime.now(UTC)
    names: list[x509.GeneralName] = [
        x509.DNSName("localhost"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, secret = folder / "authority.pem", folder / "key.pem"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return pem, secret
