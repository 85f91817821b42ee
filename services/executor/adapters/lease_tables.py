"""The executor's tables: what it stores, and who needs it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Float, Index, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Table(DeclarativeBase):
    """Base of the executor's tables."""


class StoredItemRow(Table):
    """Something stored, or about to be. `going_since` is 0 while nobody deletes it."""

    __tablename__ = "stored_things"
    __table_args__ = (Index("ix_stored_things_going_since", "going_since"),)

    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(400), primary_key=True)
    bytes: Mapped[int] = mapped_column(BigInteger)
    going_since: Mapped[float] = mapped_column(Float, default=0.0, server_default="0")


class LeaseRow(Table):
    """Somebody needs a thing: until a time of the database's clock, or until they say otherwise.

    So long it is their tenant's.
    """

    __tablename__ = "leases"
    __table_args__ = (
        Index("ix_leases_kind_name", "kind", "name"),
        Index("ix_leases_until", "until"),
        Index("ix_leases_holder", "holder"),
    )

    tenant: Mapped[str] = mapped_column(String(100), primary_key=True)
    holder: Mapped[str] = mapped_column(String(100), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(400), primary_key=True)
    until: Mapped[float | None] = mapped_column(Float)
