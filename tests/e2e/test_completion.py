"""What a shell is told when somebody presses the tabulator."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.commands import command as prepared
from tests.e2e.conftest import Assay


def completed(home: Path, line: str) -> list[str]:
    """The words that bash would offer for the last one of a line."""
    done = subprocess.run(
        prepared(),
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "ASSAY_HOME": str(home),
            "_ASSAY_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        },
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.timeout(120)
def test_commands_sources_and_jobs_are_completed(assay: Assay, home: Path, retailer: Path) -> None:
    assert assay("source", "add", "shop", retailer / "shop.sqlite").code == 0
    job = assay("ask", "number of customers", "--on", "shop", "--json").json["job"]

    assert completed(home, "assay noteb") == ["notebook"]
    assert completed(home, "assay ask --on sh") == ["shop"]
    assert completed(home, f"assay show {job[:3]}") == [job[:8]]
    assert completed(home, "assay show zz") == []
    # Other tests of this home ask without saying of what.
    assert assay("source", "remove", "shop").code == 0
