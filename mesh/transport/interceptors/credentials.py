"""Credentials into principals: the only place that decides whom a call is believed to be from.

The gateway believes an end user, by rules of its own (`EndUsers`): a token, or whoever calls over a
socket that only this machine's user can reach. All other services believe the mesh's own services
alone, by their seal.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, runtime_checkable

from mesh.context import PRINCIPAL_KEY, REQUEST_KEY, Principal
from mesh.errors import INVALID_ARGUMENT, SERVICE_UNAVAILABLE, AssayError
from mesh.ids import new_id, parse_id
from mesh.transport.callers import EndUsers, Metadata, values_of
from mesh.transport.seal import Seal, sealed_caller


@runtime_checkable
class FacesPeople(Protocol):
    """A service that people call: the gateway."""

    @property
    def end_users(self) -> EndUsers:
        """Whom it lets in."""
        ...


@runtime_checkable
class FacesBrowsers(Protocol):
    """A service that browsers may call: the gateway."""

    @property
    def web(self) -> str:
        """Where, once it has started; empty for nowhere."""
        ...


class Credentials:
    """Reads who calls; `seal` is the mesh's, None where there are no peers."""

    def __init__(self, seal: Seal | None = None) -> None:
        self._seal = seal
        self._end_users: EndUsers | None = None

    def believe(self, end_users: EndUsers) -> None:
        """Have these decide who calls the gateway; before, nobody does."""
        self._end_users = end_users

    async def principal(
        self, service: str, method: str, metadata: Metadata, peer: str
    ) -> Principal:
        """Who calls `method` of `service`, from `peer`.

        Raises AssayError: as `EndUsers.admitted` at the gateway; PEER_REFUSED and CLOCKS_DIFFER
        behind it.
        """
        if service == "gateway":
            if self._end_users is None:
                raise AssayError(SERVICE_UNAVAILABLE, "the gateway is not ready yet")
            return await self._end_users.admitted(method, metadata, peer)
        return sealed_caller(self._seal, method, values_of(metadata, PRINCIPAL_KEY))

    def taken(self, service: str, who: Principal) -> AbstractContextManager[None]:
        """Counts a call of an end user while it is entered, which raises as `EndUsers.taken`."""
        if service == "gateway" and self._end_users is not None:
            return self._end_users.taken(who)
        return nullcontext()


def request_id(metadata: Metadata) -> str:
    """The request that a call belongs to, a UUID; a new one's id where none is named.

    Raises AssayError(INVALID_ARGUMENT).
    """
    given = values_of(metadata, REQUEST_KEY)
    if not given:
        return new_id()
    if len(given) == 1:
        return parse_id(given[0], REQUEST_KEY)
    fault = f"came {len(given)} times"
    raise AssayError(
        INVALID_ARGUMENT, f"the header {REQUEST_KEY} {fault}", fields={REQUEST_KEY: fault}
    )
