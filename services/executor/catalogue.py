"""The tools there are: found by their files, so that one more file is one more tool."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterable
from functools import cached_property, partial

from mesh.errors import UNKNOWN_TOOL, AssayError
from mesh.tool import Tool
from services.executor import tools


class ToolCatalogue:
    """Every tool declared in services/executor/tools, by name."""

    def __init__(self) -> None:
        self._importing = threading.Lock()

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

    def make_ready(self, names: Iterable[str]) -> None:
        """Import what these tools work with, beside whatever else is done; none waits for it."""
        if wanted := tuple(names):
            work = partial(self._import, *wanted)
            threading.Thread(target=work, name="tool-needs", daemon=True).start()

    def import_needs(self, tool: Tool) -> None:
        """Import what a tool works with, one module at a time whoever asks: two threads in one
        package's imports could see each other's unfinished modules. Blocks."""
        for module in tool.needs:
            with self._importing:
                importlib.import_module(module)

    def _import(self, *names: str) -> None:
        for name in names:
            if name in self._tools:
                self.import_needs(self._tools[name])

    def get(self, name: str) -> Tool:
        """The tool of that name. Raises AssayError(UNKNOWN_TOOL)."""
        if name not in self._tools:
            known = ", ".join(sorted(self._tools))
            raise AssayError(UNKNOWN_TOOL, f"there is no tool {name!r}; there are {known}")
        return self._tools[name]
