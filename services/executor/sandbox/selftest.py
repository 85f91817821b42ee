"""Whether a sandbox holds: the attempts of probe.py, run in it as foreign code."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from mesh.tool import ToolError
from services.executor.sandbox.limits import SandboxLimits
from services.executor.sandbox.running import run_in
from services.executor.sandbox.slot import Slot

_PROBE = Path(__file__).with_name("probe.py")
_SECONDS = 20.0


def breaches(slot: Slot, limits: SandboxLimits) -> list[str]:
    """What foreign code could do there that it must not; also when the test itself fails.

    Raises SlotLost.
    """
    code = f"EXECUTOR = {os.getpid()}\n{_PROBE.read_text(encoding='utf-8')}"
    code = code.replace("from __future__ import annotations\n", "", 1)
    try:
        given = run_in(slot, code, {}, limits, _SECONDS, threading.Event())
    except ToolError as error:
        return [f"the self-test failed: {error.message}"]
    if given.frame is None or given.frame.column_names != ["attempt", "succeeded"]:
        return ["the self-test gave no answer"]
    rows = given.frame.to_pylist()
    return [f"it can {row['attempt']}" for row in rows if row["succeeded"]]
