"""Who needs what the executor stores, and whose it is.

Everything is held by somebody before it can be seen, and is theirs as long as they hold it. Whoever
asks, of this process or another: what is not their tenant's is not there for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from mesh.context import MESH_TENANT, current
from mesh.errors import NOT_FOUND, AssayError
from services.executor.domain.stored_item import (
    NOTHING_KEPT,
    Going,
    Kept,
    StoredItem,
    StoredKind,
    job,
)
from services.executor.ports import Admit, LeaseStore, Trespasses

_ABSENT = {
    StoredKind.FRAME: "There is no frame {} here.",
    StoredKind.ARTIFACT: "there is no artifact {}: it went with its session, or never was here",
    StoredKind.CALL: "there is no call {}",
    StoredKind.SOURCE: "there is no stored file {} here",
}
_HINTS = {
    StoredKind.FRAME: "It was collected or never stored; its step can make it again.",
    StoredKind.SOURCE: "It was deleted, or lies with an executor that shares no store with this "
    "one (docs/operations.md); upload it again.",
}


@dataclass(frozen=True)
class Leases:
    """The use cases of leases, for the calling tenant. Blocking: for worker threads.

    `grace_seconds` is how long things stay after they were released: longer than a call lasts that
    began to read them before.
    """

    store: LeaseStore
    grace_seconds: float
    trespasses: Trespasses

    def admit(self, holder: str, kind: StoredKind) -> Admit:
        """For stores: told of a name and its bytes, it holds that for `holder`.

        Raises AssayError(RESOURCE_EXHAUSTED) when there is no room, SERVICE_UNAVAILABLE.
        """
        tenant = current().tenant
        return lambda name, size: self.store.hold(tenant, holder, StoredItem(kind, name), size)

    def held(self, holder: str, kind: StoredKind) -> list[str]:
        """Names of what a holder of the tenant's has not released."""
        return self.store.held(current().tenant, holder, kind)

    def require(self, kind: StoredKind, name: str, tenant: str | None = None) -> None:
        """Raises AssayError(NOT_FOUND) for what is not the tenant's, as for what is nobody's."""
        if not self._mine(self.store.tenants(StoredItem(kind, name)), kind.value, name, tenant):
            raise _absent(kind, name)

    def require_unused(self, kind: StoredKind, name: str) -> None:
        """Like `require`, but what is nobody's yet may be used."""
        found = self.store.tenants(StoredItem(kind, name))
        if found and not self._mine(found, kind.value, name):
            raise _absent(kind, name)

    def require_own(self, kind: StoredKind, name: str, owner: str) -> None:
        """Like `require`, of a thing that nobody but `owner` has a part in."""
        if not self._mine(frozenset({owner}), kind.value, name):
            raise _absent(kind, name)

    def require_job(self, request_id: str) -> None:
        """Raises AssayError(NOT_FOUND) for a job with things of another tenant."""
        found = self.store.tenants_of(job(request_id))
        if found and not self._mine(found, "job", request_id):
            raise AssayError(NOT_FOUND, f"there is no job {request_id[:40]}")

    def release(self, holder: str, kept: Kept = NOTHING_KEPT) -> None:
        """The holder needs nothing any more but what is kept; repeating it changes nothing."""
        self.store.release(_tenant(), holder, self.grace_seconds, kept)

    def let_go(self, kind: StoredKind, name: str) -> Going | None:
        """The tenant needs a thing no more, or the mesh itself says that nobody does.

        The thing, to be deleted now, when that was the last who did. Raises as `require`.
        """
        tenant = _tenant()
        if tenant is not None:
            self.require(kind, name)
        return self.store.let_go(StoredItem(kind, name), tenant)

    def _mine(self, found: frozenset[str], kind: str, name: str, tenant: str | None = None) -> bool:
        """Whether a thing of these tenants is the caller's; if it is others', that is recorded."""
        caller = current().tenant if tenant is None else tenant
        if found and caller not in found:
            self.trespasses.noticed(caller, kind, name)
        return caller in found


def _tenant() -> str | None:
    """Whose leases are to end: the caller's, or everybody's when the mesh itself says so."""
    tenant = current().tenant
    return None if tenant == MESH_TENANT else tenant


def _absent(kind: StoredKind, name: str) -> AssayError:
    shown = name[:12] if kind in (StoredKind.FRAME, StoredKind.SOURCE) else name[:80]
    return AssayError(NOT_FOUND, _ABSENT[kind].format(shown), hint=_HINTS.get(kind, ""))
