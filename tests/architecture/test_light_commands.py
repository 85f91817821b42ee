"""What a command imports is most of what it takes: none imports what it does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.architecture.tree import ROOT

_RUN = """
import json, sys
from clients.python.cli.main import run
code = run(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""
_NOT_FOR_LISTS = {
    "adbc_driver_manager",
    "alembic",
    "duckdb",
    "matplotlib",
    "numpy",
    "onnxruntime",
    "pandas",
    "pyarrow",
    "qdrant_client",
    "scipy",
    "sqlglot",
}


def test_listing_jobs_makes_the_planners_store_and_no_other_service(tmp_path: Path) -> None:
    _modules_of("jobs", "--home", str(tmp_path))  # makes the home, which takes migrations

    loaded = _modules_of("jobs", "--home", str(tmp_path))

    assert "services.planner.service" in loaded
    made = {name for name in loaded if name.startswith("services.") and name.endswith(".service")}
    assert made == {"services.planner.service"}
    assert {name.partition(".")[0] for name in loaded} & _NOT_FOR_LISTS == set()
    language = "services.planner.domain.language"
    assert [name for name in loaded if name.startswith(language)] == []


def test_listing_recipes_needs_neither_the_executor_nor_the_reasoner(tmp_path: Path) -> None:
    _modules_of("recipes", "--home", str(tmp_path))

    loaded = _modules_of("recipes", "--home", str(tmp_path))

    assert "services.executor.service" not in loaded
    assert "services.audit.service" not in loaded
    assert "services.planner.domain.language.understand" not in loaded
    heavy = {"duckdb", "matplotlib", "numpy", "onnxruntime", "pandas", "pyarrow", "sqlglot"}
    assert {name.partition(".")[0] for name in loaded} & heavy == set()


def test_the_executor_is_put_together_without_an_engine() -> None:
    code = "import json, sys, services.executor.service; print(json.dumps([*sys.modules]))"
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    loaded = {name.partition(".")[0] for name in json.loads(output)}

    assert loaded & {"duckdb", "matplotlib", "pandas", "snowballstemmer", "sqlglot"} == set()


def _modules_of(*arguments: str) -> set[str]:
    """Names of the modules that a process of its own has loaded at the end of a command."""
    output = subprocess.run(
        [sys.executable, "-c", _RUN, *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    code, names = json.loads(output.splitlines()[-1])
    assert code == 0
    return set(names)
