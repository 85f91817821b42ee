"""Boards through the whole mesh: an answer is pinned, asked for again, and each run is proved."""

from __future__ import annotations

import asyncio
from pathlib import Path

from assay.common.v1 import access_pb2, data_pb2, job_pb2
from assay.gateway.v1 import board_service_pb2 as pb
from assay.gateway.v1 import board_service_pb2_grpc
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb
from assay.gateway.v1 import token_service_pb2 as tokens_pb
from mesh.errors import BOARD_CHANGED, NOT_FOUND
from mesh.ids import new_id
from mesh.transport.dial import open_channel
from tests.busy import allowing
from tests.mesh import shared
from tests.mesh.owned import uploaded
from tests.mesh.support import Caller, refusal
from tests.mesh.test_own_statement import BY_REGION, statement

pytestmark = shared.ON_ONE_LOOP
ann = shared.ann


async def refreshed(caller: Caller, board_id: str) -> pb.Board:
    """The board once all that was asked for is settled."""
    await caller.boards.RefreshBoard(pb.RefreshBoardRequest(board_id=board_id))
    async with asyncio.timeout(allowing(60.0)):
        while True:
            asked = pb.GetBoardRequest(board_id=board_id)
            board = (await caller.boards.GetBoard(asked)).board
            going = [one.under_way for one in board.pins if one.HasField("under_way")]
            if not going:
                return board
            for run in going:
                if run.state == pb.RUN_STATE_RUNNING:
                    await caller.watched(run.job_id)


async def test_an_answer_on_a_board_is_asked_for_again_over_what_the_data_is_by_then(
    ann: Caller, sales: Path, tmp_path: Path
) -> None:
    data = tmp_path / "sales.csv"
    data.write_bytes(sales.read_bytes())
    job = await ann.asked(statement(BY_REGION, data))
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    create = pb.CreateBoardRequest(request_id=new_id(), title="Sales")
    board_id = (await ann.boards.CreateBoard(create)).board.board_id
    wanted = pb.PinAnswerRequest(
        request_id=new_id(), board_id=board_id, job_id=job.job_id, range=pb.Range(low=0, high=129)
    )
    pin = (await ann.boards.PinAnswer(wanted)).pin
    assert (pin.answer.number, pin.answer.headline) == ("129", job.answer.text)
    assert "price" in pin.answer.statement and not pin.alerting

    same = await refreshed(ann, board_id)
    assert [(one.number, one.meaning_changed) for one in same.pins[0].runs] == [("129", False)] * 2
    assert same.alerts == []

    lines = [f"{line}\n" for line in data.read_text().splitlines()]
    data.write_text("".join([*lines, *lines[1:]]))
    more = await refreshed(ann, board_id)
    newest = more.pins[0].runs[0]
    assert (newest.number, newest.out_of_range) == ("258", True)
    assert [one.kind for one in more.alerts] == [pb.ALERT_KIND_OUT_OF_RANGE]
    assert (await ann.job(newest.job_id)).answer.text == newest.headline

    data.unlink()
    gone = (await refreshed(ann, board_id)).pins[0]
    assert gone.runs[0].state == pb.RUN_STATE_FAILED and "sales.csv" in gone.runs[0].failure
    assert gone.answer.job_id == newest.job_id, "the last answer stays"


async def test_a_pin_of_whose_key_was_revoked_waits_until_somebody_takes_it_over(
    ann: Caller, sales: Path
) -> None:
    job = await ann.asked(statement(BY_REGION, sales))
    key = await ann.tokens.CreateToken(
        tokens_pb.CreateTokenRequest(user="ben", role=access_pb2.ROLE_ANALYST)
    )
    async with open_channel(ann.settings.address("gateway"), token=key.secret) as channel:
        bens = board_service_pb2_grpc.BoardServiceStub(channel)
        create = pb.CreateBoardRequest(request_id=new_id(), title="Ben's")
        board_id = (await bens.CreateBoard(create)).board.board_id
        wanted = pb.PinAnswerRequest(request_id=new_id(), board_id=board_id, job_id=job.job_id)
        pin = (await bens.PinAnswer(wanted)).pin
    assert pin.pinned_by == "ben"
    assert len((await refreshed(ann, board_id)).pins[0].runs) == 2

    await ann.tokens.RevokeToken(tokens_pb.RevokeTokenRequest(token_id=key.token.token_id))
    for _ in range(2):
        board = await refreshed(ann, board_id)
        (waiting,) = board.pins
        assert (waiting.pause.reason, len(waiting.runs)) == ("PIN_OWNER_GONE", 2)
        assert "no key with which ben may ask is valid any more" in waiting.pause.words
        assert [one.kind for one in board.alerts] == [pb.ALERT_KIND_PAUSED], "it is told once"

    taking = pb.UpdatePinRequest(pin_id=pin.pin_id, take_over=True)
    taken = (await ann.boards.UpdatePin(taking)).pin
    assert taken.pinned_by == ann.tenant and not taken.HasField("pause") and not taken.alerting
    again = await refreshed(ann, board_id)
    assert len(again.pins[0].runs) == 3
    assert again.changes[0].what == f"taken over: {taken.title}"


