"""The flows of `assay domain`: kept, listed, shown, enabled, approved, removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.gateway.v1.domain_service_pb2 import Domain, DomainTool
from clients.python.cli.connection import Place, connected
from clients.python.cli.screen import Screen
from clients.python.domains import APPROVALS, made_of
from mesh.errors import INVALID_ARGUMENT, NOT_FOUND, AssayError, ExitCode

_SHOWN = 400
"""Characters of a tool's description that are shown: it is another's text."""


def wanted_domain(
    name: str,
    places: Mapping[str, str],
    *,
    title: str,
    about: str,
    can: Sequence[str],
    tools: Sequence[str],
    related: Sequence[str],
    enabled: bool,
) -> Domain:
    """A domain as the options say it; `places` are what it may be made of, by the field's name.

    Raises AssayError(INVALID_ARGUMENT) unless one of them is named.
    """
    named = {field: place for field, place in places.items() if place}
    if len(named) != 1:
        raise AssayError(
            INVALID_ARGUMENT,
            "a domain is made of one thing: a source, the files of a session, or an MCP server",
            hint="Name one: --source NAME, --session ID, or --mcp SERVER with --tool NAME.",
        )
    return Domain(
        name=name,
        display_name=title or name.replace("_", " ").capitalize(),
        description=about,
        capabilities=can,
        mcp_tools=tools,
        related_domains=related,
        enabled=enabled,
        **named,  # type: ignore[arg-type]  # fields of text, by name
    )


async def add_domain(screen: Screen, place: Place, wanted: Domain) -> int:
    """Register it, and say what is to be done before it can be asked."""
    async with connected(place, screen) as client:
        added = await client.domains.add(wanted)
    if screen.as_json:
        screen.object(domain_object(added))
        return ExitCode.ANSWERED
    screen.line("added", f"{added.name} · {made_of(added)}")
    if added.mcp_server:
        screen.line("next", f"assay domain check {added.name}, then assay domain approve")
    elif added.enabled:
        screen.line("", "assay chat puts questions to it")
    return ExitCode.ANSWERED


async def list_domains(screen: Screen, place: Place) -> int:
    """All of them, with what they are made of."""
    async with connected(place, screen) as client:
        found = await client.domains.all()
    if screen.as_json:
        screen.object({"domains": [domain_object(domain) for domain in found]})
        return ExitCode.ANSWERED
    if not found:
        screen.show("no domains yet: add one, assay domain add NAME --source NAME")
        return ExitCode.ANSWERED
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in ("domain", "", "made of"):
        grid.add_column(heading, no_wrap=True, overflow="ellipsis")
    for domain in found:
        grid.add_row(domain.name, _state(domain), Text(made_of(domain)))
    screen.show(grid)
    return ExitCode.ANSWERED


async def show_domain(screen: Screen, place: Place, name: str) -> int:
    """One of them, whole."""
    async with connected(place, screen) as client:
        domain = await client.domains.get(name)
    if screen.as_json:
        screen.object(domain_object(domain))
        return ExitCode.ANSWERED
    screen.row("domain", f"{domain.name} · {domain.display_name} · {_state(domain)}")
    screen.line("made of", made_of(domain))
    if domain.description:
        screen.row("about", domain.description)
    for number, capability in enumerate(domain.capabilities):
        screen.row("" if number else "can tell", capability)
    if domain.related_domains:
        screen.row("related", ", ".join(domain.related_domains))
    return ExitCode.ANSWERED


async def enable_domain(screen: Screen, place: Place, name: str, enabled: bool) -> int:
    """Have questions put to it, or none."""
    async with connected(place, screen) as client:
        domain = await client.domains.enable(name, enabled)
    if screen.as_json:
        screen.object(domain_object(domain))
        return ExitCode.ANSWERED
    what = "questions are put to it" if enabled else "no questions are put to it"
    screen.row("enabled" if enabled else "disabled", f"{domain.name}; {what}")
    return ExitCode.ANSWERED


async def remove_domain(screen: Screen, place: Place, name: str) -> int:
    """Forget it."""
    async with connected(place, screen) as client:
        await client.domains.remove(name)
    if screen.as_json:
        screen.object({"removed": name})
        return ExitCode.ANSWERED
    screen.row("removed", f"{name}; its data is where it was")
    return ExitCode.ANSWERED


async def approve_tools(screen: Screen, place: Place, name: str, wanted: Sequence[str]) -> int:
    """Approve tools as they are described now, and show what that is.

    Raises AssayError(NOT_FOUND) for a tool that the domain or its server has not.
    """
    async with connected(place, screen) as client:
        tools = {tool.name: tool for tool in await client.domains.tools(name)}
        for tool in wanted:
            if tool not in tools or not tools[tool].digest:
                offered = ", ".join(one.name for one in tools.values() if one.digest) or "none"
                raise AssayError(
                    NOT_FOUND, f"{name} has no tool {tool}", hint=f"Its server offers {offered}."
                )
        names = wanted or [tool.name for tool in tools.values() if tool.digest]
        after = await client.domains.approve(name, {tool: tools[tool].digest for tool in names})
    if screen.as_json:
        screen.object({"domain": name, "tools": [tool_object(tool) for tool in after]})
        return ExitCode.ANSWERED
    for approved in after:
        if approved.name in names:
            show_tool(screen, approved)
    return ExitCode.ANSWERED


def show_tool(screen: Screen, tool: DomainTool) -> None:
    """A tool with whether it may be called; what its server says of it is another's words."""
    screen.row("tool", f"{tool.name} · {APPROVALS[tool.approval]}")
    if tool.description:
        text = " ".join(tool.description.split())
        screen.row("", f"“{text[:_SHOWN]}{'…' if len(text) > _SHOWN else ''}”")
    if tool.digest:
        screen.row("", f"digest {tool.digest[:16]}…")


def _state(domain: Domain) -> str:
    state = "enabled" if domain.enabled else "disabled"
    return f"{state}, the operator's" if domain.configured else state


def domain_object(domain: Domain) -> dict[str, Any]:
    """A domain for machines."""
    return {
        "domain": domain.name,
        "title": domain.display_name,
        "about": domain.description,
        "can": list(domain.capabilities),
        "made_of": made_of(domain),
        "tools": list(domain.mcp_tools),
        "related": list(domain.related_domains),
        "enabled": domain.enabled,
        "configured": domain.configured,
    }


def tool_object(tool: DomainTool) -> dict[str, Any]:
    """A tool for machines."""
    return {
        "tool": tool.name,
        "approval": APPROVALS[tool.approval],
        "description": tool.description,
        "digest": tool.digest,
        "approved_digest": tool.approved_digest,
    }
