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

from mesh.errors_of_access import TOKEN_REFUSED
from scripts import clients
from tests.busy import allowing
from tests.clients.running import perform
from tests.clients.served import World, served
from tests.serving import COMMAND, mesh_up

LANGUAGES = ("go", "typescript", "java")
built = cache(clients.build)
OURS = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
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


def ask(language: str, server: str, world: World, **given: str) -> subprocess.CompletedProcess[str]:
    """What a client's example does with a file of ours at a server, and settings that are given."""
    runner = built(language)
    folder = clients.CLIENTS / language
    example = {
        "go": [str(clients.MADE / "ask")],
        "typescript": ["node", str(folder / "dist/examples/ask.js")],
        "java": [*runner[:-1], "internal.assay.examples.Ask"],
    }[language]
    orders = f"{world.settings['fixtures']}/orders.csv"
    return subprocess.run(
        [*example, server, orders, "total quantity by region"],
        capture_output=True,
        text=True,
        timeout=allowing(120),
        check=False,
        env={**OURS, **given},
    )


def test_the_example_shows_answer_table_and_verification(language: str, world: World) -> None:
    name = f"localhost:{world.server.address.rpartition(':')[2]}"
    settings = world.settings_for(f"example-{language}")

    done = ask(
        language,
        f"https://{name}" if language == "typescript" else f"https://dns:///{name}",
        world,
        ASSAY_TOKEN=settings["tokens"]["analyst"],
        ASSAY_SERVER_AUTHORITY=settings["authority"],
    )

    assert done.returncode == 0, done.stderr
    assert "North led with 12" in done.stdout or "North" in done.stdout.split("answer")[1]
    for shown in ("understood", "South", "chain", "unbroken", "claims"):
        assert shown in done.stdout


def test_the_example_wants_no_token_of_whoever_serves_a_mesh_here(
    language: str, world: World, tmp_path: Path
) -> None:
    with mesh_up(tmp_path, {**OURS, "ASSAY_HOME": str(tmp_path)}) as address:
        done = ask(language, f"localhost:{address.rpartition(':')[2]}", world)
        command = [*COMMAND, "jobs", "--json", "--server", address]
        jobs = subprocess.run(command, capture_output=True, text=True, check=True, env=OURS)

    assert done.returncode == 0, done.stderr
    assert "North" in done.stdout and "unbroken" in done.stdout
    assert "total quantity by region" in jobs.stdout  # to the command it is the same caller's


def test_a_refusal_is_told_in_sentences(language: str, world: World) -> None:
    done = ask(
        language,
        world.settings["targets"]["direct"],
        world,
        ASSAY_TOKEN="wrong",
        ASSAY_SERVER_AUTHORITY=world.settings["authority"],
    )

    assert done.returncode == 1
    assert f"TOKEN_REFUSED: the token is not believed. {TOKEN_REFUSED.remedy}" in done.stderr
