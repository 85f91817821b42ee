"""Lines that a person types or another command sends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clients.python.cli.offering import Offering

MOST_KEPT = 1_000
"""Lines of history."""


class Lines:
    """The lines of standard input: typed with a prompt and a history, or as they come.

    What is typed is kept in the file `history`, where one is named, for its owner alone; the Tab
    key asks the `offering`.
    """

    def __init__(
        self, prompt: str, history: Path | None = None, offering: Offering | None = None
    ) -> None:
        self._prompt = prompt
        self.typed = sys.stdin.isatty()
        """Whether a person types them."""
        self._read = b""
        self._ended = False
        self._history = history
        if self.typed:
            recall(history)
            if offering is not None:
                offering.begin()

    async def next(self) -> str | None:
        """The next line; None at the end."""
        if self.typed:
            return await self._typed_line()
        while b"\n" not in self._read and not self._ended:
            piece = await asyncio.to_thread(os.read, sys.stdin.fileno(), 65_536)
            self._read += piece
            self._ended = not piece
        if not self._read:
            return None
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace").strip()

    async def _typed_line(self) -> str | None:
        """The line, from a thread that nobody waits for: Ctrl-C ends the wait at once, and leaves
        the terminal as it was before the prompt."""
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str | None] = loop.create_future()
        before = _terminal()

        def ask() -> None:
            text = self._ask()

            def tell() -> None:
                if not line.done():
                    line.set_result(text)

            with contextlib.suppress(RuntimeError):  # the loop may have ended meanwhile
                loop.call_soon_threadsafe(tell)

        threading.Thread(target=ask, daemon=True, name="typed line").start()
        try:
            return await line
        except asyncio.CancelledError:
            _restore(before)
            print()
            raise

    def _ask(self) -> str | None:
        try:
            line = input(self._prompt).strip()
        except EOFError:
            return None
        keep(self._history)
        return line


def _terminal() -> list[Any] | None:
    """How the terminal is set; None where that cannot be told."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import termios

        return termios.tcgetattr(sys.stdin.fileno())
    return None


def _restore(before: list[Any] | None) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import termios

        if before is not None:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)


def recall(history: Path | None) -> None:
    """Offer lines of earlier times to whoever types; none where that cannot be."""
    with contextlib.suppress(ImportError, OSError):
        import readline

        if history is not None:
            readline.read_history_file(history)


def keep(history: Path | None) -> None:
    """Keep the newest lines, readable by their owner alone."""
    if history is None:
        return
    with contextlib.suppress(ImportError, OSError):
        import readline

        history.touch(mode=0o600)
        history.chmod(0o600)
        readline.set_history_length(MOST_KEPT)
        readline.write_history_file(history)
