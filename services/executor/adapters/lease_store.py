"""Leases in SQL; implements `services.executor.ports.LeaseStore`.

Whoever changes what is known of a thing locks its row first, so a thing is either needed or being
deleted, never both. Times are PostgreSQL's where several machines share a database, else this
machine's.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import ColumnElement, and_, delete, exists, func, not_, select, text, update
from sqlalchemy.orm import Session as Transaction

from mesh.clock import Clock
from mesh.errors import RESOURCE_EXHAUSTED, SERVICE_UNAVAILABLE, AssayError
from mesh.storage.database import Database
from services.executor.adapters.lease_tables import LeaseRow, StoredItemRow
from services.executor.domain.stored_item import (
    DELETING_SECONDS,
    NOTHING_KEPT,
    Going,
    Kept,
    StoredItem,
    StoredKind,
)

_POLL_SECONDS = 0.05
_LOOKS = 3
# ON CONFLICT, because executors that share a PostgreSQL may write the first row at once.
_MENTION = text(
    "INSERT INTO stored_things (kind, name, bytes, going_since) VALUES (:kind, :name, 0, 0) "
    "ON CONFLICT DO NOTHING"
)


class SqlLeases:
    """Leases of all jobs. Blocks: for worker threads."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        most_bytes: int = 0,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        """`most_bytes` is the cap on all that is stored; 0 for none."""
        self._database = database
        self._clock = clock
        self._most_bytes = most_bytes
        self._pause = pause

    def hold(self, tenant: str, holder: str, entity: StoredItem, size: int) -> None:
        """Keep a thing from being collected; one that is just being deleted is waited for."""
        waited = 0.0
        whose = (tenant, holder)
        while not self._database.run(lambda session: self._held(session, whose, entity, size)):
            if waited > DELETING_SECONDS:
                raise AssayError(
                    SERVICE_UNAVAILABLE, f"{entity.kind} {entity.name} is being deleted"
                )
            self._pause(_POLL_SECONDS)
            waited += _POLL_SECONDS

    def tenants(self, entity: StoredItem) -> frozenset[str]:
        """Tenants with a lease on a thing, also one that is about to end."""
        return self._tenants(LeaseRow.kind == entity.kind.value, LeaseRow.name == entity.name)

    def tenants_of(self, holder: str) -> frozenset[str]:
        """Tenants of a holder's leases."""
        return self._tenants(LeaseRow.holder == holder)

    def _tenants(self, *which: ColumnElement[bool]) -> frozenset[str]:
        wanted = select(LeaseRow.tenant).where(*which).distinct()
        return self._database.run(
            lambda session: frozenset(session.scalars(wanted)), read_only=True
        )

    def held(self, tenant: str, holder: str, kind: StoredKind) -> list[str]:
        """Names of what a holder has not released."""
        wanted = select(LeaseRow.name).where(
            LeaseRow.tenant == tenant,
            LeaseRow.holder == holder,
            LeaseRow.kind == kind.value,
            LeaseRow.until.is_(None),
        )
        return self._database.run(lambda session: list(session.scalars(wanted)), read_only=True)

    def release(
        self, tenant: str | None, holder: str, grace_seconds: float, kept: Kept = NOTHING_KEPT
    ) -> None:
        """What the holder had stays for the grace, for those who read it."""
        going = update(LeaseRow).where(LeaseRow.holder == holder, LeaseRow.until.is_(None))
        if tenant is not None:
            going = going.where(LeaseRow.tenant == tenant)
        if kept.artifacts:
            going = going.where(LeaseRow.kind != StoredKind.ARTIFACT.value)
        if kept.frames:
            frame = LeaseRow.kind == StoredKind.FRAME.value
            going = going.where(not_(and_(frame, LeaseRow.name.in_(kept.frames))))

        def work(session: Transaction) -> None:
            session.execute(going.values(until=self._now(session) + grace_seconds))

        self._database.run(work)

    def let_go(self, entity: StoredItem, tenant: str | None) -> Going | None:
        """End leases on a thing, and take it for deletion if none is left."""
        key = {"kind": entity.kind.value, "name": entity.name}
        ended = delete(LeaseRow).where(LeaseRow.kind == key["kind"], LeaseRow.name == key["name"])
        if tenant is not None:
            ended = ended.where(LeaseRow.tenant == tenant)

        def work(session: Transaction) -> Going | None:
            session.execute(_MENTION, key)
            session.get_one(StoredItemRow, tuple(key.values()), with_for_update=True)
            session.execute(ended)
            return _take(session, key["kind"], key["name"], self._now(session))

        return self._database.run(work)

    def condemn(self, limit: int) -> list[Going]:
        """Things that nobody needs any more, for the caller alone to delete."""

        def work(session: Transaction) -> list[Going]:
            now, taken = self._now(session), list[Going]()
            # Leases may have ended on things that others still need: those are no result.
            for _ in range(_LOOKS):
                if len(taken) >= limit or not (found := _ended(session, now, limit - len(taken))):
                    break
                taken += filter(None, (_take(session, *key, now) for key in found))
            return taken

        return self._database.run(work)

    def collected(self, going: Going) -> None:
        """A condemned thing is deleted; without effect when somebody has it again."""
        self._database.run(
            lambda session: session.execute(
                delete(StoredItemRow).where(
                    StoredItemRow.kind == going.item.kind.value,
                    StoredItemRow.name == going.item.name,
                    StoredItemRow.going_since == going.since,
                )
            )
        )

    def used_bytes(self) -> int:
        """Bytes of all that is stored."""
        return self._database.run(_used, read_only=True)

    def _held(
        self, session: Transaction, whose: tuple[str, str], entity: StoredItem, size: int
    ) -> bool:
        """Whether the thing is held now; not while a collector is deleting it."""
        key = {"kind": entity.kind.value, "name": entity.name}
        session.execute(_MENTION, key)
        row = session.get_one(StoredItemRow, tuple(key.values()), with_for_update=True)
        if row.going_since > self._now(session) - DELETING_SECONDS:
            return False
        more = size - row.bytes
        if self._most_bytes and more > 0 and (used := _used(session)) + more > self._most_bytes:
            raise _full(used, more, self._most_bytes)
        row.bytes, row.going_since = size, 0.0
        lease = session.get(LeaseRow, (*whose, *key.values()))
        if lease is None:
            session.add(LeaseRow(tenant=whose[0], holder=whose[1], **key, until=None))
        else:
            lease.until = None
        return True

    def _now(self, session: Transaction) -> float:
        if self._database.dialect == "postgresql":
            return float(session.scalars(select(func.extract("epoch", func.now()))).one())
        return self._clock.now().timestamp()


