"""What the gateway needs from outside for its domains, as protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from gateway.domain.data_domain import ApprovedTool, DataDomain, Offered


class DomainStore(Protocol):
    """Domains of tenants in tables; every method is one transaction, every query names the tenant.

    `others` are names of domains that exist without being in the table.
    """

    async def add(self, domain: DataDomain, others: Sequence[str]) -> DataDomain:
        """Store a domain, or give the one that the tenant has under its name already.

        Raises AssayError: INVALID_ARGUMENT for a related domain that is none, RESOURCE_EXHAUSTED
        for one too many.
        """
        ...

    async def replace(self, domain: DataDomain, others: Sequence[str]) -> DataDomain | None:
        """Put another in the place of that of its name; None where there is none. Keeps when it
        was made. Raises AssayError(INVALID_ARGUMENT) for a related domain that is none."""
        ...

    async def get(self, tenant: str, name: str) -> DataDomain | None:
        """The tenant's domain of that name."""
        ...

    async def all(self, tenant: str) -> list[DataDomain]:
        """The tenant's domains by name."""
        ...

    async def remove(self, tenant: str, name: str) -> bool:
        """Forget a domain and what was approved of it; whether there was one.

        Raises AssayError(DOMAIN_REFERRED_TO) while another is related to it.
        """
        ...

    async def approved(self, tenant: str, name: str, server: str) -> Mapping[str, ApprovedTool]:
        """What was approved of each tool of a domain at a server."""
        ...

    async def approve(
        self, tenant: str, name: str, server: str, tools: Mapping[str, ApprovedTool]
    ) -> None:
        """Note what was approved, in the place of what was before."""
        ...


class ToolServers(Protocol):
    """MCP servers, asked by the executor."""

    async def tools(self, server: str) -> list[Offered]:
        """What a server offers now, by name. Raises AssayError."""
        ...
