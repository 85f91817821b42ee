"""Whom a service hears, by the certificate that a peer has shown."""

from __future__ import annotations

from typing import Any

from grpc import aio

from mesh.errors import PEER_REFUSED, AssayError
from mesh.transport.edges import CALLERS, may_call

_NAMES = "x509_subject_alternative_name"


def check_certificate(service: str, context: aio.ServicerContext[Any, Any]) -> None:
    """Hold the names in a peer's certificate against `mesh.transport.edges`.

    Without TLS there are none to hold, and the seal alone tells that a peer is of the mesh. Raises
    AssayError(PEER_REFUSED).
    """
    if service not in CALLERS:
        return
    proved = context.auth_context()
    if proved.get("transport_security_type") != [b"ssl"]:
        return
    names = [name.decode() for name in proved.get(_NAMES, [])]
    if not may_call(service, names):
        raise AssayError(
            PEER_REFUSED,
            f"a certificate for {', '.join(names) or 'nobody'} does not call the {service}",
            hint=f"It is for {' and '.join(sorted(CALLERS[service]))} to call it: a "
            "service's certificate has its name among its DNS names.",
        )
