"""The `assay` command as a person runs it: a process of its own, a home folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.busy import allowing

Assay = Callable[..., "Ran"]


@dataclass(frozen=True)
class Ran:
    """What a run of the command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def assay(home: Path) -> Assay:
    """Runs `assay` with the session's home folder."""

    def run(*arguments: object, home: Path = home, seconds: float = 60, lines: str = "") -> Ran:
        command = [sys.executable, "-m", "clients.python.cli.main", *map(str, arguments)]
        done = subprocess.run(
            command,
            input=lines,
            capture_output=True,
            text=True,
            timeout=allowing(seconds),
            check=False,
            env={**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "100"},
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def retailer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example data, freshly generated."""
    from examples.retailer import write_retailer

    folder = tmp_path_factory.mktemp("retailer")
    write_retailer(folder)
    return folder
