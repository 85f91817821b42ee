"""Whoever types at a prompt can stop at once, and finds the terminal as it was."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios

from tests.busy import allowing

STOPPED = 130
PROGRAM = f"""
import asyncio, os, signal
from clients.python.cli.lines import Lines

async def main():
    task = asyncio.current_task()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
    lines = Lines("ready> ")
    while (said := await lines.next()) is not None:
        print(f"said {{said}}", flush=True)

try:
    asyncio.run(main())
except asyncio.CancelledError:
    raise SystemExit({STOPPED})
"""


def seen(terminal: int, wanted: str) -> str:
    """What the terminal shows up to the words that are wanted."""
    shown = ""
    while wanted not in shown:
        shown += os.read(terminal, 4_096).decode()
    return shown


def test_ctrl_c_at_the_prompt_ends_the_wait_and_leaves_the_terminal_as_it_was() -> None:
    terminal, side = pty.openpty()
    before = termios.tcgetattr(side)
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=side, stdout=side, stderr=side,
        start_new_session=True, preexec_fn=lambda: os.close(terminal),
    )  # fmt: skip
    try:
        seen(terminal, "ready> ")
        os.write(terminal, b"first\n")
        seen(terminal, "said first")
        seen(terminal, "ready> ")
        os.write(terminal, b"half a li")
        seen(terminal, "half a li")

        os.kill(program.pid, 2)

        assert program.wait(allowing(30)) == STOPPED
        assert termios.tcgetattr(side) == before
    finally:
        program.kill()
        program.wait()
        os.close(terminal)
        os.close(side)
