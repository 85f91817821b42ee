"""A command is the root of what is done for it: by the home's mesh, and by a server elsewhere.

Each command is a process of its own: what is asked is that two processes tell one tree.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clients.python.owning import read_owner
from tests.busy import allowing
from tests.commands import command as prepared
from tests.mesh.otlp import receiving

CREATE = "assay.gateway.v1.JobService/CreateJob"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    file = tmp_path / "sales.csv"
    file.write_text("region,amount\nWest,1\nEast,4\nWest,7\n")
    return file


@pytest.fixture
def server(home: Path) -> str:
    """The home's mesh, as one that a command elsewhere names."""
    owner = read_owner(home)
    assert owner is not None
    return owner.target


def ran(home: Path, *arguments: object, lines: str = "", **extra: str) -> list[Any]:
    """What a command with that home printed, each an object."""
    done = subprocess.run(
        [*prepared(), *map(str, arguments), "--json"],
        input=lines,
        capture_output=True,
        text=True,
        timeout=allowing(200),
        check=False,
        env={**os.environ, "ASSAY_HOME": str(home), **extra},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr, done.stderr
    decoder, text, found = json.JSONDecoder(), done.stdout.strip(), []
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:].strip()
    return found


def root_of(trace: dict[str, Any], name: str) -> tuple[str, str]:
    """Service and name of the uppermost span above the gateway's own of that name."""
    known = {span["span_id"]: span for span in trace["spans"]}
    (span,) = [s for s in trace["spans"] if s["name"] == name and s["service"] == "gateway"]
    while (above := known.get(span.get("parent_span_id", ""))) is not None:
        span = above
    assert not span.get("parent_span_id"), f"{span['name']} has a parent that nobody told"
    return span["service"], span["name"]


@pytest.mark.parametrize(
    ("place", "command", "asked"),
    [
        ("home", "ask", "total amount by region"),
        ("server", "sql", "select sum(amount) from sales"),
    ],
)
def test_a_command_is_the_root_of_its_job(
    home: Path, sales: Path, server: str, tmp_path: Path, place: str, command: str, asked: str
) -> None:
    where = ("--server", server) if place == "server" else ()
    mine = tmp_path / "mine" if place == "server" else home
    (told,) = ran(mine, command, asked, "--data", sales, *where)
    (trace,) = ran(mine, "trace", told["job"], *where)

    assert root_of(trace, CREATE) == ("client", f"assay {command}")
    assert trace["not_here"] == []


def test_each_turn_of_a_conversation_is_one(
    home: Path, sales: Path, server: str, tmp_path: Path
) -> None:
    mine, where = tmp_path / "mine", ("--server", server)
    lines = "total amount by region\naverage amount\n"
    turns = ran(mine, "chat", "--data", sales, *where, lines=lines)
    jobs = [turn["job"] for turn in turns]
    traces = [ran(mine, "trace", job, *where)[0] for job in jobs]

    assert len({trace["trace_id"] for trace in traces}) == 2
    for trace in traces:
        roots = [span["name"] for span in trace["spans"] if not span.get("parent_span_id")]
        assert roots == ["assay chat"]


def test_who_has_nowhere_to_keep_anything_is_answered_all_the_same(
    sales: Path, server: str, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    (told,) = ran(blocked / "home", "ask", "total amount", "--data", sales, "--server", server)

    assert told["state"] == "completed"


async def test_a_collector_has_it_as_the_parent_of_the_gateways(
    sales: Path, server: str, tmp_path: Path
) -> None:
    async with receiving() as (collected, endpoint):
        extra = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_INSECURE": "true"}
        asked = ("ask", "total amount", "--data", sales, "--server", server)
        (told,) = await asyncio.to_thread(ran, tmp_path / "mine", *asked, **extra)
    (trace,) = await asyncio.to_thread(
        ran, tmp_path / "mine", "trace", told["job"], "--server", server
    )

    sent = {span.span_id.hex(): (name, span) for name, span in collected.trace(trace["trace_id"])}
    assert {name for name, _ in sent.values()} == {"assay-client"}
    (create,) = [s for s in trace["spans"] if s["name"] == CREATE and s["service"] == "gateway"]
    _, call = sent[create["parent_span_id"]]
    assert call.name == CREATE
    assert sent[call.parent_span_id.hex()][1].name == "assay ask"
