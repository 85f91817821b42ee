"""TLS where the settings name certificates: mutual between services, one-sided for people.

Between services on several machines it keeps what they say from others on the way, and lets nobody
connect whose certificate the authority did not sign. Who calls is told by the seal all the same
(`mesh.transport.seal`), and of people by their tokens.

Files are looked at again while the process runs: a certificate that was renewed serves the
connections that begin after it. Files that do not belong together (half written) are left alone.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from mesh.errors import INVALID_ARGUMENT, AssayError

if TYPE_CHECKING:
    from mesh.config import MeshSettings

LOOK_SECONDS = 1.0
"""How often the files are looked at, at most."""

log = logging.getLogger("assay.tls")


class Certificates:
    """A key, its certificate and, between services, the authority: PEM files that may be renewed.

    `of` names each file's setting. Raises AssayError(INVALID_ARGUMENT) for one that cannot be read,
    and for a key that is not the certificate's; later both are only logged.
    """

    def __init__(self, of: dict[str, Path | None]) -> None:
        self._of = of
        self._read = {setting: _read(setting, path) for setting, path in of.items()}
        self._fit(self._read)
        self._seen = self._stamps()
        self._looked = time.monotonic()
        self._edition = 0

    def edition(self) -> int:
        """A number that grows when the files are others, and sound."""
        now = time.monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            stamps = self._stamps()
            if stamps != self._seen:
                self._take(stamps)
        return self._edition

    def of_a_client(self) -> grpc.ChannelCredentials:
        """For a channel."""
        key, certificate, authority = self._read.values()
        return grpc.ssl_channel_credentials(authority, key, certificate)

    def of_a_server(self) -> grpc.ServerCredentials:
        """For an address; with an authority, nobody else's peers are let in."""
        served = -1

        def renewed() -> grpc.ServerCertificateConfiguration | None:
            nonlocal served
            edition = self.edition()
            if edition == served:
                return None
            served = edition
            return self._configuration()

        return grpc.dynamic_ssl_server_credentials(
            self._configuration(),
            renewed,  # type: ignore[arg-type]  # None: as before, says its docstring
            require_client_authentication=len(self._of) > 2,
        )

    def _configuration(self) -> grpc.ServerCertificateConfiguration:
        key, certificate, *authority = self._read.values()
        return grpc.ssl_server_certificate_configuration([(key, certificate)], *authority)

    def _take(self, stamps: list[tuple[int, ...]]) -> None:
        try:
            read = {setting: _read(setting, path) for setting, path in self._of.items()}
            self._fit(read)
        except AssayError as error:
            log.warning("renewed certificates are not used: %s", error.message)
            return
        self._read, self._seen = read, stamps
        self._edition += 1
        log.info("renewed certificates are in use: %s", next(iter(self._of)))

    def _stamps(self) -> list[tuple[int, ...]]:
        return [_stamp(path) for path in self._of.values()]

    def _fit(self, read: dict[str, bytes]) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        (key_setting, key), (setting, certificate), *_ = read.items()
        try:
            fits = (
                load_pem_private_key(key, None).public_key()
                == x509.load_pem_x509_certificate(certificate).public_key()
            )
        except (ValueError, TypeError) as error:
            raise _invalid(setting, f"{setting} or {key_setting} is not in PEM") from error
        if not fits:
            raise _invalid(key_setting, f"{key_setting} is not the key of {setting}")


def between_services(settings: MeshSettings, target: str) -> Certificates | None:
    """For a channel to `target`, or a server there; None without certificates, and for sockets of
    this machine. Raises AssayError(INVALID_ARGUMENT) as `Certificates`."""
    if settings.tls_certificate is None or target.startswith("unix:"):
        return None
    return Certificates(
        {
            "ASSAY_TLS_KEY": settings.tls_key,
            "ASSAY_TLS_CERTIFICATE": settings.tls_certificate,
            "ASSAY_TLS_AUTHORITY": settings.tls_authority,
        }
    )


def for_people(settings: MeshSettings, listen: str) -> Certificates | None:
    """For an address where people call; None as in `between_services`, which this raises like."""
    if settings.public_certificate is None or listen.startswith("unix:"):
        return None
    return Certificates(
        {
            "ASSAY_PUBLIC_KEY": settings.public_key,
            "ASSAY_PUBLIC_CERTIFICATE": settings.public_certificate,
        }
    )


def to_server(authority: Path | None) -> grpc.ChannelCredentials:
    """For a person's channel to a server: `authority` must have signed its certificate, or where
    none is named, one of those that gRPC itself knows. Raises AssayError(INVALID_ARGUMENT)."""
    roots = None if authority is None else _read("ASSAY_SERVER_AUTHORITY", authority)
    return grpc.ssl_channel_credentials(roots)


def _stamp(path: Path | None) -> tuple[int, ...]:
    # A mounted secret is renewed by pointing a link elsewhere: the file behind it is what counts.
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return ()
    return () if found is None else (found.st_ino, found.st_mtime_ns, found.st_size)


def _read(setting: str, path: Path | None) -> bytes:
    try:
        return path.read_bytes() if path is not None else b""
    except OSError as error:
        why = error.strerror or "unreadable"
        raise _invalid(setting, f"{setting}: {path} cannot be read: {why}") from error


def _invalid(setting: str, what: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT, f"settings are not valid: {what}", fields={setting: "cannot be used"}
    )
