"""Credentials into principals: the only place that decides whom a call is believed to be from.

The gateway believes an end user: whoever calls over a socket that only this machine's user can
reach, and over a network the name in x-assay-user, once, by grace of what stands before the
gateway. All other services believe the mesh's own services alone, by their seal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mesh.context import (
    LOCAL_TENANT,
    PRINCIPAL_KEY,
    REQUEST_KEY,
    TENANT_KEY,
    Established,
    Principal,
)
from mesh.errors import CREDENTIALS_REFUSED, INVALID_ARGUMENT, PEER_REFUSED, AssayError
from mesh.ids import new_id
from mesh.seal import Seal

_USER = re.compile(r"[!-+\--~]([ -+\--~]{0,98}[!-+\--~])?")
_REQUEST = re.compile(r"[A-Za-z0-9._-]{1,100}")

Metadata = Sequence[tuple[str, str | bytes]]


class Credentials:
    """Reads who calls; `seal` is the mesh's, None where there are no peers."""

    def __init__(self, seal: Seal | None = None) -> None:
        self._seal = seal

    def principal(self, service: str, method: str, metadata: Metadata, *, local: bool) -> Principal:
        """Who calls `method` of `service`; `local` when over a socket of this machine's user.

        Raises AssayError: CREDENTIALS_REFUSED at the gateway, PEER_REFUSED behind it.
        """
        if service == "gateway":
            return end_user(_values(metadata, TENANT_KEY), local=local)
        given = _values(metadata, PRINCIPAL_KEY)
        if self._seal is None or len(given) != 1:
            raise AssayError(PEER_REFUSED, "only services of this mesh may call here")
        return self._seal.opened(given[0], method)


def end_user(names: Sequence[str], *, local: bool) -> Principal:
    """Who a caller is that gave these names. Raises AssayError(CREDENTIALS_REFUSED)."""
    how = Established.SOCKET if local else Established.NAMED
    if not names and local:
        return Principal(LOCAL_TENANT, LOCAL_TENANT, how)
    if len(names) != 1:
        told = f"{TENANT_KEY} came {len(names)} times" if names else f"{TENANT_KEY} is missing"
        raise AssayError(CREDENTIALS_REFUSED, told, metadata={"header": TENANT_KEY})
    if not _USER.fullmatch(names[0]):
        raise AssayError(
            CREDENTIALS_REFUSED, f"{TENANT_KEY} is not a name", metadata={"header": TENANT_KEY}
        )
    return Principal(names[0], names[0], how)


def request_id(metadata: Metadata) -> str:
    """The request that a call belongs to; a new one's id where none is named.

    Raises AssayError(INVALID_ARGUMENT).
    """
    given = _values(metadata, REQUEST_KEY)
    if not given:
        return new_id()
    if len(given) == 1 and _REQUEST.fullmatch(given[0]):
        return given[0]
    fault = f"came {len(given)} times" if len(given) > 1 else "is not an id"
    raise AssayError(
        INVALID_ARGUMENT, f"the header {REQUEST_KEY} {fault}", fields={REQUEST_KEY: fault}
    )


def _values(metadata: Metadata, key: str) -> list[str]:
    return [str(value) for name, value in metadata if name == key]
