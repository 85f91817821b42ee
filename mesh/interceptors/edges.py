"""Server interceptor: lets in those services that the house says call this one, by their
certificates."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from grpc import aio

from mesh.context import service_of
from mesh.edges import CALLERS, may_call
from mesh.errors import PEER_REFUSED, AssayError
from mesh.interceptors.around import Around

_NAMES = "x509_subject_alternative_name"


class Edges(Around):
    """Holds the names in a peer's certificate against `mesh.edges`; without TLS there are none to
    hold, and the seal alone tells that a peer is of the mesh."""

    @asynccontextmanager
    async def around(
        self, method: str, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[None]:
        """Raises AssayError(PEER_REFUSED)."""
        service = service_of(method)
        if service in CALLERS:
            _check(service, context.auth_context())
        yield


def _check(service: str, proved: Mapping[str, Iterable[bytes]]) -> None:
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
