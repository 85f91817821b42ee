"""Whoever reads a module can read what it imports first: no imports go in circles."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

ROOMS = ("mesh", "services", "gateway", "clients", "examples")


def test_no_imports_go_in_circles() -> None:
    graph = grimp.build_graph(*ROOMS, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail("imports go in a circle: " + " -> ".join(reversed(error.args[1])))
