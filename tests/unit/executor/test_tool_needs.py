"""What tools work with is imported by their first call, or before it for whoever knows of it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from services.executor.catalogue import ToolCatalogue

_LISTED = """
import json, sys
from services.executor.catalogue import ToolCatalogue
catalogue = ToolCatalogue()
needs = {module for tool in catalogue.all() for module in tool.needs}
before = sorted(needs & set(sys.modules))
catalogue.import_needs(catalogue.get("metric.search"))
after = "services.executor.metric.explaining" in sys.modules
print(json.dumps([sorted(needs), before, after]))
"""


def test_listing_tools_imports_nothing_of_what_they_need() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _LISTED], check=True, capture_output=True, text=True
    )
    needs, before, after = json.loads(run.stdout)
    assert "services.executor.metric.explaining" in needs
    assert before == []
    assert after


def test_all_that_tools_need_is_there_to_be_imported() -> None:
    catalogue = ToolCatalogue()
    for tool in catalogue.all():
        catalogue.import_needs(tool)
    assert all(module in sys.modules for tool in catalogue.all() for module in tool.needs)


def test_names_of_no_tools_are_passed_over_when_tools_are_made_ready() -> None:
    ToolCatalogue().make_ready(["metric.search", "no.such_tool"])
    for thread in threading.enumerate():
        if thread.name == "tool-needs":
            thread.join()
    assert "services.executor.metric.explaining" in sys.modules
