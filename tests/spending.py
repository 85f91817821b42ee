"""How much of the processor each test takes, with all that it starts: who spends is named.

A test that takes more than MOST_SECONDS stands in tests/costly.toml with its reason; others that do
are told after the run. Nothing fails by it: how long a test takes depends on the machine.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

MOST_SECONDS = 5.0
COSTLY = Path(__file__).with_name("costly.toml")
_PROPERTY = "processor seconds"
_TICKS = os.sysconf("SC_CLK_TCK")
_BEGAN = pytest.StashKey[float]()


def costly() -> dict[str, str]:
    """Beginnings of tests' names below tests/, each with the reason why they may take long."""
    return dict(tomllib.loads(COSTLY.read_text(encoding="utf-8")))


def taken(pid: int) -> float:
    """Seconds of processor of a process, of those below it, and of those that ended; proc(5)."""
    with suppress(OSError, IndexError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        below = 0.0
        for listing in Path(f"/proc/{pid}/task").glob("*/children"):
            below += sum(taken(int(child)) for child in listing.read_text().split())
        return sum(map(int, fields[11:15])) / _TICKS + below
    return 0.0


class Spending:
    """A plugin that tells of those that are not named."""

    def __init__(self) -> None:
        self._named = tuple(costly())
        self._spent: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        """Note where it begins, before what it needs is set up."""
        item.stash[_BEGAN] = taken(os.getpid())
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Say in the report of its end what it took."""
        report = yield
        if call.when == "teardown" and _BEGAN in item.stash:
            seconds = taken(os.getpid()) - item.stash[_BEGAN]
            if seconds > MOST_SECONDS:
                report.user_properties.append((_PROPERTY, round(seconds, 1)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather what all processes that run tests report."""
        for name, value in report.user_properties:
            if name == _PROPERTY:
                self._spent[report.nodeid] = float(str(value))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell of those that are not named, most expensive first."""
        unnamed = {
            name: seconds
            for name, seconds in self._spent.items()
            if not name.removeprefix("tests/").startswith(self._named)
        }
        if unnamed:
            terminalreporter.section(
                f"more than {MOST_SECONDS:g} s of processor, and not in tests/costly.toml"
            )
        for name, seconds in sorted(unnamed.items(), key=lambda item: -item[1]):
            terminalreporter.write_line(f"{seconds:6.1f} s  {name}")
