"""One sandbox a way of isolation, kept for the whole suite."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from threading import Event
from typing import Any

import pyarrow as pa
import pytest

from mesh.tool import PythonRun
from services.executor.sandbox.inside.kernel import landlock_version
from services.executor.sandbox.isolation import WAYS, missing_libraries
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.pool import SandboxPool
from services.executor.sandbox.runner import PythonSandbox
from services.executor.sandbox.selftest import breaches

Run = Callable[..., PythonRun]

LIMITS = SandboxLimits(
    memory_bytes=512 << 20, seconds=20, scratch_bytes=16 << 20, result_bytes=32 << 20
)


def sandbox_of(way: str, size: int = 1) -> PythonSandbox:
    """A sandbox of this way alone. Skips, with the reason, where the machine has not got it."""
    if missing := missing_libraries():
        pytest.skip(f"{', '.join(missing)} not installed: the `sandbox` extra")
    if way == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed: apt-get install bubblewrap")
    if way == "landlock" and landlock_version() == 0:
        pytest.skip("this kernel offers no landlock")
    sandbox = PythonSandbox(LIMITS)
    sandbox.pool = SandboxPool(LIMITS, breaches, size, {way: WAYS[way]})
    return sandbox


@pytest.fixture(scope="session", params=list(WAYS))
def sandbox(request: pytest.FixtureRequest) -> Iterator[PythonSandbox]:
    made = sandbox_of(request.param)
    yield made
    made.close()


@pytest.fixture(scope="session")
def way(sandbox: PythonSandbox) -> str:
    sandbox.run("result = 1", {}, 60, Event())
    return sandbox.pool.isolation


@pytest.fixture
def run(sandbox: PythonSandbox) -> Run:
    def run(code: str, seconds: float = 20, **frames: Mapping[str, Any]) -> PythonRun:
        tables = {name: pa.table(dict(columns)) for name, columns in frames.items()}
        return sandbox.run(code, tables, seconds, Event())

    return run
