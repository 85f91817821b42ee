"""The queries that ran, in sight of whoever asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.common.v1 import analysis_pb2, job_pb2
from clients.python.cli.asking import answer_job, ask_question
from clients.python.cli.show import _show_job
from clients.python.cli.statements import show_glimpse, show_statements
from clients.python.question import Question
from mesh.errors import AssayError, ExitCode
from tests.unit.clients.conftest import Printed
from tests.unit.clients.script import CLARIFICATION, state
from tests.unit.clients.story import ASKED, SALES, STATEMENT, Golden, Install, answered, place


async def test_the_query_is_shown_between_plan_and_answer_when_asked_for(
    here: Path, installed: Install, golden: Golden
) -> None:
    gateway, _ = answered(here, SALES)
    installed(gateway)
    screen = Printed()
    assert await ask_question(screen, place(here), ASKED, sql=True) == ExitCode.ANSWERED
    golden("ask_sql.txt", screen.text)


async def test_machines_get_it_as_it_reads_and_as_it_ran(here: Path, installed: Install) -> None:
    gateway, _ = answered(here, SALES)
    installed(gateway)
    screen = Printed(as_json=True)
    await ask_question(screen, place(here), ASKED)
    load, shape, _ = json.loads(screen.text)["steps"]
    assert load["sql"] == {
        "readable": STATEMENT.readable,
        "query": STATEMENT.query,
        "params": ["West"],
    }
    assert shape["sql"] is None


async def test_an_answer_that_is_not_sure_gives_a_glimpse_of_its_query(
    here: Path, installed: Install
) -> None:
    gateway, answer = answered(here, SALES)
    answer.confidence = analysis_pb2.CONFIDENCE_LOW
    gateway.events[-2].answer.CopyFrom(answer)
    installed(gateway)
    screen = Printed()
    await ask_question(screen, place(here), ASKED)
    (line,) = [line for line in screen.text.splitlines() if line.startswith("sql")]
    assert line.startswith("sql         SELECT month, SUM(amount) AS revenue FROM orders WHERE")
    assert line.endswith("…  --sql shows it all") and len(line) == 100


def test_several_queries_are_named_by_their_steps() -> None:
    step = job_pb2.Step(task_id="load", statement=STATEMENT)
    other = job_pb2.Step(
        task_id="rest", statement=analysis_pb2.Statement(query="SELECT 1", readable="SELECT\n  1")
    )
    screen = Printed()
    show_statements(screen, [step, job_pb2.Step(task_id="shape"), other])
    lines = [line[12:] for line in screen.text.splitlines()]
    assert lines == ["-- load", *STATEMENT.readable.splitlines(), "-- rest", "SELECT", "  1"]


@pytest.mark.parametrize("confidence", ["CONFIDENCE_HIGH", "CONFIDENCE_UNSPECIFIED"])
def test_no_glimpse_where_nothing_is_in_doubt(confidence: str) -> None:
    job = job_pb2.Job(steps=[job_pb2.Step(task_id="load", statement=STATEMENT)])
    job.answer.confidence = analysis_pb2.Confidence.Value(confidence)
    screen = Printed()
    show_glimpse(screen, job)
    assert screen.text == ""


async def test_a_statement_of_ones_own_is_sent_and_shown_as_it_was_written(
    here: Path, installed: Install
) -> None:
    written = "select month\n  from orders -- all"
    gateway, _ = answered(here, SALES)
    installed(gateway)
    await ask_question(Printed(), place(here), Question(statement=written, data=("orders.csv",)))
    (request,) = gateway.requests
    assert request.statement == written and not request.intent

    screen = Printed()
    assert await _show_job(screen, place(here), "7c1e") == ExitCode.ANSWERED
    assert screen.text.startswith(
        "statement   select month\n              from orders -- all\nsource "
    )
    assert "GROUP BY" not in screen.text, "laid out it would be the same again"
    for_machines = Printed(as_json=True)
    await _show_job(for_machines, place(here), "7c1e")
    assert json.loads(for_machines.text)["statement"] == written


def test_what_is_wrong_with_a_statement_is_said_of_a_statement() -> None:
    for given, told in (
        (Question(statement=" ", data=("a.csv",)), "the statement has no words in it"),
        (Question(data=("a.csv",)), "the question has no words in it"),
    ):
        with pytest.raises(AssayError) as refused:
            given.check()
        assert refused.value.message == told


async def test_the_queries_of_a_job_that_waited_are_shown_when_it_is_answered(
    here: Path, installed: Install
) -> None:
    gateway, _ = answered(here, SALES)
    gateway.after_answer = gateway.events
    gateway.events = [CLARIFICATION, state(job_pb2.JOB_STATE_WAITING)]
    installed(gateway)
    assert await ask_question(Printed(), place(here), ASKED) == ExitCode.COULD_NOT_ANSWER
    screen = Printed()
    assert await answer_job(screen, place(here), "7c1e", "2", sql=True) == ExitCode.ANSWERED
    first, *rest = STATEMENT.readable.splitlines()
    assert f"sql         {first}\n" in screen.text
    assert all(f"            {line}\n" in screen.text for line in rest)
