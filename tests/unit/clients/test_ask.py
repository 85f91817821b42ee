"""`assay ask`, from the question to what a person or a machine reads."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import analysis_pb2
from clients.python.cli.asking import ask_question
from clients.python.cli.connection import Place, connected
from clients.python.cli.up import _serve
from clients.python.mcp_server import answers as mcp_answers
from clients.python.question import Question
from mesh.errors import SERVICE_UNAVAILABLE, AssayError, ExitCode
from tests.unit.clients.conftest import Printed
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.script import JOB_ID, plan, understood
from tests.unit.clients.story import ASKED, SALES, STATEMENT, Golden, Install, answered, place


async def test_an_answer_is_shown_with_its_plan_table_files_and_proof(
    here: Path, installed: Install, golden: Golden
) -> None:
    gateway, _ = answered(here, SALES, ["3 rows without a date were left out"])
    installed(gateway)
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.ANSWERED
    golden("ask.txt", screen.text)


async def test_on_a_terminal_the_plan_ends_as_it_would_be_printed(
    here: Path, installed: Install, golden: Golden
) -> None:
    gateway, _ = answered(here, SALES)
    installed(gateway)
    screen = Printed(terminal=True)
    assert await ask_question(screen, place(here), ASKED) == ExitCode.ANSWERED
    last_frame = screen.text.rpartition("\x1b[2K")[2]
    golden("ask_terminal.txt", "\n".join(line.rstrip() for line in last_frame.splitlines()))


async def test_for_machines_the_same_facts_are_one_object(here: Path, installed: Install) -> None:
    gateway, answer = answered(here, SALES)
    installed(gateway)
    screen = Printed(as_json=True)
    assert await ask_question(screen, place(here), ASKED) == ExitCode.ANSWERED
    told = json.loads(screen.text)
    assert told["job"] == JOB_ID
    assert told["answer"]["text"] == answer.text
    assert told["table"]["records"][2] == {
        "month": "1997-03",
        "Beverages": None,
        "orders": 30,
        "year": 1997,
    }
    assert [item["type"] for item in told["artifacts"]] == ["chart", "report", "table"]
    assert all(Path(item["path"]).is_relative_to(here) for item in told["artifacts"])
    assert told["proof"]["ok"] and told["proof"]["entries"] == 21
    assert [item["state"] for item in told["steps"]] == ["done", "done", "done"]


@pytest.fixture
def audit_away(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Proofs cannot be checked now; whether each was to be told at once."""
    asked: list[bool] = []

    async def away(self: object, request: Any, context: object) -> None:
        asked.append(request.at_once)
        raise AssayError(SERVICE_UNAVAILABLE, "the audit service cannot be reached")

    monkeypatch.setattr(FakeGateway, "VerifyJob", away)
    return asked


async def test_an_answer_whose_proof_cannot_be_checked_now_is_shown(
    here: Path, installed: Install, audit_away: list[bool]
) -> None:
    gateway, answer = answered(here, SALES)
    installed(gateway)
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.UNAVAILABLE
    assert answer.text[:20] in screen.text
    assert "not checked: the audit service cannot be reached" in screen.text
    assert audit_away and all(audit_away)


async def test_machines_are_told_that_a_proof_could_not_be_checked(
    here: Path, installed: Install, audit_away: list[bool]
) -> None:
    gateway, answer = answered(here, SALES)
    installed(gateway)
    screen = Printed(as_json=True)
    assert await ask_question(screen, place(here), ASKED) == ExitCode.UNAVAILABLE
    told = json.loads(screen.text)
    assert told["answer"]["text"] == answer.text
    assert (told["proof"], told["not_checked"]) == (None, "the audit service cannot be reached")


async def test_a_model_is_told_first_that_a_proof_could_not_be_checked(
    here: Path, installed: Install, audit_away: list[bool]
) -> None:
    gateway, answer = answered(here, SALES)
    installed(gateway)
    async with connected(place(here), Printed()) as client:
        told = await mcp_answers.build_answer(client, await client.get_job(JOB_ID), here)
    assert (told.answer, told.proof) == (answer.text, None)
    assert told.doubts[0] == "the proof is not checked: the audit service cannot be reached"


async def test_a_local_file_is_named_by_its_absolute_path(here: Path, installed: Install) -> None:
    gateway, _ = answered(here, SALES)
    installed(gateway)
    question = Question("revenue", data=("orders.csv",), databases=("sqlite:///shop.sqlite",))
    await ask_question(Printed(), place(here), question)
    file, database = gateway.requests[0].data_sources
    assert file.file_path == str(here / "orders.csv")
    assert database.connection_string == f"sqlite:///{here}/shop.sqlite"


