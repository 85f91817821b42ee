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

from mesh.errors.of_access import TOKEN_REFUSED
from scripts import clients
from tests.busy import allowing
from tests.clients.running import perform
from tests.clients.served import World, served
from tests.commands import command as prepared
from tests.serving import mesh_up
from tests.without import skip_where_unchanged

LANGUAGES = ("go", "typescript", "java")
built = cache(clients.build)
QUESTION = "total quantity by region"
OURS = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
pytestmark = pytest.mark.timeout(2_000)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, served(Path(folder)) as made:
        yield made


@pytest.fixture(scope="module")
def open_to_all() -> Iterator[str]:
    """The address of a mesh that wants no token of whoever is on its machine."""
    with (
        tempfile.TemporaryDirectory(prefix="assay-") as home,
        mesh_up(Path(home), {**OURS, "ASSAY_HOME": home}) as address,
    ):
        yield address


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    skip_where_unchanged("clients")
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
        [*example, server, orders, QUESTION],
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
    language: str, world: World, open_to_all: str
) -> None:
    before = jobs_at(open_to_all)
    done = ask(language, f"localhost:{open_to_all.rpartition(':')[2]}", world)

    assert done.returncode == 0, done.stderr
    assert "North" in done.stdout and "unbroken" in done.stdout
    # To the command it is the same caller's.
    assert jobs_at(open_to_all).count(QUESTION) == before.count(QUESTION) + 1


def jobs_at(address: str) -> str:
    """What `assay jobs` tells of a server."""
    command = [*prepared(), "jobs", "--json", "--server", address]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=OURS).stdout


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
