"""`assay token`: a key that is made on a server's machine lets a program in from elsewhere."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.serving import Ran, mesh_up, ran_here


@dataclass
class Server:
    """`assay up` with tokens required, and commands beside it."""

    home: Path
    address: str

    def run(self, *arguments: str, local: bool = False, token: str = "") -> Ran:
        there = [] if local else ["--server", self.address]
        given = {"ASSAY_TOKEN": token} if token else {}
        return ran_here([*arguments, *there], {**surroundings(self.home), **given})


def surroundings(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    return {**kept, "ASSAY_HOME": str(home), "COLUMNS": "120", "ASSAY_GATEWAY_AUTH": "tokens"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        home = Path(folder)
        with mesh_up(home, surroundings(home)) as address:
            yield Server(home, address)


def test_a_key_is_made_used_listed_and_revoked(server: Server, tmp_path: Path) -> None:
    refused = server.run("jobs")
    assert refused.code == 3
    assert "TOKEN_REQUIRED" in refused.err and "--token-file" in refused.err

    made = server.run("token", "create", "ann", "--role", "analyst", "--json", local=True)
    assert made.code == 0, made.err
    token, key = made.json["token"], made.json["key"]
    assert token.startswith(f"assay_{key}_")

    assert server.run("jobs", token=token).code == 0
    kept = tmp_path / "token"
    kept.write_text(token + "\n")
    by_file = server.run("--token-file", str(kept), "jobs", token="wrong")
    assert by_file.code == 0, by_file.err
    kept.write_text("two words")
    for place in (str(kept), str(tmp_path / "missing")):
        assert server.run("--token-file", place, "jobs").code == 2

    no_operator = server.run("token", "list", token=token)
    assert no_operator.code == 3 and "this needs the role operator" in no_operator.err

    listed = server.run("token", "list", local=True)
    assert key in listed.out and "ann · analyst · tenant local" in listed.out
    assert token not in listed.out

    assert server.run("token", "revoke", key, local=True).out.startswith("revoked")
    again = server.run("jobs", token=token)
    assert again.code == 3 and "TOKEN_REFUSED" in again.err
    assert token not in again.err
    assert "revoked" in server.run("token", "list", local=True).out


def keys(listed: Ran) -> set[str]:
    return {token["key"] for token in listed.json["tokens"]}


def test_a_token_of_an_operator_manages_its_tenants_keys_from_elsewhere(server: Server) -> None:
    options = ("--role", "operator", "--tenant", "acme", "--json")
    boss = server.run("token", "create", "boss", *options, local=True).json["token"]
    made = server.run("token", "create", "ann", "--json", token=boss)
    assert (made.json["tenant"], made.json["role"]) == ("acme", "reader")
    acmes = keys(server.run("token", "list", "--json", token=boss))
    assert len(acmes) == 2 and made.json["key"] in acmes
    assert not acmes & keys(server.run("token", "list", "--json", local=True))
    assert server.run("token", "revoke", made.json["key"], local=True).code == 2
    assert server.run("token", "revoke", made.json["key"], token=boss).code == 0


@pytest.mark.parametrize(
    "wrong",
    [("ann", "--role", "boss"), ("ann", "--days", "0"), ("ann", "--days", "400"), ("a,b",)],
)
def test_wrong_use_is_said(server: Server, wrong: tuple[str, ...]) -> None:
    ran = server.run("token", "create", *wrong, local=True)
    assert ran.code == 2 and "INVALID_ARGUMENT" in ran.err
