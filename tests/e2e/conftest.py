"""The `assay` command as a person runs it: a process of its own, and a home with a mesh at work.

A command in any other home starts a mesh for itself, which takes it some seconds.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.busy import allowing
from tests.calibrating import VARIABLE
from tests.commands import command as prepared
from tests.serving import COMMAND, Ran, mesh_up, ran_here
from tests.thorough import THOROUGH

Assay = Callable[..., Ran]


def patient(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """The command with more time than people are given, on a machine that is busy with tests."""
    if arguments[:1] in (("ask",), ("chat",), ("sql",)) and "--timeout" not in arguments:
        return (*arguments, "--timeout", 150)
    return arguments


@pytest.fixture(scope="package")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home that tests share, with its mesh at work."""
    home = tmp_path_factory.mktemp("home")
    seldom = {} if THOROUGH else {VARIABLE: "1"}
    with mesh_up(home, {**os.environ, **seldom}):
        yield home


@pytest.fixture
def new_home(tmp_path: Path) -> Iterator[Path]:
    """A home in which nothing was done yet, with its mesh at work."""
    with mesh_up(tmp_path / "home"):
        yield tmp_path / "home"


@pytest.fixture(scope="package")
def assay(home: Path) -> Assay:
    """Runs `assay` with the home folder that tests share."""

    served = home

    def run(
        *arguments: object,
        home: Path = served,
        seconds: float = 180,
        lines: str = "",
        plain: bool = False,
    ) -> Ran:
        """`plain` is a process that nothing was prepared for, as a person starts it."""
        # In another home it may have to be a mesh itself.
        begun = COMMAND if plain else prepared("command" if home == served else "mesh")
        command = [*begun, *map(str, patient(arguments))]
        done = subprocess.run(
            command,
            input=lines,
            capture_output=True,
            text=True,
            timeout=allowing(seconds),
            check=False,
            env=surroundings(home),
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="package")
def assay_here(home: Path) -> Assay:
    """The same within this process: for tests of what is said, and not of how a process ends."""

    def run(*arguments: object) -> Ran:
        return ran_here(patient(arguments), surroundings(home))

    return run


def surroundings(home: Path) -> dict[str, str]:
    return {**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "100"}


@pytest.fixture(scope="session")
def retailer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example data, freshly generated."""
    from examples.retailer import write_retailer

    folder = tmp_path_factory.mktemp("retailer")
    write_retailer(folder)
    return folder
