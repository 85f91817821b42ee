"""How much a search may do: counted in steps, so that equal calls stop at equal places."""

from __future__ import annotations

import threading
import time

from mesh.tool import ErrorCategory, ToolError


class OutOfSteps(Exception):
    """A search that was given a number of steps has used them up."""


class Effort:
    """Counts the steps (tests, scores) of searches and stops them.

    Steps are counted and not timed, for a graph must not depend on how busy a machine is. Only the
    call's own deadline is one of time, and ends it with an error.
    """

    def __init__(
        self,
        seconds: float = float("inf"),
        cancelled: threading.Event | None = None,
        most: float = float("inf"),
    ) -> None:
        """`seconds` are left of the call; `most` steps may be spent before OutOfSteps."""
        self._end = time.monotonic() + seconds
        self._cancelled = cancelled
        self.most = most
        self.steps = 0.0

    def spend(self, steps: float = 1.0) -> None:
        """Note that something was done. Raises OutOfSteps, and ToolError past the deadline."""
        self.steps += steps
        if self.steps > self.most:
            raise OutOfSteps
        if self._cancelled is not None and self._cancelled.is_set():
            raise ToolError(ErrorCategory.CANCELLED, "The search for a graph was stopped.")
        if time.monotonic() > self._end:
            raise ToolError(
                ErrorCategory.RESOURCE_EXHAUSTED,
                "The search for a graph did not end in its time.",
                hint="Name fewer columns or bootstraps; causal.discovery_plan says what fits.",
            )