async def test_a_version_is_seen_and_restored_with_what_was_taken_off(
    ann: Caller, sales: Path
) -> None:
    job = await ann.asked(statement(BY_REGION, sales))
    create = pb.CreateBoardRequest(request_id=new_id(), title="Sales")
    board_id = (await ann.boards.CreateBoard(create)).board.board_id
    wanted = pb.PinAnswerRequest(request_id=new_id(), board_id=board_id, job_id=job.job_id)
    pin = (await ann.boards.PinAnswer(wanted)).pin
    daily = pb.Schedule(kind=pb.SCHEDULE_KIND_DAILY, hour=7, zone="Europe/Berlin")
    change = pb.UpdateBoardRequest(board_id=board_id, title="Each morning", schedule=daily)
    await ann.boards.UpdateBoard(change)
    await ann.boards.Unpin(pb.UnpinRequest(pin_id=pin.pin_id))

    asked = pb.GetBoardRequest(board_id=board_id, version=2)
    then = (await ann.boards.GetBoard(asked)).board
    assert (then.title, then.version, [one.pin_id for one in then.pins]) == (
        "Sales",
        2,
        [pin.pin_id],
    )
    wanted_back = pb.RestoreBoardRequest(board_id=board_id, version=2, from_version=3)
    assert (await refusal(ann.boards.RestoreBoard(wanted_back))).reason is BOARD_CHANGED
    wanted_back.from_version = 4
    board = (await ann.boards.RestoreBoard(wanted_back)).board
    assert (board.title, board.schedule.kind, board.HasField("next_run_at")) == (
        "Sales",
        pb.SCHEDULE_KIND_OFF,
        False,
    )
    assert (board.version, board.changes[0].what) == (5, "as version 2 again")
    assert board.pins[0].answer.headline == job.answer.text
    missing = pb.RestoreBoardRequest(board_id=board_id, version=99)
    assert (await refusal(ann.boards.RestoreBoard(missing))).reason is NOT_FOUND


async def test_an_upload_is_kept_for_its_pin_when_its_session_has_gone(
    ann: Caller, sales: Path
) -> None:
    create = sessions_pb.CreateSessionRequest(request_id=new_id())
    session = (await ann.sessions.CreateSession(create)).session.session_id
    file = await uploaded(ann, session, sales)
    asked = statement(BY_REGION)
    asked.analysis.data_sources.append(data_pb2.DataSource(file_id=file))
    asked.session_id = session
    job = await ann.asked(asked)
    assert job.state == job_pb2.JOB_STATE_COMPLETED, job.failure
    made = pb.CreateBoardRequest(request_id=new_id(), title="Uploads")
    board_id = (await ann.boards.CreateBoard(made)).board.board_id
    wanted = pb.PinAnswerRequest(request_id=new_id(), board_id=board_id, job_id=job.job_id)
    pin = (await ann.boards.PinAnswer(wanted)).pin
    assert not pin.caution

    of_frame = jobs_pb.CreateJobRequest(request_id=new_id(), session_id=session)
    of_frame.analysis.statement = "select max(n) as most from f1"
    most = await ann.asked(of_frame)
    assert most.state == job_pb2.JOB_STATE_COMPLETED, most.failure
    framed = pb.PinAnswerRequest(request_id=new_id(), board_id=board_id, job_id=most.job_id)
    assert "once that has ended" in (await ann.boards.PinAnswer(framed)).pin.caution

    await ann.sessions.DeleteSession(sessions_pb.DeleteSessionRequest(session_id=session))
    first, second = (await refreshed(ann, board_id)).pins
    assert (first.runs[0].state, first.runs[0].headline) == (pb.RUN_STATE_ANSWERED, job.answer.text)
    assert second.runs[0].state == pb.RUN_STATE_FAILED
    late = pb.PinAnswerRequest(request_id=new_id(), board_id=board_id, job_id=job.job_id)
    assert (await refusal(ann.boards.PinAnswer(late))).reason is NOT_FOUND
