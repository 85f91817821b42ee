"""Domains in SQL; implements `gateway.domains.ports.DomainStore`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.commits import committed
from gateway.adapters.domain_tables import ApprovedToolRow, DomainRow
from gateway.domain.data_domain import (
    MOST_DOMAINS,
    ApprovedTool,
    DataDomain,
    MadeOf,
    check_related,
)
from mesh.errors import DOMAIN_REFERRED_TO, RESOURCE_EXHAUSTED, AssayError
from mesh.storage.database import Database


class SqlDomainStore:
    """Domains of all tenants; no method shows one tenant another's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, domain: DataDomain, others: Sequence[str]) -> DataDomain:
        """Store a domain, or find the one of that name."""

        def work(transaction: Transaction) -> DataDomain:
            rows = _locked(transaction, domain.tenant)
            if domain.name in rows:
                return _domain(rows[domain.name])
            check_related(domain, [*others, *rows])
            if len(rows) >= MOST_DOMAINS:
                raise AssayError(
                    RESOURCE_EXHAUSTED,
                    f"there are {len(rows)} domains already, and {MOST_DOMAINS} at most",
                    hint="Remove one that is not asked any more.",
                )
            row = DomainRow(tenant=domain.tenant, name=domain.name, **_values(domain))
            try:
                with transaction.begin_nested():
                    transaction.add(row)
            except IntegrityError:  # another gateway added it at the same moment
                row = transaction.get_one(DomainRow, (domain.tenant, domain.name))
            return _domain(row)

        return await committed(self._database, "domain-added", work)

    async def replace(self, domain: DataDomain, others: Sequence[str]) -> DataDomain | None:
        """Put another in the place of the one that is there."""

        def work(transaction: Transaction) -> DataDomain | None:
            rows = _locked(transaction, domain.tenant)
            row = rows.get(domain.name)
            if row is None:
                return None
            check_related(domain, [*others, *rows])
            for field, value in _values(domain).items():
                if field != "created_at":
                    setattr(row, field, value)
            transaction.flush()
            return _domain(row)

        return await committed(self._database, "domain-replaced", work)

    async def get(self, tenant: str, name: str) -> DataDomain | None:
        """The tenant's domain of that name."""

        def work(transaction: Transaction) -> DataDomain | None:
            row = transaction.get(DomainRow, (tenant, name))
            return _domain(row) if row is not None else None

        return await self._database.reading(work)

    async def all(self, tenant: str) -> list[DataDomain]:
        """The tenant's domains by name."""
        wanted = select(DomainRow).where(DomainRow.tenant == tenant).order_by(DomainRow.name)
        return await self._database.reading(
            lambda transaction: [_domain(row) for row in transaction.scalars(wanted)]
        )

    async def remove(self, tenant: str, name: str) -> bool:
        """Forget a domain that no other is related to, and what was approved of it."""

        def work(transaction: Transaction) -> bool:
            rows = _locked(transaction, tenant)
            if name not in rows:
                return False
            related = [row.name for row in rows.values() if name in row.related_domains]
            if related:
                raise AssayError(
                    DOMAIN_REFERRED_TO,
                    f"{name} is related to {', '.join(sorted(related))[:300]}",
                )
            transaction.delete(rows[name])
            transaction.execute(
                delete(ApprovedToolRow).where(
                    ApprovedToolRow.tenant == tenant, ApprovedToolRow.domain == name
                )
            )
            return True

        return await committed(self._database, "domain-removed", work)

    async def approved(self, tenant: str, name: str, server: str) -> Mapping[str, ApprovedTool]:
        """What was approved, by tool."""
        wanted = select(ApprovedToolRow).where(
            ApprovedToolRow.tenant == tenant,
            ApprovedToolRow.domain == name,
            ApprovedToolRow.server == server,
        )
        return await self._database.reading(
            lambda transaction: {
                row.tool: ApprovedTool(row.digest, row.description, row.input_schema)
                for row in transaction.scalars(wanted)
            }
        )

    async def approve(
        self, tenant: str, name: str, server: str, tools: Mapping[str, ApprovedTool]
    ) -> None:
        """Note what was approved."""

        def work(transaction: Transaction) -> None:
            for tool, approved in tools.items():
                transaction.merge(
                    ApprovedToolRow(
                        tenant=tenant,
                        domain=name,
                        tool=tool,
                        server=server,
                        digest=approved.digest,
                        description=approved.description,
                        input_schema=approved.input_schema,
                    )
                )

        await committed(self._database, "tools-approved", work)


def _locked(transaction: Transaction, tenant: str) -> dict[str, DomainRow]:
    """A tenant's rows by name; nobody else changes them until the transaction ends."""
    wanted = select(DomainRow).where(DomainRow.tenant == tenant).order_by(DomainRow.name)
    return {row.name: row for row in transaction.scalars(wanted.with_for_update())}


def _values(domain: DataDomain) -> dict[str, Any]:
    return {
        "display_name": domain.display_name,
        "description": domain.description,
        "capabilities": list(domain.capabilities),
        "mcp_tools": list(domain.mcp_tools),
        "related_domains": list(domain.related_domains),
        "enabled": domain.enabled,
        "made_of": domain.made_of.value,
        "place": domain.place,
        "created_at": domain.created_at,
        "updated_at": domain.updated_at,
    }


def _domain(row: DomainRow) -> DataDomain:
    return DataDomain(
        tenant=row.tenant,
        name=row.name,
        display_name=row.display_name,
        description=row.description,
        capabilities=tuple(row.capabilities),
        mcp_tools=tuple(row.mcp_tools),
        related_domains=tuple(row.related_domains),
        enabled=row.enabled,
        made_of=MadeOf(row.made_of),
        place=row.place,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
