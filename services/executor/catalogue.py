"""The tools there are: found by their files, so that one more file is one more tool."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cached_property

from mesh.errors import UNKNOWN_TOOL, AssayError
from mesh.tool import Tool
from services.executor import tools


class ToolCatalogue:
    """Every tool declared in services/executor/tools, by name."""

    @cached_property
    def _tools(self) -> dict[str, Tool]:
        """Their modules are imported when a tool is first asked for."""
        by_name: dict[str, Tool] = {}
        for found in pkgutil.iter_modules(tools.__path__):
            module = importlib.import_module(f"{tools.__name__}.{found.name}")
            for value in vars(module).values():
                if isinstance(value, Tool):
                    by_name[value.name] = value
        return by_name

    def all(self) -> list[Tool]:
        """Sorted by name."""
        return [self._tools[name] for name in sorted(self._tools)]

    def get(self, name: str) -> Tool:
        """The tool of that name. Raises AssayError(UNKNOWN_TOOL)."""
        if name not in self._tools:
            known = ", ".join(sorted(self._tools))
            raise AssayError(UNKNOWN_TOOL, f"there is no tool {name!r}; there are {known}")
        return self._tools[name]
