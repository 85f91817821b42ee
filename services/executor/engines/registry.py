"""The engines that there are: one for each folder beside this file that declares itself.

Nothing here names an engine; adding one is adding a folder (`docs/engines.md`, "Adding an engine").
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from services.executor.engines.declared import Declared

_HERE = __name__.rpartition(".")[0]
_ABOUT = "about"
AUTOMATIC = "auto"
"""In the place of an engine's name: it is chosen by where the data is, and how much."""


@cache
def declared() -> dict[str, Declared]:
    """Every engine by its name, in the order of their names."""
    folders = [one.name for one in pkgutil.iter_modules([str(Path(__file__).parent)]) if one.ispkg]
    found: list[Declared] = [
        import_module(f"{_HERE}.{folder}.{_ABOUT}").ENGINE for folder in sorted(folders)
    ]
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def databases() -> dict[str, Declared]:
    """The kinds of databases by their names."""
    return {name: one for name, one in declared().items() if one.database}


@cache
def by_scheme() -> dict[str, Declared]:
    """The kinds of databases by the schemes of their URLs."""
    return {scheme: one for one in databases().values() for scheme in one.schemes}


def database_module(name: str) -> ModuleType:
    """The module that is a kind of database (`databases.kind.DatabaseKind`), imported by the first
    who asks for it; its driver is imported when a server is first spoken to."""
    return import_module(declared()[name].database)


def opened_over_files(settings: object) -> list[Any]:
    """The engines over files, besides the embedded one, that the settings ask for."""
    modules = (import_module(one.opens) for one in declared().values() if one.opens)
    return [engine for module in modules if (engine := module.opened(settings)) is not None]
