"""Tools as a reasoner that chooses among them needs to know them."""

from __future__ import annotations

from typing import Any

from services.planner.domain.catalogue import Frozen


class ToolDescription(Frozen):
    """A registered tool: what it does and promises, and the JSON Schema of its arguments."""

    name: str
    description: str
    arguments_schema: dict[str, Any]
