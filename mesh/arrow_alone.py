"""Arrow without pandas, until somebody imports pandas.

Where pandas is installed, Arrow imports it for the first value that it makes of Python's, to see
whether that is one of pandas': 170 ms of processor, and 40 MB. Nothing can be before pandas was
imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_PANDAS = "pandas"


def keep_pandas_away() -> None:
    """Have Arrow do without pandas, and know it from the moment that anybody imports it.

    Call it before another thread uses Arrow. Where pandas is there already, nothing changes.
    """
    if _PANDAS in sys.modules or any(isinstance(each, _Watching) for each in sys.meta_path):
        return
    from pyarrow.lib import _pandas_api

    watching = _Watching()
    sys.meta_path.insert(0, watching)
    importlib.import_module("pyarrow.dataset")  # makes values, and DuckDB imports it
    _ = _pandas_api.have_pandas  # it looks once, and finds none
    watching.found = True


class _Watching(MetaPathFinder):
    """Sees pandas imported. Until it is `found` there is none."""

    found = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None but for pandas, whose module tells Arrow of itself once it is there."""
        if name != _PANDAS:
            return None
        if not self.found:
            raise ModuleNotFoundError(f"no {name} yet", name=name)
        with suppress(ValueError):  # two threads
            sys.meta_path.remove(self)
        found = importlib.util.find_spec(name)
        if found is not None and found.loader is not None:
            found.loader = _Telling(found.loader)
        return found


class _Telling(Loader):
    """Loads pandas as its own loader does, and has Arrow look for it again."""

    def __init__(self, own: Loader) -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As its own loader does."""
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """As its own loader does."""
        module.__loader__ = self._own
        if module.__spec__ is not None:
            module.__spec__.loader = self._own
        self._own.exec_module(module)
        from pyarrow.lib import _pandas_api

        _ = _pandas_api.pd
