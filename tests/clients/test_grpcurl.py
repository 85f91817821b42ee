"""grpcurl as docs/clients.md has it: by reflection alone, without a file of the repository."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.clients import CLIENTS, MADE
from tests.busy import allowing
from tests.clients.served import World
from tests.serving import mesh_up

pytestmark = pytest.mark.timeout(600)
PLACE = "localhost:7400"
PLAIN = '-plaintext -H "x-assay-user: local"'


@pytest.fixture(scope="module")
def grpcurl() -> str:
    found = shutil.which("grpcurl", path=str(MADE)) or shutil.which("grpcurl")
    if found is None:
        pytest.skip("there is no grpcurl here; `make tools` builds it where Go is")
    return found


def commands() -> list[str]:
    """What the page says to type."""
    page = (CLIENTS.parent / "docs/clients.md").read_text(encoding="utf-8")
    block = page.split("## grpcurl")[1].split("```sh\n")[1].split("```")[0]
    return block.replace("\\\n", " ").strip().splitlines()


def ran(grpcurl: str, command: str, address: str) -> tuple[int, str]:
    """Run a command of the page with a server's address in place of the page's."""
    words = shlex.split(command.replace(PLACE, f"localhost:{address.rpartition(':')[2]}"))
    done = subprocess.run(
        [grpcurl, *words[1:]],
        capture_output=True,
        text=True,
        timeout=allowing(60),
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def secured(command: str, world: World, token: str) -> str:
    """A command with what the page says that TLS and a token take."""
    secure = f"-cacert {world.settings['authority']} -H 'authorization: Bearer {token}'"
    return command.replace(PLAIN, secure).replace("-plaintext", secure)


def worked(told: list[tuple[int, str]]) -> None:
    """Hold what the page's commands printed against what they are for."""
    listed, jobs, session = told
    assert listed[0] == 0 and "assay.gateway.v1.JobService" in listed[1], listed
    assert jobs == (0, "{}\n")
    assert session[0] == 0 and re.search(r'"title": "by hand"', session[1]), session


def test_what_the_page_says_works_as_it_stands(grpcurl: str, tmp_path: Path) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}

    with mesh_up(tmp_path, ours) as address:
        worked([ran(grpcurl, command, address) for command in commands()])


def test_it_works_with_tls_and_a_token(grpcurl: str, world: World) -> None:
    token = world.settings_for("typing")["tokens"]["analyst"]

    worked(
        [
            ran(grpcurl, secured(command, world, token), world.server.address)
            for command in commands()
        ]
    )


def test_a_refusal_tells_its_reason(grpcurl: str, world: World) -> None:
    code, told = ran(grpcurl, secured(commands()[1], world, "wrong"), world.server.address)

    assert code != 0
    assert "Unauthenticated" in told and "TOKEN_REFUSED" in told
