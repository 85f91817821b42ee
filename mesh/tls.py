"""TLS where the settings name certificates: mutual between services, one-sided for people.

Between services on several machines it keeps what they say from others on the way, and lets nobody
connect whose certificate the authority did not sign. Who calls is told by the seal all the same
(`mesh.seal`), and of people by their tokens.
"""

from __future__ import annotations

from pathlib import Path

import grpc

from mesh.config import MeshSettings
from mesh.errors import INVALID_ARGUMENT, AssayError


def to_peers(settings: MeshSettings, target: str) -> grpc.ChannelCredentials | None:
    """For a channel to `target`; None without certificates, and for sockets of this machine.

    Raises AssayError(INVALID_ARGUMENT) for a file that cannot be read.
    """
    if settings.tls_certificate is None or target.startswith("unix:"):
        return None
    key, certificate, authority = _files(settings)
    return grpc.ssl_channel_credentials(authority, key, certificate)


def from_peers(settings: MeshSettings, listen: str) -> grpc.ServerCredentials | None:
    """For a server at `listen`; None as in `to_peers`, which this raises like."""
    if settings.tls_certificate is None or listen.startswith("unix:"):
        return None
    key, certificate, authority = _files(settings)
    return grpc.ssl_server_credentials([(key, certificate)], authority, require_client_auth=True)


def for_people(settings: MeshSettings, listen: str) -> grpc.ServerCredentials | None:
    """For an address where people call; None as in `to_peers`, which this raises like."""
    if settings.public_certificate is None or listen.startswith("unix:"):
        return None
    key = _read("ASSAY_PUBLIC_KEY", settings.public_key)
    certificate = _read("ASSAY_PUBLIC_CERTIFICATE", settings.public_certificate)
    return grpc.ssl_server_credentials([(key, certificate)])


def to_server(authority: Path | None) -> grpc.ChannelCredentials:
    """For a person's channel to a server: `authority` must have signed its certificate, or where
    none is named, one of those that gRPC itself knows. Raises AssayError(INVALID_ARGUMENT)."""
    roots = None if authority is None else _read("ASSAY_SERVER_AUTHORITY", authority)
    return grpc.ssl_channel_credentials(roots)


def _files(settings: MeshSettings) -> tuple[bytes, bytes, bytes]:
    return (
        _read("ASSAY_TLS_KEY", settings.tls_key),
        _read("ASSAY_TLS_CERTIFICATE", settings.tls_certificate),
        _read("ASSAY_TLS_AUTHORITY", settings.tls_authority),
    )


def _read(setting: str, path: Path | None) -> bytes:
    try:
        return path.read_bytes() if path is not None else b""
    except OSError as error:
        why = error.strerror or "unreadable"
        raise AssayError(
            INVALID_ARGUMENT,
            f"settings are not valid: {setting}: {path} cannot be read: {why}",
            fields={setting: "cannot be read"},
        ) from error
