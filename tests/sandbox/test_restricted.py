"""Where neither rights nor namespaces are to be had: landlock holds, or nothing is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from services.executor.sandbox.inside.kernel import landlock_version
from services.executor.sandbox.isolation import missing_libraries
from tests.mesh.support import REPOSITORY

if missing := missing_libraries():
    pytest.skip(f"{', '.join(missing)} not installed", allow_module_level=True)


def told(*refused: str) -> dict[str, Any]:
    """What a sandbox says there; root has no right left."""
    bare: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not installed, which gives rights up")
        bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"]
    command = [*bare, sys.executable, "-m", "tests.sandbox.restricted", *refused]
    ended = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


@pytest.mark.skipif(landlock_version() == 0, reason="this kernel offers no landlock")
def test_landlock_holds_where_a_container_may_nothing() -> None:
    assert told() == {"isolation": "landlock", "user": os.geteuid(), "threads": False}


def test_without_landlock_too_nothing_is_run_and_it_is_said_why() -> None:
    answer = told("landlock_create_ruleset")

    assert answer["refused"] == "SANDBOX_UNAVAILABLE"
    assert "bubblewrap: " in answer["why"]
    assert "landlock: " in answer["why"]
    assert "bubblewrap" in answer["hint"]
