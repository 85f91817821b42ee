"""Contents that may have to go, in SQL; implements `gateway.ports.ContentStore`.

A row exists for every content that is being stored, that lost its last reference, or that is being
deleted. It is written before the executor is asked to store or to delete, so a gateway that dies
leaves a row for the next sweep of any gateway. Whoever changes what is known of a content locks
that row first.
"""

from __future__ import annotations

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.tables import ContentRow, HoldRow, UnsettledRow
from mesh.clock import Clock
from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.ids import new_id
from mesh.storage.database import Database

# ON CONFLICT, because gateways that share a PostgreSQL may write the first row at once.
_MENTION = text(
    "INSERT INTO unsettled_contents (content_hash, deleting_until) VALUES (:digest, 0) "
    "ON CONFLICT DO NOTHING"
)


class SqlContentStore:
    """Unsettled contents of all tenants."""

    def __init__(self, database: Database, clock: Clock, hold_seconds: float) -> None:
        self._database = database
        self._clock = clock
        self._hold_seconds = hold_seconds

    async def hold(self, digest: str) -> str:
        """Keep a content, stored or not yet, from being deleted for a while."""

        def work(transaction: Transaction) -> str:
            row = mentioned(transaction, digest)
            now = database_seconds(transaction, self._clock)
            if self._lies_ahead(row.deleting_until, now):
                return ""
            row.deleting_until = 0.0
            until = now + self._hold_seconds
            held = HoldRow(hold_id=new_id(), content_hash=digest, held_until=until)
            transaction.add(held)
            return held.hold_id

        return await committed(self._database, "content-held", work)

    async def give_up(self, digest: str, hold_id: str) -> None:
        """End a hold; its content, whose upload may have come to its end, may have to go."""

        def work(transaction: Transaction) -> None:
            mentioned(transaction, digest)
            transaction.execute(delete(HoldRow).where(HoldRow.hold_id == hold_id))

        await committed(self._database, "content-given-up", work)

    async def condemn(self, digest: str, seconds: float) -> bool:
        """Take a content that nobody needs for deletion by this gateway alone."""

        def work(transaction: Transaction) -> bool:
            row = transaction.get(UnsettledRow, digest, with_for_update=True)
            now = database_seconds(transaction, self._clock)
            if row is None or self._lies_ahead(row.deleting_until, now):
                return False
            if self._is_held(transaction, digest, now):
                return False
            references = select(func.count()).where(ContentRow.content_hash == digest)
            if transaction.scalar(references):
                transaction.delete(row)
                return False
            row.deleting_until = now + seconds
            return True

        return await committed(self._database, "content-condemned", work)

    async def settle(self, digest: str) -> None:
        """Forget a content that was deleted."""

        def work(transaction: Transaction) -> None:
            row = transaction.get(UnsettledRow, digest, with_for_update=True)
            if row is not None and row.deleting_until:
                transaction.delete(row)

        await committed(self._database, "content-settled", work)

    async def unsettled(self) -> list[str]:
        """Digests of all contents that may have to go."""
        wanted = select(UnsettledRow.content_hash).order_by(UnsettledRow.content_hash)
        return await self._database.reading(
            lambda transaction: list(transaction.scalars(wanted).all())
        )

    def _is_held(self, transaction: Transaction, digest: str, now: float) -> bool:
        held = False
        for row in transaction.scalars(select(HoldRow).where(HoldRow.content_hash == digest)).all():
            if self._lies_ahead(row.held_until, now):
                held = True
            else:
                transaction.delete(row)
        return held

    def _lies_ahead(self, until: float, now: float) -> bool:
        """Whether a time is still to come; one further than any that is set is from before the
        machine was started again."""
        return now < until <= now + self._hold_seconds


def database_seconds(transaction: Transaction, clock: Clock) -> float:
    """Seconds of a clock that all who share the database share.

    On PostgreSQL its own; those who share a SQLite file share a machine, whose monotonic clock
    nobody sets.
    """
    if transaction.get_bind().dialect.name == "postgresql":
        now = func.extract("epoch", func.clock_timestamp())
        return float(transaction.scalars(select(now)).one())
    return clock.monotonic()


def mentioned(transaction: Transaction, digest: str) -> UnsettledRow:
    """The row of a content, made if need be, and locked."""
    transaction.execute(_MENTION, {"digest": digest})
    return transaction.get_one(UnsettledRow, digest, with_for_update=True)


def end_hold(transaction: Transaction, digest: str, hold_id: str) -> None:
    """End a hold, in the transaction that makes a reference of it.

    Raises AssayError(SERVICE_UNAVAILABLE) when the hold ran out, so that the content may be gone.
    """
    row = transaction.get(UnsettledRow, digest, with_for_update=True)
    wanted = delete(HoldRow).where(HoldRow.hold_id == hold_id, HoldRow.content_hash == digest)
    ended = transaction.execute(wanted.returning(HoldRow.hold_id)).first()
    if row is None or row.deleting_until or ended is None:
        raise AssayError(
            SERVICE_UNAVAILABLE,
            "storing the file took longer than its content is kept for it",
            hint="Upload the file again.",
        )
