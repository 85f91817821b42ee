"""What the gateway does with domains: keep, show, change, forget; look at and approve tools."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from gateway.domain.data_domain import (
    ApprovedTool,
    DataDomain,
    DomainTool,
    MadeOf,
    check,
    check_tools,
)
from gateway.domains.ports import DomainStore, ToolServers
from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import INVALID_ARGUMENT, NAME_TAKEN, NOT_FOUND, TOOL_CHANGED, AssayError
from mesh.paging import keys_of, token_of

_DOMAINS = "domains"

Exists = Callable[[str], Awaitable[object]]
"""Raises AssayError(NOT_FOUND) for a name or id that is not the caller's."""


class Domains:
    """The use cases of DomainService, for the caller of the running call.

    Domains of the operator's file are there for all tenants that it names, and as they are.
    """

    def __init__(
        self,
        store: DomainStore,
        configured: Sequence[tuple[DataDomain, tuple[str, ...]]],
        servers: ToolServers,
        session: Exists,
        source: Exists,
        clock: Clock,
    ) -> None:
        """`configured` are the operator's, each with the tenants that have it: none for all."""
        self._store = store
        self._configured = tuple(configured)
        self._servers = servers
        self._session = session
        self._source = source
        self._clock = clock

    async def register(self, domain: DataDomain) -> DataDomain:
        """Keep a domain; again for the same one it changes nothing.

        Raises AssayError: NAME_TAKEN, INVALID_ARGUMENT, NOT_FOUND, and why a server cannot be
        asked.
        """
        check(domain)
        now = self._clock.now()
        wanted = replace(
            domain, tenant=calls.current().tenant, created_at=now, updated_at=now, configured=False
        )
        others = self._others()
        if wanted.name in others:
            raise _taken(wanted.name)
        known = await self._store.get(wanted.tenant, wanted.name)
        if known is None:
            await self._made_of_something(wanted)
            known = await self._store.add(wanted, list(others))
        if not known.same_as(wanted):
            raise _taken(wanted.name)
        return known

    async def get(self, name: str) -> DataDomain:
        """A domain of the caller or of the operator. Raises AssayError(NOT_FOUND)."""
        if (ours := self._others().get(name)) is not None:
            return ours
        known = await self._store.get(calls.current().tenant, name)
        if known is None:
            raise _unknown(name)
        return known

    async def all(self) -> list[DataDomain]:
        """All domains that the caller may ask, by name."""
        others = self._others()
        own = await self._store.all(calls.current().tenant)
        # One that the operator configured later under the same name comes before the caller's.
        kept = [domain for domain in own if domain.name not in others]
        return sorted([*others.values(), *kept], key=lambda domain: domain.name)

    async def page(self, size: int, token: str) -> tuple[list[DataDomain], str]:
        """Domains by name, and the token of the next page. Raises AssayError(INVALID_ARGUMENT)."""
        after = keys_of(_DOMAINS, token, (str,))
        found = await self.all()
        start = bisect_right([domain.name for domain in found], str(after[0])) if after else 0
        page = found[start : start + size]
        more = len(found) > start + size
        return page, token_of(_DOMAINS, (page[-1].name,)) if more else ""

    async def update(self, domain: DataDomain) -> DataDomain:
        """Put another in the place of the caller's of that name. Raises AssayError as `register`.

        What it is made of is looked for only where that changed: a domain can be disabled while its
        server is away.
        """
        check(domain)
        self._own(domain.name)
        tenant = calls.current().tenant
        known = await self._store.get(tenant, domain.name)
        if known is None:
            raise _unknown(domain.name)
        wanted = replace(
            domain,
            tenant=tenant,
            created_at=known.created_at,
            updated_at=self._clock.now(),
            configured=False,
        )
        if (wanted.made_of, wanted.place, wanted.mcp_tools) != (
            known.made_of,
            known.place,
            known.mcp_tools,
        ):
            await self._made_of_something(wanted)
        stored = await self._store.replace(wanted, list(self._others()))
        if stored is None:
            raise _unknown(domain.name)
        return stored

    async def remove(self, name: str) -> None:
        """Forget the caller's domain. Raises AssayError: NOT_FOUND, DOMAIN_REFERRED_TO."""
        self._own(name)
        if not await self._store.remove(calls.current().tenant, name):
            raise _unknown(name)

    async def tools(self, name: str) -> list[DomainTool]:
        """The tools of a domain as they are now, by name. Raises AssayError."""
        domain = await self._of_server(name)
        offered = {tool.name: tool for tool in await self._servers.tools(domain.place)}
        approved = await self.approved(domain)
        return [
            DomainTool(tool, offered.get(tool), approved[tool].digest if tool in approved else "")
            for tool in sorted(domain.mcp_tools)
        ]

    async def approved(self, domain: DataDomain) -> Mapping[str, ApprovedTool]:
        """What was approved of a domain's tools, by tool: only so they are called."""
        return await self._store.approved(calls.current().tenant, domain.name, domain.place)

    async def approve(self, name: str, digests: Mapping[str, str]) -> list[DomainTool]:
        """Let tools be called as they are described now, and give all of the domain.

        Raises AssayError: NOT_FOUND for a tool that is not the domain's, TOOL_CHANGED for one that
        is described otherwise than with its digest, INVALID_ARGUMENT where none is named.
        """
        if not digests:
            raise AssayError(INVALID_ARGUMENT, "no tool is named", fields={"tools": "at least one"})
        domain = await self._of_server(name)
        for tool in digests:
            if tool not in domain.mcp_tools:
                raise AssayError(NOT_FOUND, f"{name} has no tool {tool[:100]!r}")
        now = {tool.name: tool for tool in await self.tools(name)}
        seen: dict[str, ApprovedTool] = {}
        for tool, digest in digests.items():
            offered = now[tool].offered
            if offered is None or offered.digest != digest:
                raise AssayError(
                    TOOL_CHANGED,
                    f"the tool {tool} is not described as it was when it was looked at",
                    fields={"tools": "name the digests of ListDomainTools"},
                )
            seen[tool] = ApprovedTool(digest, offered.description, offered.input_schema)
        tenant = calls.current().tenant
        await self._store.approve(tenant, domain.name, domain.place, seen)
        return [
            replace(tool, approved_digest=digests.get(tool.name, tool.approved_digest))
            for tool in now.values()
        ]

    async def _of_server(self, name: str) -> DataDomain:
        domain = await self.get(name)
        if domain.made_of is not MadeOf.SERVER:
            raise AssayError(
                INVALID_ARGUMENT,
                f"{name} has no tools: it is made of data",
                fields={"name": "a domain of an MCP server"},
            )
        return domain

    async def _made_of_something(self, domain: DataDomain) -> None:
        """Raises AssayError where what it is made of is not there, or not the caller's."""
        if domain.made_of is MadeOf.SESSION:
            await self._session(domain.place)
        elif domain.made_of is MadeOf.SOURCE:
            await self._source(domain.place)
        else:
            check_tools(domain, await self._servers.tools(domain.place))

    def _others(self) -> dict[str, DataDomain]:
        """The operator's domains for the caller, by name."""
        tenant = calls.current().tenant
        return {
            domain.name: domain
            for domain, tenants in self._configured
            if not tenants or tenant in tenants
        }

    def _own(self, name: str) -> None:
        """Raises AssayError(NAME_TAKEN) for a domain that is not the caller's to change."""
        if name in self._others():
            raise AssayError(
                NAME_TAKEN,
                f"{name} is a domain of the operator's file, and is changed there",
                fields={"name": "is the operator's"},
            )


def _taken(name: str) -> AssayError:
    return AssayError(
        NAME_TAKEN,
        f"{name} is another domain already",
        hint="Update it, or choose another name.",
        fields={"name": "stands for another domain"},
    )


def _unknown(name: str) -> AssayError:
    return AssayError(NOT_FOUND, f"there is no domain {name!r}")
