"""Processes that an executor starts for queries and files, forked where they were imported already.

Each mesh of a test starts two, and would import DuckDB and Arrow in both, which takes most of a
second of processor. They are processes of their own all the same, with the same lines to whoever
started them. How they begin from nothing is seen by tests/engines/test_query_processes.py, by the
image and by the commands that tests start whole.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

VARIABLE = "ASSAY_TEST_CHILDREN"
"""Names the socket of the process that forks them, for processes that tests begin; WHOLE begins
them from nothing."""
WHOLE = "0"

FORKED = (
    "services.executor.engines.duckdb.query_process",
    "services.executor.sources.disposable.fork_server",
)
IMPORTED = (*FORKED, "services.executor.sources.reading")
_LINE = "3"
POPEN = subprocess.Popen


class _Popen(POPEN):  # type: ignore[type-arg]
    """Begins those programs by a fork, any other as ever."""

    def __new__(cls, args: Any, *rest: Any, **more: Any) -> Any:
        """A `Forked` is none of this class, and so is not begun again."""
        whole = os.environ.get(VARIABLE) == WHOLE
        if not whole and _is_forked(args) and len(more.get("pass_fds", ())) == 1:
            return _forked(args, more["pass_fds"][0], more["env"])
        return super().__new__(cls)


def _is_forked(args: Any) -> bool:
    return not isinstance(args, str | bytes | os.PathLike) and list(args)[1:3] in (
        ["-m", module] for module in FORKED
    )


def _forked(args: Sequence[str], line: int, environment: dict[str, str]) -> Any:
    from tests.forked import Forked, forking

    forker = os.environ.get(VARIABLE) or forking(IMPORTED)
    arguments = [_LINE if each == str(line) else each for each in args[3:]]
    with Path(os.devnull).open("w") as nothing:
        return Forked(args[2], arguments, environment, nothing, forker, line)


def fork_children() -> None:
    """From now on this process has them forked."""
    subprocess.Popen = _Popen  # type: ignore[misc]
