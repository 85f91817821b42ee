"""The process itself: quick help, exit codes, Ctrl-C, and the question on the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.common.v1 import job_pb2
from clients.python import embedded
from clients.python.cli import main, stopping
from clients.python.cli.unclear import typed_reply
from clients.python.client import AssayClient
from mesh.errors import (
    INVALID_ARGUMENT,
    JOB_FINISHED,
    QUESTION_TOO_LONG,
    AssayError,
    ExitCode,
)
from tests.busy import allowing
from tests.unit.clients.conftest import Printed
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.script import JOB_ID, plan, step

ASSAY = [sys.executable, "-m", "clients.python.cli.main"]


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, clients.python.cli.main; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"grpc", "google.protobuf", "pyarrow", "pandas", "rich", "asyncio", "pydantic"}
    assert heavy & set(ran.stdout.split()) == set()


def test_help_documents_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--help"]) == 0
    shown = capsys.readouterr().out
    for code in ExitCode:
        assert f" {int(code)}  " in shown


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    commands = ("ask", "show", "jobs", "trace", "verify", "export", "witness", "recipes", "tools")
    for command in (*commands, "up", "answer"):
        assert main.run([command, "--help"]) == 0
        assert f"assay {command}" in capsys.readouterr().out


def test_wrong_use_is_a_block_with_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["ask", "x", "--colour"]) == ExitCode.WRONG_USE
    shown = capsys.readouterr()
    assert shown.err.startswith("error   INVALID_ARGUMENT   No such option: --colour")
    assert shown.out == ""


@pytest.mark.parametrize("given", [["total sales", "orders.csv"], ["total", "sales"]])
def test_a_file_or_words_beside_the_question_are_told_where_they_belong(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["ask", *given]) == ExitCode.WRONG_USE
    assert "in quotes. Files follow --data" in capsys.readouterr().err


def test_wrong_use_for_machines_is_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["ask", "x", "--json", "--row-limit", "many"]) == ExitCode.WRONG_USE
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"]["reason"] == "INVALID_ARGUMENT"
    assert shown.err == ""


@pytest.mark.parametrize(
    ("arguments", "reason", "code"),
    [
        (["", "--data", "a.csv"], "QUESTION_EMPTY", ExitCode.WRONG_USE),
        (["revenue", "--data", "a", "--deliver", "pie"], "UNKNOWN_DELIVERABLE", 2),
        (["revenue", "--data", "a", "--row-limit", "0"], "LIMIT_OUT_OF_RANGE", 2),
    ],
)
def test_what_needs_no_mesh_to_be_refused(
    arguments: list[str],
    reason: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))  # a row limit is refused by the mesh
    assert main.run(["ask", *arguments]) == code
    assert reason in capsys.readouterr().err


def test_a_server_that_is_away_is_unavailable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main.run(["tools", "--server", f"unix:{tmp_path}/nobody.sock"])
    assert code == ExitCode.UNAVAILABLE
    shown = capsys.readouterr().err
    assert "SERVICE_UNAVAILABLE" in shown and "nobody.sock:" in shown


async def run(*arguments: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*ASSAY, *arguments, stdout=pipe, stderr=pipe)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_ctrl_c_cancels_the_job_says_what_is_kept_and_ends_soon(
    tmp_path: Path, number: signal.Signals
) -> None:
    gateway = FakeGateway(
        events=[
            plan(("load", "sql.run"), ("shape", "df.transform")),
            step("load", "sql.run", job_pb2.STEP_STATE_DONE, rows=5, columns=2),
            step("shape", "df.transform", job_pb2.STEP_STATE_RUNNING),
        ]
    )
    (tmp_path / "a.csv").write_text("a\n1\n")
    async with gateway.serving(tmp_path) as target:
        process = await run("ask", "revenue", "--data", f"{tmp_path}/a.csv", "--server", target)
        await gateway.watching.wait()
        began = time.monotonic()
        process.send_signal(number)
        output, _ = await process.communicate()
    assert time.monotonic() - began < allowing(2)
    assert process.returncode == ExitCode.CANCELLED
    assert gateway.cancelled.is_set()
    assert "1 of 2 steps done; what they made is kept" in output.decode()


async def test_ctrl_c_waits_for_a_cancellation_that_takes_its_time(tmp_path: Path) -> None:
    class Slow(FakeGateway):
        async def CancelJob(self, request: Any, context: Any) -> Any:
            with contextlib.suppress(TimeoutError):  # longer than a caller in a hurry would wait
                await asyncio.wait_for(asyncio.Event().wait(), 1.5)
            return await super().CancelJob(request, context)

    gateway = Slow(events=[plan(("load", "sql.run"))])
    process, told = await interrupted(gateway, tmp_path, signals=1)
    assert process.returncode == ExitCode.CANCELLED
    assert "Ctrl-C again leaves" in told
    # Whether the plan was told before Ctrl-C came is a matter of luck.
    assert "0 of 1 steps done" in told or "nothing had been computed yet" in told
    assert "may still run" not in told


async def test_a_second_ctrl_c_leaves_a_server_that_hangs(tmp_path: Path) -> None:
    class Hanging(FakeGateway):
        async def CancelJob(self, request: object, context: object) -> object:
            return await asyncio.Event().wait()

    gateway = Hanging(events=[plan(("load", "sql.run"))])
    process, _ = await interrupted(gateway, tmp_path, signals=2)
    assert process.returncode == ExitCode.CANCELLED


async def interrupted(
    gateway: FakeGateway, folder: Path, signals: int
) -> tuple[asyncio.subprocess.Process, str]:
    """A question that is interrupted once it is under way, and what its command told."""
    (folder / "a.csv").write_text("a\n1\n")
    async with gateway.serving(folder) as target:
        process = await run("ask", "revenue", "--data", f"{folder}/a.csv", "--server", target)
        await gateway.watching.wait()
        process.send_signal(signal.SIGINT)
        told = b""
        assert process.stderr is not None
        if signals > 1:
            told = await process.stderr.readuntil(b"again")
            process.send_signal(signal.SIGINT)
        output, rest = await process.communicate()
    return process, (output + told + rest).decode()


async def test_what_became_of_a_job_at_ctrl_c_is_told_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Finished(FakeGateway):
        async def CancelJob(self, request: object, context: Any) -> object:
            raise AssayError(JOB_FINISHED, "job 0 is completed already")

    class Hanging(FakeGateway):
        async def CancelJob(self, request: object, context: object) -> object:
            return await asyncio.Event().wait()

    monkeypatch.setattr(stopping, "ACKNOWLEDGED_SECONDS", 0.2)
    for gateway, said in ((Finished(), "the job had ended already"), (Hanging(), "may still run")):
        async with gateway.serving(tmp_path) as target, AssayClient(target) as client:
            found = await stopping.stopped(Printed(), client, JOB_ID)
        assert said in found.message


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A file descriptor that types into standard input."""
    read, write = os.pipe()
    with os.fdopen(read) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield write
        os.close(write)


