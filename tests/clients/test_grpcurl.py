"""grpcurl as docs/clients.md has it: by reflection alone, without a file of the repository."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.clients import CLIENTS, MADE
from tests.busy import allowing
from tests.clients.served import World, served

pytestmark = pytest.mark.timeout(600)
PLACE = "localhost:7400"


@pytest.fixture(scope="module")
def grpcurl() -> str:
    found = shutil.which("grpcurl", path=str(MADE)) or shutil.which("grpcurl")
    if found is None:
        pytest.skip("there is no grpcurl here; `make tools` builds it where Go is")
    return found


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, served(Path(folder)) as made:
        yield made


def commands() -> list[str]:
    """What the page says to type."""
    page = (CLIENTS.parent / "docs/clients.md").read_text(encoding="utf-8")
    block = page.split("## grpcurl")[1].split("```sh\n")[1].split("```")[0]
    return block.replace("\\\n", " ").strip().splitlines()


def ran(grpcurl: str, world: World, command: str, token: str) -> tuple[int, str]:
    """Run a command of the page against a server with TLS, with what the page says that takes."""
    secure = f"-cacert {world.settings['authority']} -H 'authorization: Bearer {token}'"
    words = shlex.split(command.replace("-plaintext", secure).replace(PLACE, world.server.address))
    done = subprocess.run(
        [grpcurl, *words[1:]],
        capture_output=True,
        text=True,
        timeout=allowing(60),
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_what_the_page_says_works(grpcurl: str, world: World) -> None:
    token = world.settings_for("typing")["tokens"]["analyst"]

    listed, jobs, session = (ran(grpcurl, world, command, token) for command in commands())

    assert listed[0] == 0 and "assay.gateway.v1.JobService" in listed[1], listed
    assert jobs == (0, "{}\n")
    assert session[0] == 0 and re.search(r'"title": "by hand"', session[1]), session


def test_a_refusal_tells_its_reason(grpcurl: str, world: World) -> None:
    code, told = ran(grpcurl, world, commands()[1], "wrong")

    assert code != 0
    assert "Unauthenticated" in told and "TOKEN_REFUSED" in told
