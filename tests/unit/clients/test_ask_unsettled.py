"""`assay ask` when there is no plain answer: unclear, empty, failed, refused, unproven."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import cast

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from clients.python.cli.asking import Following, ask_question
from clients.python.client import AssayClient
from mesh.errors import COLUMN_BLOCKED, NOT_FOUND, AssayError, ExitCode
from tests.unit.clients.conftest import Printed
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.script import CLARIFICATION, JOB_ID, checks, plan, state, step
from tests.unit.clients.story import ASKED, SALES, Golden, Install, answered, place


async def test_repaired_failed_and_skipped_steps_say_so(
    here: Path, installed: Install, golden: Golden
) -> None:
    repairing, failed = job_pb2.STEP_STATE_REPAIRING, job_pb2.STEP_STATE_FAILED
    repair = 'column "categry" → "CategoryName"'
    installed(
        FakeGateway(
            events=[
                plan(("load", "sql.run"), ("shape", "df.transform"), ("chart", "plot.render")),
                step("load", "sql.run", repairing, detail=repair),
                step(
                    "load",
                    "sql.run",
                    job_pb2.STEP_STATE_DONE,
                    rows=8,
                    columns=2,
                    attempt=2,
                    detail=repair,
                    milliseconds=90,
                ),
                step(
                    "shape",
                    "df.transform",
                    failed,
                    attempt=3,
                    detail='cannot add text in "Total"',
                    milliseconds=4,
                ),
                step("chart", "plot.render", job_pb2.STEP_STATE_SKIPPED),
                job_pb2.JobEvent(
                    failure=job_pb2.Failure(
                        reason="STEP_FAILED", message='shape: cannot add text in "Total"'
                    )
                ),
                state(job_pb2.JOB_STATE_FAILED),
            ]
        )
    )
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.COULD_NOT_ANSWER
    golden("ask_failed.txt", screen.text)


async def test_an_unclear_question_comes_back_with_its_readings(
    here: Path, installed: Install, golden: Golden
) -> None:
    installed(FakeGateway(events=[CLARIFICATION, state(job_pb2.JOB_STATE_WAITING)]))
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.COULD_NOT_ANSWER
    golden("ask_unclear.txt", screen.text)


async def test_a_reading_chosen_beforehand_settles_it(here: Path, installed: Install) -> None:
    gateway, _ = answered(here, SALES)
    gateway.after_answer = gateway.events
    gateway.events = [CLARIFICATION, state(job_pb2.JOB_STATE_WAITING)]
    installed(gateway)
    screen = Printed()
    code = await ask_question(screen, place(here), ASKED, choice="2")
    assert code == ExitCode.ANSWERED
    assert gateway.answers == ["2"]
    assert "unclear" not in screen.text


async def test_an_empty_answer_says_which_kind_of_empty(here: Path, installed: Install) -> None:
    kinds = {
        analysis_pb2.EMPTY_REASON_NO_ROWS: (
            '0 of 830 orders match ShipCountry = "Atlantis" (closest: "Austria")',
            "no rows: 0 of 830 orders",
            ExitCode.ANSWERED,
        ),
        analysis_pb2.EMPTY_REASON_NOT_PERMITTED: (
            "column Salary is blocked by policy",
            "not permitted: column Salary",
            ExitCode.REFUSED,
        ),
        analysis_pb2.EMPTY_REASON_TIMED_OUT: (
            "stopped after 30 s; 2 of 3 steps done",
            "stopped after 30 s",
            ExitCode.COULD_NOT_ANSWER,
        ),
    }
    for reason, (text, shown, code) in kinds.items():
        answer = job_pb2.JobEvent(answer=analysis_pb2.Answer(text=text, empty_reason=reason))
        gateway = FakeGateway(events=[answer, state(job_pb2.JOB_STATE_COMPLETED)])
        gateway.proof = checks(("chain", True, "5 entries, unbroken"))
        installed(gateway)
        screen = Printed()
        assert await ask_question(screen, place(here), ASKED) == code
        assert shown in screen.text


async def test_a_proof_that_does_not_hold_is_no_good_answer(here: Path, installed: Install) -> None:
    gateway, _ = answered(here, SALES)
    gateway.proof = checks(("chain", True, "21 entries"), ("tree", False, "entry 7 is not in it"))
    installed(gateway)
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.VERIFICATION_FAILED
    assert "✘ tree: entry 7 is not in it" in screen.text
    assert "valid" not in screen.text


async def test_a_refusal_of_the_server_is_raised_with_its_reason(
    here: Path, installed: Install
) -> None:
    installed(FakeGateway(refuse=AssayError(COLUMN_BLOCKED, "column Salary is blocked")))
    with pytest.raises(AssayError) as caught:
        await ask_question(Printed(), place(here), ASKED)
    assert caught.value.reason is COLUMN_BLOCKED


async def test_for_machines_failures_and_open_questions_are_objects_too(
    here: Path, installed: Install
) -> None:
    failure = job_pb2.Failure(reason="SOURCE_EMPTY", message="a.csv holds no rows", hint="Fill it.")
    ends = {
        "SOURCE_EMPTY": [job_pb2.JobEvent(failure=failure), state(job_pb2.JOB_STATE_FAILED)],
        "CLARIFICATION_NEEDED": [CLARIFICATION, state(job_pb2.JOB_STATE_WAITING)],
    }
    for reason, events in ends.items():
        installed(FakeGateway(events=events))
        screen = Printed(as_json=True)
        code = await ask_question(screen, place(here), ASKED)
        assert code == ExitCode.COULD_NOT_ANSWER
        told = json.loads(screen.text)
        assert told["job"] == JOB_ID
        assert told["error"]["reason"] == reason
        assert bool(told["clarification"]) == (reason == "CLARIFICATION_NEEDED")


async def test_an_answer_without_rows_shows_no_table_of_nothing(
    here: Path, installed: Install
) -> None:
    gateway, _ = answered(here, SALES)
    gateway.events[-2].answer.empty_reason = analysis_pb2.EMPTY_REASON_NO_ROWS
    installed(gateway)
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED) == ExitCode.ANSWERED
    assert "Beverages" not in screen.text


async def test_a_question_stopped_before_it_was_taken_is_not_said_to_run() -> None:
    asked = asyncio.Event()

    class Starting:
        """A mesh whose planner is still being made."""

        async def cancel(self, job_id: str) -> job_pb2.Job:
            raise AssayError(NOT_FOUND, f"there is no job {job_id}")

    async def submitted() -> job_pb2.Job:
        asked.set()
        await asyncio.Event().wait()
        return job_pb2.Job()

    screen = Printed()
    following = Following(screen, cast("AssayClient", Starting()), "0" * 32)
    asking = asyncio.create_task(following.run(submitted()))
    await asked.wait()
    asking.cancel()
    assert await asking == ExitCode.CANCELLED
    assert screen.text.startswith("cancelled   the job had not been taken yet")
