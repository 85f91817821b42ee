"""Named places where a process can be made to die, so that tests can crash it exactly there.

ASSAY_FAILPOINT=<name> kills the process at that place as `kill -9` would, the first time it comes
there; ASSAY_FAILPOINT=<name>#3 the third time. Read once at import; unset, nothing ever happens.
"""

from __future__ import annotations

import os
import signal

_NAME, _, _COUNT = os.environ.get("ASSAY_FAILPOINT", "").partition("#")
_left = int(_COUNT or 1)


def failpoint(name: str) -> None:
    """Die here, if this is the place that was named."""
    global _left
    if name != _NAME:
        return
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
