"""Boards through a running gateway: pinned, asked for again by the clock, settled, told."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pyarrow as pa
import pytest

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import board_service_pb2 as pb
from mesh.errors import QUEUE_FULL, SOURCE_NOT_FOUND, AssayError
from mesh.ids import new_id
from tests.unit.gateway.conftest import Mesh

DAYS = pa.table({"day": pa.array([datetime(2026, 2, 3), datetime(2026, 2, 1)]), "n": [4, 5]})


@pytest.fixture
def limits() -> dict[str, object]:
    # Steps are taken by the tests.
    return {"gateway_boards_seconds": 3600.0, "local_paths": True}


def answer(mesh: Mesh, value: str = "9", **more: Any) -> analysis_pb2.Answer:
    digest = mesh.peers.executor.put_frame(DAYS)
    claim = analysis_pb2.Claim(claim_id=2, value=value, text=value, column="n", unit="EUR")
    other = analysis_pb2.Claim(claim_id=1, value="7", text="7", column="other")
    said: dict[str, Any] = {"text": f"{value} were sold.", "claims": [other, claim], **more}
    said.setdefault("confidence", analysis_pb2.CONFIDENCE_HIGH)
    number = analysis_pb2.Assertion(kind="number", place="text", start=0, end=1, claim_id=2)
    return analysis_pb2.Answer(table=data_pb2.FrameRef(digest=digest), assertions=[number], **said)


def answered(mesh: Mesh, **more: Any) -> job_pb2.Job:
    """A job of ann's with an answer."""
    asked = analysis_pb2.AnalysisRequest(
        intent="how many were sold?",
        data_sources=[data_pb2.DataSource(file_path="/data/sales.csv", schema_fingerprint="f")],
        frame="f3",
    )
    job = job_pb2.Job(job_id=new_id(), analysis=asked)
    done(job, more.pop("answer", None) or answer(mesh), **more)
    return mesh.peers.planner.put(job)


def done(job: job_pb2.Job, said: analysis_pb2.Answer, query: str = "SELECT 1") -> None:
    job.state = job_pb2.JOB_STATE_COMPLETED
    job.answer.CopyFrom(said)
    job.understood = "number sold"
    job.created_at.FromJsonString("2026-03-01T11:00:00Z")
    job.updated_at.FromJsonString("2026-03-01T11:00:01Z")
    job.plan.answer_task = "load"
    for task, text in (("load", query), ("used", "SELECT 2")):
        statement = analysis_pb2.Statement(query=text, readable=text)
        job.steps.append(job_pb2.Step(task_id=task, statement=statement))


async def board_of(mesh: Mesh, minutes: int = 60, **targets: Any) -> str:
    create = pb.CreateBoardRequest(request_id=new_id(), title="Sales")
    made = (await mesh.ann.boards.CreateBoard(create)).board
    assert (await mesh.ann.boards.CreateBoard(create)).board == made, "it is repeated"
    schedule = pb.Schedule(kind=pb.SCHEDULE_KIND_MINUTES, every_minutes=minutes)
    change = pb.UpdateBoardRequest(board_id=made.board_id, schedule=schedule)
    if targets:
        change.alert_targets.CopyFrom(pb.AlertTargets(**targets))
    await mesh.ann.boards.UpdateBoard(change)
    return made.board_id


async def pin_on(mesh: Mesh, board_id: str, job: job_pb2.Job, **limits: Any) -> pb.Pin:
    wanted = pb.PinAnswerRequest(
        request_id=new_id(), board_id=board_id, job_id=job.job_id, range=pb.Range(**limits)
    )
    made = (await mesh.ann.boards.PinAnswer(wanted)).pin
    assert (await mesh.ann.boards.PinAnswer(wanted)).pin == made, "it is repeated"
    return made


async def shown(mesh: Mesh, board_id: str) -> pb.Board:
    return (await mesh.ann.boards.GetBoard(pb.GetBoardRequest(board_id=board_id))).board


async def an_hour_later(mesh: Mesh, said: analysis_pb2.Answer | None = None, **more: Any) -> str:
    """The board is asked for, and what it asked for is answered; the job."""
    mesh.clock.advance(3600)
    await mesh.gateway.board_runs.step()
    job = mesh.peers.planner.requests[-1].request_id
    if said is not None:
        done(mesh.peers.planner.jobs[job][1], said, **more)
    await mesh.gateway.board_runs.step()
    return job


