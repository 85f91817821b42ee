"""The first sign of life, and the time a command has taken."""

from __future__ import annotations

import io
import sys

import pytest

from clients.python.cli import began
from clients.python.cli.screen import Screen


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard output and standard error, both one terminal."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


def test_what_is_read_is_told_at_once_and_gives_way_to_the_first_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = at_terminal(monkeypatch)
    screen = Screen()
    began.show_reading(["data/sales.csv"], ["sqlite:///shop.sqlite"])
    assert terminal.getvalue() == "reading sales.csv and the database …"

    screen.line("answer", "42")
    screen.line("proof", "none")

    _, _, after = terminal.getvalue().partition("…")
    assert after.startswith("\r\x1b[K")
    assert after.count("\x1b[K") == 1


def test_many_sources_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    began.show_reading(["a.csv", "b.csv", "c.csv"], [])
    assert terminal.getvalue() == "reading 3 sources …"
    began.clear()


def test_no_file_and_no_program_gets_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    began.show_reading(["a.csv"], [])
    began.clear()
    assert terminal.getvalue() == ""


def test_time_counts_from_the_start_of_the_process() -> None:
    assert began.seconds() > 0
    assert began.seconds() <= began.seconds()
