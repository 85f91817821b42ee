"""Where a command prints: labelled rows for people, or one JSON object for machines."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from clients.python.cli import began
from clients.python.cli.harmless import HarmlessConsole, harmless_text, one_line
from clients.python.cli.hints import remedy
from mesh.errors import (
    EXIT_CODES,
    INVALID_ARGUMENT,
    TOOL_ARGUMENTS_INVALID,
    AssayError,
    ExitCode,
)
from mesh.text.harmless import harmless, harmless_json, harmless_line

LABEL_WIDTH = 12
_ERROR_WIDTH = 8
PLAIN_WIDTH = 110
"""Columns when the output is no terminal and COLUMNS does not say."""


class Screen:
    """Output of one command.

    Results go to `out`, errors and remarks to `err`; in JSON mode `out` gets exactly one object,
    also when the command fails. Colours and live changes appear on terminals only. Nothing that
    is printed here commands the terminal, wherever it came from (`mesh.text.harmless`).
    """

    def __init__(self, *, as_json: bool = False, out: Console | None = None) -> None:
        self.as_json = as_json
        self._out = out or _console(sys.stdout)
        self._err = out or _console(sys.stderr)

    @property
    def out(self) -> Console:
        """Where results go; whoever asks is about to print, and gets a line of its own."""
        began.clear()
        return self._out

    @property
    def err(self) -> Console:
        """Where errors and remarks go; as `out`."""
        began.clear()
        return self._err

    def seconds(self) -> float:
        """Since the command was started."""
        return began.seconds()

    @property
    def live(self) -> bool:
        """Whether lines can change in place."""
        return self._out.is_terminal and not self.as_json

    def row(self, label: str, content: RenderableType, style: str = "") -> None:
        """Print content beside its label."""
        if not self.as_json:
            self.show(labelled(label, content, style))

    def show(self, content: RenderableType) -> None:
        """Print to where results go."""
        _print(self.out, content)

    def line(self, label: str, text: str | Text) -> None:
        """Print one line beside its label, never wrapped or cut: a path, or a line for grep."""
        if not self.as_json:
            shown = Text(label.ljust(LABEL_WIDTH), "bold").append(one_line(text))
            self.out.print(shown, soft_wrap=True)

    def space(self) -> None:
        """Print an empty line."""
        if not self.as_json:
            self.out.print()

    def remark(self, text: str) -> None:
        """Tell a person something that is no result."""
        shown = harmless_line(text)
        self.err.print(shown, style="dim", markup=False, highlight=False, soft_wrap=True)

    def object(self, value: dict[str, Any], *, indent: int | None = 2) -> None:
        """Print the one object of JSON mode; without `indent`, as one of several lines."""
        written = json.dumps(value, ensure_ascii=False, indent=indent)
        self.out.file.write(harmless_json(written) + "\n")

    def copied(self, text: str) -> None:
        """Print text to where results go as it is, with its own line breaks."""
        self.out.file.write(harmless(text))

    def error(self, error: AssayError, job_id: str = "") -> ExitCode:
        """Print an error; the exit code that goes with it."""
        code = EXIT_CODES[error.reason.kind]
        if self.as_json:
            self.object({"job": job_id or None, "error": error_object(error), "exit_code": code})
            return code
        texts = [
            f"{error.reason.code}   {sentence(error.message)}",
            *map(sentence, _further(error)),
        ]
        indent = " " * _ERROR_WIDTH
        lines = [line for text in texts for line in _wrapped(text, self.err.width - _ERROR_WIDTH)]
        shown = Text("error".ljust(_ERROR_WIDTH) + f"\n{indent}".join(lines))
        shown.stylize("bold red", 0, _ERROR_WIDTH)
        shown.stylize("bold", _ERROR_WIDTH, _ERROR_WIDTH + len(error.reason.code))
        self.err.print(shown, soft_wrap=True)
        return code


class Parts:
    """Short pieces of one line, parted by dots; broken only between pieces."""

    def __init__(self, parts: Iterable[str], style: str = "") -> None:
        self._parts = list(parts)
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As many pieces a line as fit."""
        line = ""
        for part in self._parts:
            longer = f"{line} · {part}" if line else part
            if line and len(longer) > options.max_width:
                yield Text(line, self._style)
                longer = part
            line = longer
        yield Text(line, self._style)


def labelled(label: str, content: RenderableType, style: str = "") -> Table:
    """Content in a column of its own, right of its label."""
    grid = Table.grid(padding=0)
    grid.add_column(width=LABEL_WIDTH, no_wrap=True, style="bold")
    grid.add_column()
    if isinstance(content, str):
        content = Text(harmless(content), style)
    elif isinstance(content, Text):  # before the grid measures it
        content = harmless_text(content)
    grid.add_row(Text(label), content)
    return grid


def error_object(error: AssayError) -> dict[str, Any]:
    """An error for machines."""
    return {
        "reason": error.reason.code,
        "kind": error.reason.kind.value,
        "message": error.message,
        "hint": remedy(error),
        "fields": error.fields,
    }


def sentence(text: str) -> str:
    """Text that ends as a sentence does."""
    return text if not text or text[-1] in ".!?…)" else f"{text}."


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of whole words: a path or an address stays in one piece, to be copied."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _further(error: AssayError) -> list[str]:
    """What follows the first line: the fields, where the reason leaves it to them; what to do."""
    if error.reason in (INVALID_ARGUMENT, TOOL_ARGUMENTS_INVALID):
        wording = error.message.rstrip(".")
        fields = [
            f"{name}: {text}"
            for name, text in error.fields.items()
            if text.rstrip(".") not in wording
        ]
        # The reasons' own remedy is to see the fields: they are here, or there are none.
        particular = error.hint and error.hint != error.reason.remedy
        return [*fields, error.hint] if particular else fields
    return [remedy(error)]


def _print(console: Console, content: RenderableType) -> None:
    """Print; to files without the blanks that fill lines up on terminals."""
    if console.is_terminal:
        console.print(content)
        return
    with console.capture() as captured:
        console.print(content)
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def _console(file: IO[str]) -> Console:
    width = None
    if not file.isatty() and "COLUMNS" not in os.environ:
        width = PLAIN_WIDTH
    return HarmlessConsole(file=file, width=width, highlight=False, markup=False, emoji=False)