async def test_a_server_elsewhere_gets_the_files_and_gives_the_artifacts(
    here: Path, golden: Golden
) -> None:
    gateway, _ = answered(here / "server", SALES)
    folder = here / "data"
    folder.mkdir()
    (folder / "orders.csv").write_bytes(b"a,b\n1,2\n")
    (folder / "notes.md").write_bytes(b"no data")
    screen = Printed()
    async with gateway.serving(here) as target:
        question = Question("revenue", data=("data",))
        code = await ask_question(screen, Place(here / "home", target, "ann"), question)
    assert code == ExitCode.ANSWERED
    assert gateway.users == ["ann"]
    assert gateway.uploads == {"orders.csv": b"a,b\n1,2\n"}
    (source,) = gateway.requests[0].data_sources
    assert source.file_id and source.name == "orders.csv" and not source.file_path
    assert gateway.session_ids[0]
    assert (here / "assay-7c1e5a0b" / "report.md").read_bytes() == b"# Revenue\n"
    golden("ask_remote.txt", screen.text)


async def test_a_broken_stream_is_taken_up_where_it_broke(here: Path, installed: Install) -> None:
    gateway, _ = answered(here, SALES)
    gateway.breaks = {3, 7}
    installed(gateway)
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.ANSWERED
    assert gateway.watched_from == [0, 3, 7]
    assert screen.text.count("sql.run") == 1


async def test_a_dry_run_shows_the_plan_and_makes_no_job(
    here: Path, installed: Install, golden: Golden
) -> None:
    gateway = FakeGateway()
    gateway.planned.understood = understood("revenue by month").understood
    gateway.planned.plan.CopyFrom(plan(("load", "sql.run"), ("chart", "plot.render")).plan)
    gateway.planned.plan.subtasks[0].statement.CopyFrom(STATEMENT)
    installed(gateway)
    screen = Printed()
    code = await ask_question(screen, place(here), ASKED, plan_only=True)
    assert code == ExitCode.ANSWERED
    assert not gateway.users
    golden("ask_plan.txt", screen.text)


async def test_a_question_beside_this_user_s_own_server_names_its_files(
    here: Path, installed: Install
) -> None:
    gateway, _ = answered(here / "home" / "artifacts", SALES)
    installed(gateway)
    (here / "orders.csv").write_bytes(b"a\n1\n")
    server = Printed()
    up = asyncio.create_task(_serve(server, here / "home", "127.0.0.1:0", ""))
    await server.printed("Ctrl-C")
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.ANSWERED
    up.cancel()
    assert await up == ExitCode.ANSWERED
    assert gateway.uploads == {}
    assert gateway.requests[0].data_sources[0].file_path == str(here / "orders.csv")
    assert "home/artifacts/report.md" in screen.text
    assert server.text.splitlines()[0].startswith("listening   127.0.0.1:7400 · home home · pid ")
    assert server.text.splitlines()[-1] == "stopped"


async def test_a_table_that_is_not_wanted_is_not_shown(here: Path, installed: Install) -> None:
    gateway, _ = answered(here, SALES)
    installed(gateway)
    screen = Printed()
    question = Question("revenue by month", data=("a.csv",), deliverables=("summary,chart",))
    assert await ask_question(screen, place(here), question) == ExitCode.ANSWERED
    assert "1997-01" not in screen.text


async def test_what_changes_the_reading_stands_above_the_answer_and_how_sure_it_is_beside(
    here: Path, installed: Install
) -> None:
    caveats = (
        "left out as not understood: roughly",
        "Found in an even sample of 10 of 99 rows; counts are of the sample.",
        "3 rows without a date were left out",
    )
    gateway, answer = answered(here, SALES, caveats)
    answer.confidence = analysis_pb2.CONFIDENCE_MEDIUM
    gateway.events[-2].answer.CopyFrom(answer)
    installed(gateway)
    screen = Printed()
    await ask_question(screen, place(here), ASKED)
    labels = [line[:12].rstrip() for line in screen.text.splitlines() if line[:1].strip()]
    begin = labels.index("left out")
    assert labels[begin:] == [
        "left out",
        "note",
        "answer",
        "confidence",
        "note",
        "files",
        "proof",
    ]
    assert "left out    roughly\n" in screen.text
    assert "confidence  likely\n" in screen.text
