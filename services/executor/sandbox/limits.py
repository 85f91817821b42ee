"""What one run of foreign code may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SandboxLimits:
    """Most bytes and seconds of a run.

    `memory_bytes` is address space on top of the warm interpreter's, inputs not counted.
    `result_bytes` bounds the reply with frame and figures, and any file of the run's own.
    `printed_bytes` is how much of what the code prints is kept.
    """

    memory_bytes: int = 1 << 30
    seconds: float = 60.0
    scratch_bytes: int = 64 << 20
    result_bytes: int = 256 << 20
    printed_bytes: int = 16 << 10
    threads: int = 8
    code_bytes: int = 100_000
    inputs: int = 50
