"""Run foreign code: frames in, frame and figures out, every trouble a ToolError."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

import pyarrow as pa

from mesh.errors import AssayError
from mesh.tool import ErrorCategory, PythonRun, ToolError
from services.executor.sandbox.failures import unusable
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.pool import NoSlot, SandboxPool
from services.executor.sandbox.running import run_in
from services.executor.sandbox.selftest import breaches
from services.executor.sandbox.slot import SlotLost


class PythonSandbox:
    """`python.run`'s way to a sandbox. Thread-safe."""

    def __init__(self, limits: SandboxLimits | None = None, size: int = 2) -> None:
        self.pool = SandboxPool(limits or SandboxLimits(), breaches, size)

    def run(
        self,
        code: str,
        frames: Mapping[str, pa.Table],
        seconds: float,
        cancelled: threading.Event,
    ) -> PythonRun:
        """What the code gives. Raises ToolError.

        `seconds` is for waiting and running together; of running alone the limits have their say.
        """
        limits = self.pool.limits
        if len(code.encode(errors="replace")) > limits.code_bytes:
            raise unusable(f"the code is longer than {limits.code_bytes:,} bytes")
        if len(frames) > limits.inputs:
            raise unusable(f"{len(frames)} frames were given, at most {limits.inputs} may be")
        ends = time.monotonic() + seconds
        try:
            with self.pool.slot(seconds, cancelled) as slot:
                left = min(limits.seconds, max(0.05, ends - time.monotonic()))
                return run_in(slot, code, frames, limits, left, cancelled)
        except (NoSlot, SlotLost) as error:
            if cancelled.is_set():
                raise ToolError(ErrorCategory.CANCELLED, "the call was cancelled") from error
            raise ToolError(ErrorCategory.RESOURCE_EXHAUSTED, f"{error}") from error
        except AssayError as error:
            raise ToolError(
                ErrorCategory.INTERNAL,
                str(error),
                hint=error.remedy,
                details={"reason": error.reason.code},
            ) from error

    def warm(self, count: int) -> None:
        """Have sandboxes ready soon; returns at once."""
        self.pool.warm(count)

    def close(self) -> None:
        """End every sandbox and what runs in it."""
        self.pool.close()
