"""Whether commands on this machine share a mesh that serves their home in the background."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from mesh.errors import INVALID_ARGUMENT, AssayError

SWITCH = "ASSAY_BACKGROUND"
_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_IDLE_MINUTES = 15.0
_MARKS_OF_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))


def in_background(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a command starts a mesh that outlives it; one that is there is used in any case.

    ASSAY_BACKGROUND says so. Without it, not in containers and not where CI is set: nobody would
    come back, and what waits for the last process to end would wait for a quarter of an hour.
    Raises AssayError(INVALID_ARGUMENT) for a value that is neither yes nor no.
    """
    text = environment.get(SWITCH, "").strip().lower()
    if text in _ON or text in _OFF:
        return text in _ON
    if text:
        raise AssayError(INVALID_ARGUMENT, f"{SWITCH}={text} is neither 1 nor 0")
    if environment.get("CI", "").lower() not in ("", *_OFF):
        return False
    contained = "KUBERNETES_SERVICE_HOST" in environment or "container" in environment
    return not contained and not any(mark.exists() for mark in _MARKS_OF_CONTAINERS)


def idle_minutes(environment: Mapping[str, str] = os.environ) -> float:
    """After how many minutes without use a mesh in the background ends: ASSAY_IDLE_MINUTES.

    Raises AssayError(INVALID_ARGUMENT) for what is no number greater than 0.
    """
    text = environment.get("ASSAY_IDLE_MINUTES", "").strip()
    try:
        minutes = float(text or _IDLE_MINUTES)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < float("inf"):
        raise AssayError(INVALID_ARGUMENT, f"ASSAY_IDLE_MINUTES={text} is no number above 0")
    return minutes