async def test_an_answer_is_pinned_with_its_number_statement_and_date(mesh: Mesh) -> None:
    board_id = await board_of(mesh)
    job = answered(mesh)
    pin = await pin_on(mesh, board_id, job, low=1.0)
    assert (pin.title, pin.question, pin.pinned_by) == (
        job.analysis.intent,
        job.analysis.intent,
        "ann",
    )
    first = pin.answer
    assert (first.job_id, first.state, first.headline) == (job.job_id, 3, "9 were sold.")
    assert (first.number, first.unit, first.confidence) == ("9", "EUR", 3)
    assert (first.statement, len(first.statement_sha256)) == ("SELECT 1", 64)
    assert (first.data_at, first.data_column) == ("2026-02-03T00:00:00", "day")
    board = await shown(mesh, board_id)
    assert [one.what for one in board.changes] == [
        "pinned: how many were sold?",
        "schedule: every 60 minutes",
    ]
    assert (board.version, board.pin_count, board.alerting_count) == (3, 1, 0)
    assert board.next_run_at.ToJsonString() == "2026-03-01T13:00:00Z"


async def test_a_due_board_is_asked_for_again_as_it_was_by_who_pinned_it(mesh: Mesh) -> None:
    board_id = await board_of(mesh)
    await pin_on(mesh, board_id, answered(mesh))
    await mesh.gateway.board_runs.step()
    assert mesh.peers.planner.requests == [], "it is not due"
    job = await an_hour_later(mesh)
    (request,) = mesh.peers.planner.requests
    assert (request.analysis.intent, request.analysis.frame) == ("how many were sold?", "")
    assert request.analysis.data_sources[0].file_path == "/data/sales.csv"
    assert not request.analysis.data_sources[0].schema_fingerprint
    assert mesh.peers.planner.jobs[job][0] == "ann"
    assert (await shown(mesh, board_id)).pins[0].under_way.state == pb.RUN_STATE_RUNNING
    done(mesh.peers.planner.jobs[job][1], answer(mesh, "12"))
    await mesh.gateway.board_runs.step()
    pin = (await shown(mesh, board_id)).pins[0]
    assert not pin.HasField("under_way")
    assert [(one.number, one.job_id == job) for one in pin.runs] == [("12", True), ("9", False)]
    assert len(mesh.peers.planner.requests) == 1
    history = await mesh.ann.boards.ListRuns(pb.ListRunsRequest(pin_id=pin.pin_id, page_size=1))
    assert (history.runs[0].statement, bool(history.next_page_token)) == ("SELECT 1", True)


async def test_what_a_gateway_claimed_and_did_not_submit_is_submitted_later(mesh: Mesh) -> None:
    board_id = await board_of(mesh)
    await pin_on(mesh, board_id, answered(mesh))
    planner = mesh.peers.planner
    planner.refusal = AssayError(QUEUE_FULL, "too much waits")
    await an_hour_later_without_answer(mesh)
    assert (await shown(mesh, board_id)).pins[0].under_way.state == pb.RUN_STATE_DUE
    planner.refusal = None
    await mesh.gateway.board_runs.step()
    assert (await shown(mesh, board_id)).pins[0].under_way.state == pb.RUN_STATE_RUNNING
    assert len(planner.requests) == 1


async def an_hour_later_without_answer(mesh: Mesh) -> None:
    mesh.clock.advance(3600)
    await mesh.gateway.board_runs.step()


async def test_a_number_out_of_its_range_is_told_once(mesh: Mesh) -> None:
    board_id = await board_of(mesh)
    await pin_on(mesh, board_id, answered(mesh), high=10.0)
    for value in ("11", "12"):
        await an_hour_later(mesh, answer(mesh, value))
    board = await shown(mesh, board_id)
    assert [one.words for one in board.alerts] == ["how many were sold?: 11 EUR is above 10."]
    assert (board.alerting_count, list(board.pins[0].alerting)) == (1, [1])
    await an_hour_later(mesh, answer(mesh, "10"))
    await an_hour_later(mesh, answer(mesh, "11"))
    assert len((await shown(mesh, board_id)).alerts) == 2


async def test_a_refused_run_and_one_that_asks_back_say_why(mesh: Mesh) -> None:
    board_id = await board_of(mesh)
    await pin_on(mesh, board_id, answered(mesh))
    job = await an_hour_later(mesh)
    waiting = mesh.peers.planner.jobs[job][1]
    waiting.state = job_pb2.JOB_STATE_WAITING
    waiting.clarification.question = "Which date?"
    await mesh.gateway.board_runs.step()
    run = (await shown(mesh, board_id)).pins[0].runs[0]
    assert (run.state, run.failure_reason) == (pb.RUN_STATE_FAILED, "CLARIFICATION_NEEDED")
    assert run.failure.startswith("it needs a clarification: Which date? ")
    mesh.peers.planner.refusal = AssayError(SOURCE_NOT_FOUND, "sales.csv is not there")
    await an_hour_later_without_answer(mesh)
    board = await shown(mesh, board_id)
    assert board.pins[0].runs[0].failure_reason == "SOURCE_NOT_FOUND"
    assert "sales.csv is not there" in board.pins[0].runs[0].failure
    assert [one.kind for one in board.alerts] == [pb.ALERT_KIND_RUN_FAILED]
    assert board.pins[0].answer.number == "9", "the last answer stays"