async def test_a_person_is_asked_until_the_reply_is_one_of_the_readings(keyboard: int) -> None:
    clarification = job_pb2.Clarification(
        question="which?",
        options=[
            job_pb2.Choice(option_id="1", text="sum"),
            job_pb2.Choice(option_id="2", text="number"),
        ],
    )
    screen = Printed()
    reply = asyncio.create_task(typed_reply(screen, clarification))
    os.write(keyboard, b"3\n\n 2 \n")
    assert await reply == "2"
    assert screen.text.count("answer with 1 or 2: ") == 3


def test_a_fault_of_our_own_is_a_block_and_a_line_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Entry:
        def load(self) -> object:
            raise ValueError("a wheel came off")

    monkeypatch.setattr(embedded, "entry_points", lambda **_: [Entry()])
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    assert main.run(["jobs", "--home", str(tmp_path)]) == ExitCode.COULD_NOT_ANSWER
    shown = capsys.readouterr().err
    assert shown.startswith("error   INTERNAL   ValueError: a wheel came off.")
    assert "assay.log" in shown and "Traceback" not in shown
    assert "Traceback" in (tmp_path / "assay.log").read_text()


def test_fields_are_shown_where_the_reason_leaves_it_to_them() -> None:
    fields = {"sources": "no kind"}
    screen = Printed()
    screen.error(AssayError(INVALID_ARGUMENT, "the request is malformed", fields=fields))
    screen.error(AssayError(QUESTION_TOO_LONG, "2,001 characters", fields=fields))
    assert screen.text.count("sources: no kind") == 1
    screen.error(AssayError(INVALID_ARGUMENT, "sources: it has no kind", fields=fields))
    assert screen.text.count("no kind") == 2


@pytest.mark.parametrize("fields", [{}, {"sources": "no kind"}])
def test_nobody_is_sent_to_fields_that_are_not_shown(fields: dict[str, str]) -> None:
    """Also where a server sent the reason's own remedy along."""
    screen = Printed()
    for hint in ("", INVALID_ARGUMENT.remedy):
        screen.error(AssayError(INVALID_ARGUMENT, "sources: no kind", fields=fields, hint=hint))
    assert [line for line in screen.text.splitlines() if line] == [
        "error   INVALID_ARGUMENT   sources: no kind."
    ] * 2


def test_a_long_message_goes_on_beside_its_label() -> None:
    screen = Printed()
    screen.error(AssayError(INVALID_ARGUMENT, "word " * 60))
    assert all(line.startswith(" " * 8) for line in screen.text.splitlines()[1:])
