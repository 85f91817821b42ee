"""The operator's domains, from the YAML file that ASSAY_GATEWAY_DOMAINS names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from gateway.domain.data_domain import MOST_DOMAINS, DataDomain, MadeOf, check, check_related
from mesh.errors import INVALID_ARGUMENT, AssayError

_LARGEST = 1 << 20


class _Domain(BaseModel):
    """A domain as the operator writes it; without `tenants` it is everybody's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    display_name: str
    description: str = ""
    capabilities: tuple[str, ...] = ()
    mcp_tools: tuple[str, ...] = ()
    related_domains: tuple[str, ...] = ()
    enabled: bool = True
    source_name: str = ""
    mcp_server: str = ""
    tenants: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _made_of_one(self) -> _Domain:
        if bool(self.source_name) == bool(self.mcp_server):
            raise ValueError("a domain has a source_name or an mcp_server, and not both")
        return self


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    domains: tuple[_Domain, ...]


def configured_domains(path: Path | None) -> list[tuple[DataDomain, tuple[str, ...]]]:
    """The domains of the file, each with the tenants that have it (none for all). Blocks.

    Raises AssayError(INVALID_ARGUMENT) for a file that cannot be read or breaks a rule of seed 003:
    a gateway does not start with half of its domains.
    """
    if path is None:
        return []
    try:
        read = _File.model_validate(_yaml(path))
    except ValidationError as error:
        places = (
            ".".join(map(str, fault["loc"])) + ": " + fault["msg"] for fault in error.errors()
        )
        raise _bad(path, "; ".join(places)[:1_000]) from None
    found = [_domain(each) for each in read.domains]
    names = [domain.name for domain, _ in found]
    if len(set(names)) < len(names):
        raise _bad(path, "names of domains are unique")
    if len(names) > MOST_DOMAINS:
        raise _bad(path, f"it has more than {MOST_DOMAINS} domains")
    for domain, _ in found:
        try:
            check(domain)
            check_related(domain, names)
        except AssayError as error:
            raise _bad(path, f"{domain.name}: {error.message}") from None
    return found


def _domain(each: _Domain) -> tuple[DataDomain, tuple[str, ...]]:
    domain = DataDomain(
        tenant="",
        name=each.name,
        display_name=each.display_name,
        description=each.description,
        capabilities=each.capabilities,
        mcp_tools=each.mcp_tools,
        related_domains=each.related_domains,
        enabled=each.enabled,
        made_of=MadeOf.SERVER if each.mcp_server else MadeOf.SOURCE,
        place=each.mcp_server or each.source_name,
        configured=True,
    )
    return domain, each.tenants


def _yaml(path: Path) -> Any:
    import yaml

    try:
        if path.stat().st_size > _LARGEST:
            raise _bad(path, "it is larger than 1 MiB")
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, yaml.YAMLError, RecursionError) as error:
        raise _bad(path, f"it cannot be read ({type(error).__name__})") from None


def _bad(path: Path, why: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        f"the domains in {path}: {why}",
        hint="docs/domains.md shows the form.",
        fields={"ASSAY_GATEWAY_DOMAINS": why},
    )
