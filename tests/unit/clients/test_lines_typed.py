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


class Screen:
    """What a terminal shows, of which words are awaited one after another."""

    def __init__(self, terminal: int) -> None:
        self._terminal, self._shown = terminal, ""

    def shows(self, wanted: str) -> None:
        """Waits for the words; what came after them with the same read is kept."""
        while wanted not in self._shown:
            self._shown += os.read(self._terminal, 4_096).decode()
        self._shown = self._shown.partition(wanted)[2]


def test_ctrl_c_at_the_prompt_ends_the_wait_and_leaves_the_terminal_as_it_was() -> None:
    terminal, side = pty.openpty()
    before = termios.tcgetattr(side)
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
        preexec_fn=lambda: os.close(terminal),
    )
    screen = Screen(terminal)
    try:
        screen.shows("ready> ")
        os.write(terminal, b"first\n")
        screen.shows("said first")
        screen.shows("ready> ")
        os.write(terminal, b"half a li")
        screen.shows("half a li")

        os.kill(program.pid, 2)

        assert program.wait(allowing(30)) == STOPPED
        assert termios.tcgetattr(side) == before
    finally:
        program.kill()
        program.wait()
        os.close(terminal)
        os.close(side)
