"""The processes that read sources, and what they may use."""

from __future__ import annotations

import re

from services.executor.sources.disposable.pool import DisposableProcesses
from services.executor.sources.disposable.protocol import Limits

_WORK = "services.executor.sources.reading:run"
_BEYOND_ENGINE_MEMORY = 4 << 30  # address space of code, buffers and threads


def reader_processes(
    memory_limit: str = "4GB", unpacked_bytes: int = 16 << 30
) -> DisposableProcesses:
    """Processes that read sources, each used once."""
    return DisposableProcesses(
        _WORK,
        Limits(
            memory_bytes=engine_bytes(memory_limit) + _BEYOND_ENGINE_MEMORY,
            file_bytes=unpacked_bytes,
            cpu_seconds=3_600,
        ),
    )


def engine_bytes(text: str) -> int:
    """A size as DuckDB spells it ("4GB", "512MiB") in bytes. Raises ValueError."""
    match = re.fullmatch(r"([\d.]+)\s*([kmgt]?)(i?)b?", text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is not a size; write it like 4GB")
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** " kmgt".index(unit or " "))
