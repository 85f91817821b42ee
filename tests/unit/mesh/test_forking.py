"""What a forked process keeps of the one that forked it, and how it ends.

Real processes, since what they inherit is the subject.
"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

from mesh.processes.forking import fork
from mesh.processes.lifeline import parse_ready_line


def _tell_what_is_open(line: socket.socket) -> None:
    # That of the listing itself is closed by the time it is looked at.
    held = [entry for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink()]
    said = {
        "held": {entry.name: str(entry.readlink()) for entry in held},
        "name": Path("/proc/self/comm").read_text(encoding="ascii").strip(),
        "line": str(line.fileno()),
    }
    line.sendall(json.dumps(said).encode() + b"\n")


async def test_it_has_none_of_what_is_open_here_and_a_name_of_its_own(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w"):
        forked = fork("executor", _tell_what_is_open)
    with forked.line as line:
        said = await parse_ready_line(line, "the executor")

    assert said["name"] == "assay-executor"
    assert set(said["held"]) == {"0", "1", "2", said["line"]}
    assert said["held"]["1"] == os.devnull
    assert await forked.wait() == 0


def _fail(line: socket.socket) -> None:
    raise SystemExit(3)


def _wait(line: socket.socket) -> None:
    line.recv(1)


async def test_how_it_ended_is_known_however_it_did() -> None:
    failed, killed, left = fork("failed", _fail), fork("killed", _wait), fork("left", _wait)

    assert await failed.wait() == 1
    killed.kill()
    assert await killed.wait() == await killed.wait() == -9
    left.line.close()  # what whoever forked it leaves behind
    assert await left.wait() == 0
    for each in (failed, killed):
        each.line.close()
