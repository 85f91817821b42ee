"""A library with small limits, whose reader processes are shared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.executor.sources.disposable.pool import DisposableProcesses
from services.executor.sources.library import SourceLibrary
from services.executor.sources.limits import ReadingLimits
from services.executor.sources.processes import reader_processes


@pytest.fixture(scope="module")
def processes() -> Iterator[DisposableProcesses]:
    pool = reader_processes("512MB", 256 << 20)
    yield pool
    pool.close()


@pytest.fixture
def library(tmp_path: Path, processes: DisposableProcesses) -> SourceLibrary:
    return SourceLibrary(
        tmp_path / "home",
        memory_limit="512MB",
        limits=ReadingLimits(unpacked_bytes=256 << 20),
        seconds=30,
        processes=processes,
    )
