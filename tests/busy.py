"""Bounds on time for tests whose subject is that something ends soon, on machines that are busy."""

from __future__ import annotations

import os


def allowing(seconds: float) -> float:
    """A bound stretched by how many runnable processes share each processor.

    What such a test forbids would take minutes or for ever, so a longer bound tells it no less.
    """
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
