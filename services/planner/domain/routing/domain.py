"""Domains as routing sees them: named bodies of data, what they say of themselves and hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from services.planner.domain.catalogue import Catalogue, Column, Frozen

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST_TEXT = 200
"""Characters of a text that can be embedded (`assay.memory.v1.EmbedTextsRequest`)."""

Name = Annotated[str, StringConstraints(pattern=rf"^{NAME.pattern}$", max_length=63)]


class DomainTable(Frozen):
    """A table of a domain that is data: its name, its columns' names and some of their values."""

    name: str
    columns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class Domain(Frozen):
    """A domain (seed 003). `tools` are descriptions of its tools, for their words and meaning."""

    name: Name
    display_name: str
    description: str = ""
    capabilities: tuple[str, ...] = ()
    mcp_tools: tuple[str, ...] = ()
    related_domains: tuple[str, ...] = ()
    enabled: bool = True
    tools: tuple[str, ...] = ()
    tables: tuple[DomainTable, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What it says of itself, one text for each thing it can tell of, fit to be embedded."""
        sentences = [self.description, *self.capabilities, *self.tools]
        sentences += [_describe_table(table) for table in self.tables]
        texts = [text.strip()[:LONGEST_TEXT].strip() for text in sentences]
        return tuple(dict.fromkeys(text for text in texts if text)) or (self.display_name,)


class Domains(Frozen):
    """The domains that a question may be about; names are unique, relations lead to domains."""

    all: tuple[Domain, ...] = Field(max_length=200)

    @model_validator(mode="after")
    def _related(self) -> Domains:
        names = [domain.name for domain in self.all]
        if len(set(names)) < len(names):
            raise ValueError("names of domains are unique")
        for domain in self.all:
            if unknown := set(domain.related_domains) - set(names):
                raise ValueError(f"{domain.name} is related to {sorted(unknown)[0]}, which is none")
        return self

    @property
    def enabled(self) -> tuple[Domain, ...]:
        """Those that can be asked now."""
        return tuple(domain for domain in self.all if domain.enabled)


def tables_of(catalogue: Catalogue, source: str = "") -> tuple[DomainTable, ...]:
    """The tables of a described source, or of all, as routing compares them with a question."""
    return tuple(
        DomainTable(
            name=table.name,
            columns=tuple(dict.fromkeys(_names(table.columns))),
            values=tuple(
                dict.fromkeys(value for column in table.columns for value in column.samples)
            ),
        )
        for table in catalogue.tables
        if not source or table.source_name == source
    )


def _names(columns: Sequence[Column]) -> list[str]:
    return [name for column in columns for name in (column.name, *column.synonyms)]


def _describe_table(table: DomainTable) -> str:
    """A table as a phrase: "order items: product, quantity, unit price"."""
    return f"{_spaced(table.name)}: {', '.join(map(_spaced, table.columns))}"


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", name).strip().lower()
