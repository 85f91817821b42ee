"""`assay domain` and `assay chat`: questions put to data and to tools of an MCP server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mesh.testing.mcp_server import COMMAND as SERVER
from tests.busy import allowing
from tests.commands import command as prepared
from tests.serving import Ran, mesh_up

pytest.importorskip("mcp")
pytestmark = pytest.mark.timeout(300)

SALES = """sale,product,region,amount
1,Tea,North,10
2,Milk,South,20
3,Tea,North,30
4,Bread,North,40
"""
VISITS = """visit,harbour,region,skipper
1,Kiel,Baltic,Ida
2,Oslo,Skagerrak,Bo
3,Kiel,Baltic,Ida
"""


@dataclass
class Desk:
    """A home with a mesh at work, two sources, and an MCP server that may change, or be gone."""

    folder: Path
    running: ExitStack

    def serve(self, command: tuple[str, ...] = SERVER) -> None:
        """Start the mesh, anew where one runs, with `command` as its MCP server's."""
        self.running.close()
        environment = {"ASSAY_TEST_MCP_STATE": str(self.state)}
        servers = {"warehouse": {"command": command, "environment": environment}}
        surroundings = {
            **os.environ,
            "ASSAY_EMBEDDER": "hashed",
            "ASSAY_EXECUTOR_MCP_SERVERS": json.dumps(servers),
        }
        self.running.enter_context(mesh_up(self.folder / "home", surroundings))

    def run(self, *arguments: object, lines: str = "") -> Ran:
        done = subprocess.run(
            [*prepared(), *map(str, arguments)],
            input=lines,
            capture_output=True,
            text=True,
            timeout=allowing(200),
            check=False,
            env={**os.environ, "ASSAY_HOME": str(self.folder / "home"), "COLUMNS": "200"},
        )
        assert "Traceback" not in done.stdout + done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def said(self, *lines: str) -> list[dict[str, Any]]:
        """A conversation that names no data, one object a turn."""
        done = self.run("chat", "--json", lines="\n".join(lines) + "\n")
        return [json.loads(line) for line in done.out.splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with ExitStack() as running:
        yield furnished(Desk(tmp_path, running))


def furnished(desk: Desk) -> Desk:
    desk.state.write_text("")
    desk.serve()
    for name, text, can in (
        ("trade", SALES, "Total amount by product"),
        ("harbours", VISITS, "Visits of each skipper"),
    ):
        file = desk.folder / f"{name}.csv"
        file.write_text(text)
        assert desk.run("source", "add", name, file).code == 0
        added = desk.run("domain", "add", name, "--source", name, "--can", can)
        assert added.code == 0, added.err
    return desk


def with_stock(desk: Desk) -> None:
    added = desk.run(
        *("domain", "add", "stock", "--mcp", "warehouse", "--tool", "stock_levels"),
        *("--can", "Stock levels: units in stock of products"),
    )
    assert added.code == 0 and "assay domain check stock" in added.out


def test_domains_are_added_shown_disabled_and_removed(desk: Desk) -> None:
    assert desk.run("domain", "add", "both").code == 2
    listed = desk.run("domain", "list")
    assert "trade" in listed.out and "source harbours" in listed.out
    shown = desk.run("domain", "show", "trade", "--json").json
    assert (shown["title"], shown["can"]) == ("Trade", ["Total amount by product"])
    checked = desk.run("domain", "check")
    assert checked.code == 0 and checked.out.count("readable") == 2
    routed = desk.run("domain", "check", "--question", "total amount by product")
    assert "put to trade" in routed.out

    assert "no questions are put to it" in desk.run("domain", "disable", "trade").out
    assert desk.run("domain", "show", "trade", "--json").json["enabled"] is False
    assert desk.run("domain", "enable", "trade").code == 0
    assert desk.run("domain", "remove", "trade").code == 0
    gone = desk.run("domain", "show", "trade")
    assert gone.code != 0 and "there is no domain 'trade'" in gone.err


def test_two_domains_are_joined_and_a_changed_tool_waits_to_be_approved(desk: Desk) -> None:
    with_stock(desk)
    checked = desk.run("domain", "check", "stock")
    assert checked.code == 1 and "not approved" in checked.out
    assert "assay domain approve stock stock_levels" in checked.out
    approved = desk.run("domain", "approve", "stock", "stock_levels")
    assert approved.code == 0 and "stock_levels · approved" in approved.out

    (joined,) = desk.said("total amount by product and units in stock")
    assert sorted(joined["sources"]) == ["stock.stock_levels", "trade.trade"]
    assert "trade and stock are joined by product." in joined["confidence_reasons"]
    proof = desk.run("verify", joined["job"])
    assert proof.code == 0, proof.out + proof.err

    desk.state.write_text("It deletes them now.")
    changed, mended = desk.said(
        "units in stock of each product", "total amount by product and units in stock"
    )
    assert changed["failure"] == "TOOL_NOT_APPROVED"
    assert mended["partial"] and mended["sources"] == ["trade.trade"]
    told = " ".join(mended["confidence_reasons"])
    assert "assay domain approve stock stock_levels" in told
    assert desk.run("domain", "approve", "stock").code == 0
    (again,) = desk.said("units in stock of each product")
    assert again["failure"] is None and "3 rows of stock.stock_levels" in again["answer"]


def test_a_server_that_is_down_leaves_a_partial_answer_that_is_proved(desk: Desk) -> None:
    with_stock(desk)
    desk.run("domain", "approve", "stock")
    desk.serve((sys.executable, "-c", "raise SystemExit(3)"))

    partial, alone = desk.said(
        "total amount by product and units in stock", "units in stock of each product"
    )

    assert partial["partial"] and "trade: " in partial["answer"]
    told = " ".join(partial["confidence_reasons"])
    assert "stock gave no answer: warehouse ended before it had answered" in told
    assert desk.run("verify", partial["job"]).code == 0
    assert alone["failure"] == "TOOL_SERVER_UNREACHABLE"
    shown = desk.run("domain", "check", "stock")
    assert shown.code == 1 and "TOOL_SERVER_UNREACHABLE" in shown.out


def test_what_is_unclear_is_asked_back_chosen_and_gone_on_from(desk: Desk) -> None:
    unclear, chosen, further, strange = desk.said(
        "how many records are there by region?", "the second one", "by product", "who wrote Hamlet?"
    )
    assert unclear["options"] == ["Harbours", "Trade"] and unclear["state"] == "waiting"
    assert chosen["turn"] == "choice" and chosen["sources"] == ["trade.trade"]
    assert "North" in chosen["answer"]
    assert further["edit"] == "as before, but by product instead of by region"
    assert further["sources"] == ["trade.trade"] and "Tea" in further["answer"]
    assert strange["failure"] == "QUESTION_OUT_OF_SCOPE"
    assert "Harbours (Visits of each skipper)" in strange["answer"]
