"""The console's checks in Node: what Python finds they find, or say they did not look."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.console.proof_vectors import write

CONSOLE = Path(__file__).parents[2] / "clients" / "console"
BUILD_SECONDS = 120
RUN_SECONDS = 300


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests as one module that Node runs."""
    if shutil.which("node") is None:
        pytest.skip("Node is not installed here")
    if not (CONSOLE / "node_modules").is_dir():
        pytest.skip("the console's packages are not installed here: `npm ci` in clients/console")
    folder = tmp_path_factory.mktemp("built")
    vite = CONSOLE / "node_modules" / "vite" / "bin" / "vite.js"
    options = ["build", "--config", "vite.tests.config.ts", "--outDir", str(folder)]
    command = ["node", str(vite), *options, "--logLevel", "warn"]
    subprocess.run(command, cwd=CONSOLE, check=True, timeout=BUILD_SECONDS)
    return folder


def test_browsers_find_what_python_finds_or_say_that_they_did_not_look(
    built: Path, tmp_path: Path
) -> None:
    write(tmp_path)
    ran = subprocess.run(
        ["node", "--test-reporter", "tap", "--test", str(built / "proof.test.js")],
        env={**os.environ, "PROOF_VECTORS": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
    )
    told = ran.stdout + ran.stderr
    assert ran.returncode == 0, told[-6000:]
    passed = re.search(r"^# pass (\d+)$", told, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) > 0
