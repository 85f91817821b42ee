"""Lines that a person types or another command sends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys


class Lines:
    """The lines of standard input: typed with a prompt and a history, or as they come."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._typed = sys.stdin.isatty()
        self._read = b""
        self._ended = False
        if self._typed:
            with contextlib.suppress(ImportError):  # then lines are typed without a history
                import readline  # noqa: F401

    async def next(self) -> str | None:
        """The next line; None at the end."""
        if self._typed:
            return await asyncio.to_thread(self._ask)
        while b"\n" not in self._read and not self._ended:
            piece = await asyncio.to_thread(os.read, sys.stdin.fileno(), 65_536)
            self._read += piece
            self._ended = not piece
        if not self._read:
            return None
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace").strip()

    def _ask(self) -> str | None:
        try:
            return input(self._prompt).strip()
        except EOFError:
            return None
