"""Domains: named bodies of data with what can be asked of them (seed 003), and their rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from mesh.errors import INVALID_ARGUMENT, AssayError

MOST_DOMAINS = 200
"""Of one tenant: so many can be compared with a question."""

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST_NAME = 63
_LONGEST = {"display_name": 200, "description": 2_000}
_MOST_IN_A_LIST = 100
_LONGEST_IN_A_LIST = 200


class MadeOf(StrEnum):
    """What a domain is made of."""

    SESSION = "session_id"
    SOURCE = "source_name"
    SERVER = "mcp_server"


@dataclass(frozen=True, slots=True)
class DataDomain:
    """A domain of a tenant; one that is `configured` is of the operator's file and everybody's.

    `place` is the session's id, the source's name, or the MCP server's name or URL.
    """

    tenant: str
    name: str
    display_name: str
    description: str
    capabilities: tuple[str, ...]
    mcp_tools: tuple[str, ...]
    related_domains: tuple[str, ...]
    enabled: bool
    made_of: MadeOf
    place: str
    created_at: datetime | None = None
    updated_at: datetime | None = None
    configured: bool = False

    def same_as(self, other: DataDomain) -> bool:
        """Whether both say the same, whenever they were said."""
        return replace(self, created_at=None, updated_at=None) == replace(
            other, created_at=None, updated_at=None
        )


class Approval(StrEnum):
    """Whether a domain's tool may be called."""

    NEW = "new"
    APPROVED = "approved"
    CHANGED = "changed"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as its server describes it now."""

    name: str
    description: str
    input_schema: str
    digest: str


@dataclass(frozen=True, slots=True)
class ApprovedTool:
    """A tool as it was described when it was approved: for routing, and for what it is given.

    Of one that was approved before descriptions were kept, `input_schema` is empty.
    """

    digest: str
    description: str = ""
    input_schema: str = ""


@dataclass(frozen=True, slots=True)
class DomainTool:
    """A tool of a domain; `offered` is None where the server has it no more."""

    name: str
    offered: Offered | None
    approved_digest: str

    @property
    def approval(self) -> Approval:
        """It is approved only as it was looked at."""
        if self.offered is None:
            return Approval.MISSING
        if not self.approved_digest:
            return Approval.NEW
        same = self.offered.digest == self.approved_digest
        return Approval.APPROVED if same else Approval.CHANGED


def domain_name(text: str, field: str = "name") -> str:
    """The name. Raises AssayError(INVALID_ARGUMENT) naming `field` for what is none."""
    if len(text) > _LONGEST_NAME or not _NAME.fullmatch(text):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{text[:40]!r} is no name of a domain",
            hint="Use snake_case, such as customer_orders, of 63 characters at most.",
            fields={field: "lower-case words of letters and digits, joined by _"},
        )
    return text


def check(domain: DataDomain) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for a domain that breaks a rule it can break alone."""
    domain_name(domain.name)
    faults: dict[str, str] = {}
    for field, longest in _LONGEST.items():
        if len(getattr(domain, field)) > longest:
            faults[field] = f"at most {longest:,} characters"
    if not domain.display_name.strip():
        faults["display_name"] = "is what people call it, and must not be empty"
    if not (domain.description.strip() or domain.capabilities):
        faults["description"] = "or a capability must say what can be asked"
    for field in ("capabilities", "mcp_tools", "related_domains"):
        if fault := _list_fault(getattr(domain, field)):
            faults[field] = fault
    if domain.name in domain.related_domains:
        faults["related_domains"] = "are other domains"
    if domain.made_of is MadeOf.SERVER and not domain.mcp_tools:
        faults["mcp_tools"] = "of a domain of an MCP server are named"
    if domain.made_of is not MadeOf.SERVER and domain.mcp_tools:
        faults["mcp_tools"] = "belong to an MCP server, and this domain is made of data"
    if faults:
        text = "; ".join(f"{field}: {fault}" for field, fault in faults.items())
        raise AssayError(INVALID_ARGUMENT, f"the domain cannot be: {text}", fields=faults)


def check_related(domain: DataDomain, names: Sequence[str]) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for a related domain that is not among `names`."""
    unknown = [name for name in domain.related_domains if name not in names]
    if unknown:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{domain.name} is related to {', '.join(unknown)[:200]}, and there is no such domain",
            hint="Register it first, and say then what it is related to.",
            fields={"related_domains": "are registered domains"},
        )


def check_tools(domain: DataDomain, offered: Sequence[Offered]) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for a tool that the server does not offer."""
    names = [tool.name for tool in offered]
    unknown = [name for name in domain.mcp_tools if name not in names]
    if unknown:
        raise AssayError(
            INVALID_ARGUMENT,
            f"the MCP server has no tool {', '.join(unknown)[:200]}",
            hint=f"It has {', '.join(names)[:500] or 'no tools'}.",
            fields={"mcp_tools": "are offered by the server"},
        )


def _list_fault(values: Sequence[str]) -> str:
    if len(values) > _MOST_IN_A_LIST:
        return f"at most {_MOST_IN_A_LIST}"
    if any(not value.strip() or len(value) > _LONGEST_IN_A_LIST for value in values):
        return f"each of 1 to {_LONGEST_IN_A_LIST} characters"
    return "" if len(set(values)) == len(values) else "each only once"
