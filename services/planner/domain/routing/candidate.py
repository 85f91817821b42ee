"""Domains as a conversation may ask them: what they say, and what they are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mesh.errors import DOMAIN_DISABLED
from services.planner.domain.catalogue import Frozen
from services.planner.domain.data_source import DataSource
from services.planner.domain.routing.asked import Unasked
from services.planner.domain.routing.domain import Domain


class CandidateTool(Frozen):
    """A tool as it was approved; without a digest it was not."""

    name: str
    description: str = ""
    input_schema_json: str = ""
    digest: str = ""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The JSON Schema of its arguments; empty for what is none."""
        try:
            schema = json.loads(self.input_schema_json or "{}")
        except ValueError:
            return {}
        return schema if isinstance(schema, Mapping) else {}


class Candidate(Frozen):
    """A domain with its sources, or with the MCP server and the tools that it is.

    `unasked` says why it cannot be asked, such as an expired session, or that it is disabled.
    """

    domain: Domain
    data_sources: tuple[DataSource, ...] = ()
    mcp_server: str = ""
    tools: tuple[CandidateTool, ...] = ()
    unasked: Unasked | None = None

    @property
    def disabled(self) -> bool:
        """Whether its owner has disabled it: it is known of, so that no other is taken for it."""
        return self.unasked is not None and self.unasked.reason == DOMAIN_DISABLED.code
