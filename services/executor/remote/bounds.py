"""How much may be fetched, and for how long."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from mesh.errors import CANCELLED, RESOURCE_EXHAUSTED, AssayError

PAUSES = (0.2, 1.0, 3.0)
"""Seconds to wait before another try."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one source that is fetched: bytes, seconds, tries, and who may stop it.

    `authority` is a file of certificates that are believed beside the usual ones.
    """

    most_bytes: int
    seconds: float
    cancelled: threading.Event
    pauses: tuple[float, ...] = PAUSES
    authority: str = ""
    begun: float = field(default_factory=time.monotonic)

    def check(self, shown: str) -> None:
        """Raise AssayError: CANCELLED, RESOURCE_EXHAUSTED when the time is over."""
        if self.cancelled.is_set():
            raise AssayError(CANCELLED, f"fetching {shown} was cancelled.")
        if time.monotonic() - self.begun > self.seconds:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"fetching {shown} was stopped after {self.seconds:g} s.",
                hint="Fetch it beforehand, or raise ASSAY_EXECUTOR_READING_SECONDS.",
                metadata={"limit": "ASSAY_EXECUTOR_READING_SECONDS"},
            )

    def check_bytes(self, shown: str, size: int) -> None:
        """Raise AssayError(RESOURCE_EXHAUSTED) for more bytes than may be fetched."""
        if size > self.most_bytes:
            raise AssayError(
                RESOURCE_EXHAUSTED,
                f"{shown} has more than the {self.most_bytes:,} bytes that are fetched at most.",
                hint="Name a part of it; the limit is ASSAY_EXECUTOR_REMOTE_BYTES.",
                metadata={"limit": "ASSAY_EXECUTOR_REMOTE_BYTES"},
            )

    def wait(self, seconds: float) -> None:
        """Wait before another try, unless somebody stops it."""
        self.cancelled.wait(seconds)
