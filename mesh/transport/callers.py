"""Callers of the gateway: where they call from, what they say, and what a name alone is worth."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import unquote

from mesh.context import LOCAL_TENANT, TENANT_KEY, Established, Principal
from mesh.errors import CREDENTIALS_REFUSED, TOKEN_REQUIRED, AssayError
from mesh.ids import is_user_name
from mesh.roles import Role

Metadata = Sequence[tuple[str, str | bytes]]


class EndUsers(Protocol):
    """Who calls the gateway from outside the mesh, and whether they may."""

    async def admitted(self, method: str, metadata: Metadata, peer: str) -> Principal:
        """Who calls `method`, which they may; `peer` is where from, as gRPC spells it.

        Raises AssayError of the kinds IDENTITY and POLICY.
        """
        ...

    def taken(self, who: Principal) -> AbstractContextManager[None]:
        """Counts a call of `who` for as long as it is entered.

        Entering raises AssayError(RATE_EXCEEDED) where that tenant makes too many.
        """
        ...


class ByName:
    """Lets in whom callers on this machine say they are."""

    async def admitted(self, method: str, metadata: Metadata, peer: str) -> Principal:
        """Raises AssayError: CREDENTIALS_REFUSED, TOKEN_REQUIRED for callers from elsewhere."""
        if not is_of_this_machine(peer):
            raise token_required()
        return end_user(values_of(metadata, TENANT_KEY), local=is_socket(peer))

    def taken(self, who: Principal) -> AbstractContextManager[None]:
        """Counts nothing: whoever is on this machine may call as much as it can."""
        return nullcontext()


def token_required() -> AssayError:
    """How a caller is refused who gave no token and needs one."""
    return AssayError(TOKEN_REQUIRED, "the call carries no token")


def end_user(names: Sequence[str], *, local: bool) -> Principal:
    """Who a caller is that gave these names, and no token; `local` over this user's own socket.

    Whose socket it is may do everything. Raises AssayError(CREDENTIALS_REFUSED).
    """
    how, role = (Established.SOCKET, Role.OPERATOR) if local else (Established.NAMED, Role.ANALYST)
    if not names and local:
        return Principal(LOCAL_TENANT, LOCAL_TENANT, how, role)
    if len(names) != 1:
        text = f"{TENANT_KEY} came {len(names)} times" if names else f"{TENANT_KEY} is missing"
        raise AssayError(CREDENTIALS_REFUSED, text, metadata={"header": TENANT_KEY})
    if not is_user_name(names[0]):
        raise AssayError(
            CREDENTIALS_REFUSED, f"{TENANT_KEY} is not a name", metadata={"header": TENANT_KEY}
        )
    return Principal(names[0], names[0], how, role)


def is_socket(peer: str) -> bool:
    """Whether a peer, as gRPC spells it, is at the other end of a unix socket."""
    return peer.startswith("unix:")


def is_of_this_machine(peer: str) -> bool:
    """Whether a peer is on this machine, by a socket or the loopback address."""
    return is_socket(peer) or _is_loopback(host_of(peer))


def host_of(peer: str) -> str:
    """The address of a peer, without its port."""
    kind, _, place = unquote(peer).partition(":")
    return place.rpartition(":")[0].strip("[]") if kind in ("ipv4", "ipv6") else kind


@lru_cache(maxsize=1_024)  # every call is asked, and most come from where the last came from
def _is_loopback(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or (mapped is not None and mapped.is_loopback)


def values_of(metadata: Metadata, key: str) -> list[str]:
    """What a header says, once for each time that it came."""
    return [str(value) for name, value in metadata if name == key]
