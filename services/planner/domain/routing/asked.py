"""Domains that a question was put to, as a request holds them: each with its words and what it is.

A request holds the sources of all its domains in one list, so that whatever is true of the sources
of a request (digests, repeating, proof) is true of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from services.planner.domain.catalogue import Catalogue, Frozen

CALL_TOOL = "domain.call"
"""The executor's tool that calls tools of domains."""
_LONGEST_PREFIX = 40


class DomainCallSpec(Frozen):
    """The call of a tool for a domain; `digest` is the one with which the tool was approved,
    `seconds` the most that it may take."""

    server: str
    tool: str
    digest: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    seconds: float = 50.0


class Unasked(Frozen):
    """Why a domain cannot be asked: a reason code, what is wrong, and what to do."""

    reason: str
    message: str
    hint: str = ""


class AskedDomain(Frozen):
    """A domain with the words that it is asked with.

    It is data, `sources` being the places of its sources in the request, from 0; or a tool, `call`;
    or it cannot be asked, and `unasked` says why.
    """

    name: str
    display_name: str
    question: str
    sources: tuple[int, ...] = ()
    call: DomainCallSpec | None = None
    unasked: Unasked | None = None

    @property
    def called(self) -> str:
        """What a person is offered to choose, and answers with."""
        return self.display_name or self.name


def chosen_of(domains: tuple[AskedDomain, ...], reply: str) -> AskedDomain | None:
    """The domain that a person chose, by what it is called or its name."""
    for domain in domains:
        if reply.strip().casefold() in (domain.called.casefold(), domain.name.casefold()):
            return domain
    return None


def prefixes(domains: Sequence[AskedDomain]) -> dict[str, str]:
    """What the steps of each domain begin with: its name, short enough and no other's."""
    found: dict[str, str] = {}
    for number, domain in enumerate(domains, 1):
        short = domain.name[:_LONGEST_PREFIX]
        found[domain.name] = short if short not in found.values() else f"{short}_{number}"
    return found


def approving(domain: str, tool: str) -> str:
    """What a person does about a tool that may not be called."""
    return f"Look at it, and approve it if it is to be used: assay domain approve {domain} {tool}"


def narrowed(catalogue: Catalogue, labels: frozenset[str]) -> Catalogue:
    """The tables of some sources alone, under the names that they have among all."""
    tables = tuple(table for table in catalogue.tables if table.source_name in labels)
    names = {table.name for table in tables}
    return catalogue.model_copy(
        update={
            "tables": tables,
            "relationships": tuple(
                link
                for link in catalogue.relationships
                if link.from_table in names and link.to_table in names
            ),
        }
    )
