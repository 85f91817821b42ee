"""Runs Python in a sandbox where a restricted Kubernetes would run it: no rights, no namespaces.

`python -m tests.sandbox.restricted [CALL…]` refuses these system calls too, as a container's
seccomp profile does, and prints which way of isolation held or why none did.
"""

from __future__ import annotations

import errno
import json
import sys
from threading import Event

import pyseccomp

from mesh.tool import ToolError
from services.executor.sandbox.runner import PythonSandbox
from tests.sandbox.conftest import LIMITS

CLONE_NEWUSER = 0x10000000
ASKED = """
import os, threading
try: threading.Thread(target=print).start(); threads = True
except RuntimeError: threads = False
result = {"user": os.getuid(), "threads": threads}
"""


def as_in_a_container(*refused: str) -> None:
    """Forbid this process and all below it what a container's profile forbids."""
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    no, missing = pyseccomp.ERRNO(errno.EPERM), pyseccomp.ERRNO(errno.ENOSYS)
    new_user = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)
    rules.add_rule(no, "clone", new_user)
    rules.add_rule(missing, "clone3")
    for name in ("unshare", "mount", "umount2", "pivot_root", "setns", *refused):
        rules.add_rule(missing if name.startswith("landlock") else no, name)
    rules.load()


def main() -> None:
    as_in_a_container(*sys.argv[1:])
    sandbox = PythonSandbox(LIMITS, 1)
    try:
        given = sandbox.run(ASKED, {}, 60, Event())
        assert given.frame is not None
        told = {"isolation": sandbox.pool.isolation, **given.frame.to_pylist()[0]}
    except ToolError as error:
        told = {"refused": error.details.get("reason"), "why": error.message, "hint": error.hint}
    sandbox.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