def _ended(session: Transaction, now: float, limit: int) -> list[tuple[str, str]]:
    """Kinds and names of things that may have to go, in an order that all collectors share."""
    ended = (
        select(LeaseRow.kind, LeaseRow.name)
        .where(LeaseRow.until < now)
        .order_by(LeaseRow.kind, LeaseRow.name)
        .distinct()
        .limit(limit)
    )
    # A collector that took these died.
    left = (
        select(StoredItemRow.kind, StoredItemRow.name)
        .where(StoredItemRow.going_since > 0, StoredItemRow.going_since < now - DELETING_SECONDS)
        .order_by(StoredItemRow.kind, StoredItemRow.name)
        .limit(limit)
    )
    found = {(kind, name) for wanted in (ended, left) for kind, name in session.execute(wanted)}
    return sorted(found)[:limit]


def _take(session: Transaction, kind: str, name: str, now: float) -> Going | None:
    """Take a thing for deletion, unless somebody needs it after all."""
    mine = and_(LeaseRow.kind == kind, LeaseRow.name == name)
    row = session.get(StoredItemRow, (kind, name), with_for_update=True)
    session.execute(delete(LeaseRow).where(mine, LeaseRow.until < now))
    if row is None or session.scalar(select(exists().where(mine))):
        return None
    if row.going_since > now - DELETING_SECONDS:  # another collector is at it
        return None
    row.going_since = now
    return Going(StoredItem(StoredKind(kind), name), now)


def _used(session: Transaction) -> int:
    return int(session.scalar(select(func.coalesce(func.sum(StoredItemRow.bytes), 0))) or 0)


def _full(used: int, more: int, most: int) -> AssayError:
    return AssayError(
        RESOURCE_EXHAUSTED,
        f"There is no room for {more:,} bytes more: frames and artifacts take {used:,} bytes of "
        f"the {most:,} that ASSAY_EXECUTOR_STORE_BYTES allows.",
        hint="Delete jobs and files that are no longer needed, or raise the setting.",
        metadata={"used": str(used), "limit": str(most)},
    )
