"""What importing a module loads is asked of a new interpreter: this one has loaded it all."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.architecture.tree import ROOT

HEAVY = {
    "alembic",
    "duckdb",
    "grpc",
    "matplotlib",
    "numpy",
    "opentelemetry",
    "pandas",
    "pyarrow",
    "pydantic",
    "rich",
    "sqlalchemy",
    "sqlglot",
}


@pytest.mark.parametrize("module", ["clients.python.cli.main", "mesh.errors", "mesh.ids"])
def test_importing_it_loads_nothing_heavy(module: str) -> None:
    assert loaded_by(module) & HEAVY == set()


def test_whoever_reads_files_has_only_the_engine_at_first() -> None:
    """The first file waits until this is imported, and every process that reads one holds it."""
    assert loaded_by("services.executor.sources.reading") & HEAVY == {"duckdb", "pydantic"}


def loaded_by(module: str) -> set[str]:
    """The packages that importing a module loads."""
    code = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    output = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return {name.partition(".")[0] for name in json.loads(output)}
