"""Every client performs the script of clients/conformance against one mesh, as a stranger to it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scripts import clients
from tests.busy import allowing
from tests.clients.running import perform
from tests.clients.served import World, served

LANGUAGES = ("go", "typescript", "java")
built = cache(clients.build)
pytestmark = pytest.mark.timeout(2_000)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, served(Path(folder)) as made:
        yield made


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    if tool := clients.missing(chosen):
        pytest.skip(f"there is no {tool} here, which the client in {chosen} is built with")
    return chosen


def test_python_does_as_the_script_says(world: World, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "clients.conformance.runner"]

    assert perform(command, world, tmp_path, "python") == []


def test_another_language_does_as_the_script_says(
    language: str, world: World, tmp_path: Path
) -> None:
    assert perform(built(language), world, tmp_path, language) == []


def test_the_example_shows_answer_table_and_verification(language: str, world: World) -> None:
    runner = built(language)
    folder = clients.CLIENTS / language
    example = {
        "go": [str(clients.MADE / "ask")],
        "typescript": ["node", str(folder / "dist/examples/ask.js")],
        "java": [*runner[:-1], "internal.assay.examples.Ask"],
    }[language]
    settings = world.settings_for(f"example-{language}")
    orders = f"{settings['fixtures']}/orders.csv"

    done = subprocess.run(
        [*example, settings["targets"]["direct"], orders, "total quantity by region"],
        capture_output=True,
        text=True,
        timeout=allowing(120),
        check=False,
        env={
            **os.environ,
            "ASSAY_TOKEN": settings["tokens"]["analyst"],
            "ASSAY_SERVER_AUTHORITY": settings["authority"],
        },
    )

    assert done.returncode == 0, done.stderr
    assert "North led with 12" in done.stdout or "North" in done.stdout.split("answer")[1]
    for shown in ("understood", "South", "chain", "unbroken", "claims"):
        assert shown in done.stdout
