"""Import beside what a command waits for, what it will need then."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from threading import Thread

TABLES = "clients.python.frames"
"""Reads tables, by Arrow."""


def importing(module: str) -> None:
    """Import a module in a thread of its own; what fails there fails again where it is needed."""

    def work() -> None:
        with suppress(ImportError):
            import_module(module)

    Thread(target=work, name=f"import {module}", daemon=True).start()