async def test_another_meaning_is_shown_with_both_until_it_is_accepted(mesh: Mesh) -> None:
    board_id = await board_of(mesh)
    pin = await pin_on(mesh, board_id, answered(mesh))
    await an_hour_later(mesh, answer(mesh), query="SELECT 3")
    board = await shown(mesh, board_id)
    change = board.pins[0].meaning_change
    assert (change.before.statement, change.after.statement) == ("SELECT 1", "SELECT 3")
    assert [one.kind for one in board.alerts] == [pb.ALERT_KIND_MEANING_CHANGED]
    wanted = pb.UpdatePinRequest(pin_id=pin.pin_id, accept_meaning=True, title="Sold")
    changed = (await mesh.ann.boards.UpdatePin(wanted)).pin
    assert not changed.HasField("meaning_change") and not changed.alerting
    assert changed.title == "Sold"


async def test_refreshing_asks_now_and_not_twice_at_once(mesh: Mesh) -> None:
    board_id = await board_of(mesh)
    await pin_on(mesh, board_id, answered(mesh))
    refresh = pb.RefreshBoardRequest(board_id=board_id)
    assert (await mesh.ann.boards.RefreshBoard(refresh)).board.pins[0].HasField("under_way")
    await mesh.gateway.board_runs.step()
    await mesh.ann.boards.RefreshBoard(refresh)
    await mesh.gateway.board_runs.step()
    assert len({one.request_id for one in mesh.peers.planner.requests}) == 1
    assert (await shown(mesh, board_id)).next_run_at.ToJsonString() == "2026-03-01T13:00:00Z"


async def test_what_cannot_be_pinned_or_changed_is_refused(mesh: Mesh, refused: Any) -> None:
    board_id = await board_of(mesh)
    job = answered(mesh)
    wanted = pb.PinAnswerRequest(request_id=new_id(), board_id=board_id, job_id=job.job_id)
    mesh.peers.planner.jobs[job.job_id][1].ClearField("answer")
    with refused("JOB_NOT_COMPLETE"):
        await mesh.ann.boards.PinAnswer(wanted)
    study = mesh.peers.planner.put(job_pb2.Job(job_id=new_id(), answer=answer(mesh)))
    study.causal.SetInParent()
    wanted.job_id = study.job_id
    with refused("INVALID_ARGUMENT"):
        await mesh.ann.boards.PinAnswer(wanted)
    with refused("BOARD_CHANGED") as error:
        await mesh.ann.boards.UpdateBoard(
            pb.UpdateBoardRequest(board_id=board_id, title="Other", version=1)
        )
    assert error.metadata["version"] == "2"
    for targets in (
        pb.AlertTargets(webhook="https://hooks.example/x"),
        pb.AlertTargets(emails=["ann@example.com"]),
    ):
        with refused("INVALID_ARGUMENT"):
            await mesh.ann.boards.UpdateBoard(
                pb.UpdateBoardRequest(board_id=board_id, alert_targets=targets)
            )
    with refused("NOT_FOUND"):
        await mesh.bob.boards.GetBoard(pb.GetBoardRequest(board_id=board_id))


class TestTold:
    """Alerts that leave the mesh."""

    @pytest.fixture
    def limits(self) -> dict[str, object]:
        return {
            "gateway_boards_seconds": 3600.0,
            "local_paths": True,
            "gateway_alert_webhooks": "http://127.0.0.1:1/hooks",
        }

    async def test_one_that_nobody_takes_is_tried_four_times_and_recorded_once(
        self, mesh: Mesh
    ) -> None:
        board_id = await board_of(mesh, 44_640, webhook="http://127.0.0.1:1/hooks/a")
        await pin_on(mesh, board_id, answered(mesh), high=10.0)
        await mesh.ann.boards.RefreshBoard(pb.RefreshBoardRequest(board_id=board_id))
        await mesh.gateway.board_runs.step()
        job = mesh.peers.planner.requests[-1].request_id
        done(mesh.peers.planner.jobs[job][1], answer(mesh, "11"))
        await mesh.gateway.board_runs.step()
        for _ in range(6):
            await mesh.gateway.alerting.step()
            mesh.clock.advance(1800)
        (sent,) = (await shown(mesh, board_id)).alerts[0].deliveries
        assert (sent.state, sent.attempts) == (pb.DELIVERY_STATE_FAILED, 4)
        assert "not taken" in sent.why
        kept = [json.loads(one.event_data_json) for one in mesh.peers.audit.entries]
        said = [json.loads(one["text"]) for one in kept if "text" in one]
        told = [one for one in said if one.get("rule") == "ALERT_FAILED"]
        assert [(one["board"], one["attempts"]) for one in told] == [(board_id, "4")]
        assert "hooks/a" not in json.dumps(said), "a webhook's address is a secret"
