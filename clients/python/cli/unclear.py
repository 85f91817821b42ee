"""A question back to the person: shown, and answered where somebody can."""

from __future__ import annotations

import asyncio
import os
import sys

from rich.text import Text

from assay.common.v1.job_pb2 import Clarification, Job
from clients.python.cli.screen import LABEL_WIDTH, Screen
from clients.python.cli.words import listed, short_id


def show_unclear(screen: Screen, clarification: Clarification, hint: str = "") -> None:
    """Print what is unclear with its readings, numbered, and below them how to go on."""
    lines = [readings(clarification)]
    if hint:
        lines.append(Text(hint, "dim"))
    screen.row("unclear", Text("\n").join(lines))


def readings(clarification: Clarification) -> Text:
    """What is unclear and how it can be read, numbered, a line each."""
    lines = [Text(clarification.question)]
    for option in clarification.options:
        glimpse = (f"  → {option.glimpse}", "dim") if option.glimpse else ""
        lines.append(Text.assemble((f"  {option.option_id}  ", "bold cyan"), option.text, glimpse))
    return Text("\n").join(lines)


def answering(job: Job) -> str:
    """How to answer a job that waits."""
    choice = listed(_numbers(job.clarification), "or") if job.clarification.options else "…"
    command = f"assay answer {short_id(job.job_id)} {choice}"
    return f"answer now or later with {command}, or ask again with --assume"


def asking_again(clarification: Clarification) -> str:
    """How to settle what is unclear when asking."""
    numbers = _numbers(clarification)
    choose = f"with --choose {listed(numbers, 'or')}, or " if numbers else ""
    return f"ask {choose}with --assume for the likeliest"


async def typed_reply(screen: Screen, clarification: Clarification) -> str:
    """The person's choice from the terminal, by number or in words of their own; "" at the end of
    the input."""
    numbers = _numbers(clarification)
    prompt = f"answer with {listed(numbers, 'or')}: " if numbers else "answer: "
    keyboard = _Keyboard()
    while True:
        screen.out.print(" " * LABEL_WIDTH + prompt, end="", style="bold")
        reply = await keyboard.line()
        if reply is None:
            return ""
        if reply in numbers or (reply and not reply.isdigit()):
            return reply


def as_reply(clarification: Clarification, reply: str) -> dict[str, str]:
    """A reply as the client sends it: an option's id where it is one, else its text."""
    return {"option_id" if reply in _numbers(clarification) else "text": reply}


def _numbers(clarification: Clarification) -> list[str]:
    return [option.option_id for option in clarification.options]


class _Keyboard:
    """Lines of standard input, read without a thread that would outlive Ctrl-C."""

    def __init__(self) -> None:
        self._typed = b""
        self._ended = False

    async def line(self) -> str | None:
        """The next line; None at the end of the input."""
        while b"\n" not in self._typed:
            if self._ended:
                return None
            await self._more()
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode(errors="replace").strip()

    async def _more(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        descriptor = sys.stdin.fileno()
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
        piece = os.read(descriptor, 4096)
        self._typed += piece
        self._ended = not piece
