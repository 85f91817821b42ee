"""What is offered at the Tab key while a line is typed into a conversation."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable

from assay.common.v1.look_pb2 import Look
from mesh.text.harmless import is_harmless

COMMANDS = ("/export ", "/help", "/quit", "/redo", "/sql", "/undo", "/why")
_PLAIN = re.compile(r"\w+")


class Offering:
    """Commands, and names of sources, tables and columns, by how they begin."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def know(self, names: Iterable[str]) -> None:
        """Offer these too, but for what a terminal would obey (`mesh.text.harmless`)."""
        self._names |= {name for name in names if name and is_harmless(name)}

    def know_data(self, look: Look) -> None:
        """Offer the tables and columns of sources."""
        for table in look.tables:
            self.know([table.name, *(column.name for column in table.columns)])

    def of(self, start: str, whole: str) -> list[str]:
        """What goes on from the word `start`, the last of what is typed: commands where the line
        begins with it, names anywhere but after a slash."""
        if whole.startswith("/"):
            return [command for command in COMMANDS if command.startswith(whole)]
        low = start.casefold()
        return sorted(
            (name for name in self._names if low and name.casefold().startswith(low)),
            key=lambda name: (not _PLAIN.fullmatch(name), name.casefold()),
        )

    def begin(self) -> None:
        """Have the Tab key ask here; nothing where lines are read without readline."""
        with contextlib.suppress(ImportError):
            import readline

            def offered(start: str, number: int) -> str | None:
                found = self.of(start, readline.get_line_buffer())
                return found[number] if number < len(found) else None

            readline.set_completer_delims(" \t\n,;()")
            readline.set_completer(offered)
            # libedit, which stands for readline on some systems, has words of its own.
            editline = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if editline else "tab: complete")
