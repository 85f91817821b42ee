"""A real language model of 135 million parameters, served on this machine.

It is too small to be clever, and slow: what is tested is that whatever a real one says leaves
whoever asks with a sound answer or a clear no. `make test-model` installs and runs it.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PYTHON = os.environ.get("ASSAY_TEST_MODEL_PYTHON", "")


@pytest.fixture(scope="session")
def model_place() -> Iterator[str]:
    """Where the model answers, as OpenAI's clients want it."""
    if not PYTHON:
        pytest.skip("needs the model's wheels: run make test-model")
    command = [PYTHON, str(Path(__file__).with_name("serve.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        place = server.stdout.readline().strip()
        assert place.startswith("http://127.0.0.1:"), "the model's server did not start"
        yield f"{place}/v1"
        server.kill()


@pytest.fixture
def home() -> Iterator[Path]:
    """A home folder with a short path, because a socket's may not be long."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        yield Path(folder)


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """Ten sales, which any reading of a question about them may be held against."""
    rows = [f"{region},{amount}" for amount, region in enumerate(("North", "South") * 5, 1)]
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(["region,quantity", *rows]) + "\n")
    return path
