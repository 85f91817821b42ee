"""Boards are each tenant's own, and one gateway takes each step, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from gateway.adapters.board_alert_store import SqlAlertStore
from gateway.adapters.board_run_store import SqlRunStore
from gateway.adapters.board_store import SqlBoardStore
from gateway.adapters.board_tables import AlertRow, DeliveryRow, PinRow, RunRow, VersionRow
from gateway.domain.board import (
    AlertKind,
    Board,
    DeliveryState,
    Number,
    Pause,
    Pin,
    PinShown,
    Range,
    Result,
    Run,
    RunState,
    Targets,
)
from gateway.domain.board_meaning import Judged, judge
from gateway.domain.board_schedule import Every, Schedule
from mesh.errors import NOT_FOUND, RESOURCE_EXHAUSTED, AssayError
from mesh.ids import new_id
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url

__all__ = ["database", "url"]

HOUR = timedelta(hours=1)
ONE = Board(
    board_id="a" * 32,
    tenant="acme",
    title="Sales",
    opened_title="Sales",
    created_at=NOON,
    created_by="ann",
    schedule=Schedule(Every.MINUTES, minutes=60),
    targets=Targets("https://hooks.example/x", ("ann@example.com",)),
    next_run_at=NOON + HOUR,
)
PIN = Pin(
    pin_id="b" * 32,
    board_id=ONE.board_id,
    tenant="acme",
    title="Sold",
    question="how many?",
    request='{"intent": "how many?"}',
    session_id="",
    local=True,
    pinned_by="ann",
    pinned_at=NOON,
    job_id="c" * 32,
    range=Range("n", 1, 1.0, None),
)
SOLD = Result("9 were sold.", (Number("9", "9", "EUR", "n"),), 3, "sold", "SELECT 1", "d" * 64)
FIRST = Run(
    run_id="e" * 32,
    job_id=PIN.job_id,
    pin_id=PIN.pin_id,
    board_id=ONE.board_id,
    due_at=NOON,
    state=RunState.ANSWERED,
    ended_at=NOON,
    result=SOLD,
    number=SOLD.numbers[0],
)


@pytest.fixture
def boards(database: Database) -> SqlBoardStore:
    return SqlBoardStore(database)


@pytest.fixture
def runs(database: Database) -> SqlRunStore:
    return SqlRunStore(database)


@pytest.fixture
def alerts(database: Database) -> SqlAlertStore:
    return SqlAlertStore(database)


def noted(board: Board) -> Board:
    return board.changed(NOON, "ann", "pinned")


def judged(run: Run, pin: Pin, before: Run | None, base: Run | None) -> Judged:
    low = replace(SOLD, numbers=(Number("0", "0", "", "n"),))
    return judge(run, low, NOON + 2 * HOUR, pin, before, base)


async def pinned(boards: SqlBoardStore) -> None:
    await boards.create(ONE)
    assert await boards.pin(PIN, FIRST, noted) == PIN


async def rows(database: Database, table: type) -> int:
    wanted = select(func.count()).select_from(table)
    return await database.reading(lambda transaction: transaction.scalar(wanted) or 0)


async def test_a_board_is_as_it_was_stored_with_its_pins_and_the_first_under_its_id(
    boards: SqlBoardStore,
) -> None:
    assert await boards.create(ONE) == ONE
    assert await boards.create(replace(ONE, title="Other")) == ONE
    assert await boards.pin(PIN, FIRST, noted) == PIN
    assert await boards.pin(replace(PIN, title="Other"), FIRST, noted) == PIN
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and found.pins == (PinShown(PIN, (FIRST,), None, FIRST),)
    assert (found.version, found.changes[0].what, found.pin_count) == (2, "pinned", 1)
    many = [replace(ONE, board_id="f" * 32, title=str(number)) for number in range(8)]
    made = await asyncio.gather(*(boards.create(one) for one in many))
    assert len({one.title for one in made}) == 1


async def test_a_board_is_one_tenants(boards: SqlBoardStore, runs: SqlRunStore) -> None:
    await pinned(boards)
    assert await boards.get("evil", ONE.board_id) is None
    assert await boards.update("evil", ONE.board_id, noted) is None
    assert not await boards.delete("evil", ONE.board_id)
    assert await boards.get_pin("evil", PIN.pin_id) is None
    assert await boards.runs("evil", PIN.pin_id, 10, "") is None
    assert not await boards.unpin("evil", PIN.pin_id, NOON, lambda board, _: noted(board))
    assert await boards.update_pin("evil", PIN.pin_id, lambda board, shown: (board, shown)) is None
    assert await boards.page("evil", 10, "") == ([], "")
    assert not await runs.start("evil", ONE.board_id, NOON)
    assert await boards.pin(replace(PIN, tenant="evil", pin_id="9" * 32), FIRST, noted) is None
    with pytest.raises(AssayError) as refused:
        await boards.create(replace(ONE, tenant="evil"))
    assert refused.value.reason is NOT_FOUND
    own = replace(ONE, tenant="evil", board_id="8" * 32)
    await boards.create(own)
    with pytest.raises(AssayError) as refused:
        await boards.pin(replace(PIN, tenant="evil", board_id=own.board_id), FIRST, noted)
    assert refused.value.reason is NOT_FOUND


async def test_a_due_board_is_claimed_once_however_many_gateways_see_it(
    boards: SqlBoardStore, runs: SqlRunStore, database: Database
) -> None:
    await pinned(boards)
    assert await runs.due(NOON, 10) == []
    (board,) = await runs.due(NOON + HOUR, 10)
    following = NOON + 2 * HOUR
    took = await asyncio.gather(*(runs.claim(board, following, NOON + HOUR) for _ in range(6)))
    assert sorted(took, key=str) == [1, *[None] * 5]
    assert await runs.due(NOON + HOUR, 10) == []
    assert await rows(database, RunRow) == 2
    ((pin, run),) = await runs.under_way(RunState.DUE, 10)
    assert (pin, run.due_at, run.job_id) == (PIN, NOON + HOUR, run.run_id)
    (board,) = await runs.due(following, 10)
    assert await runs.claim(board, None, following) == 0, "it is being asked for already"


async def test_a_paused_pin_is_not_asked_and_told_once_until_it_goes_on(
    boards: SqlBoardStore, runs: SqlRunStore, alerts: SqlAlertStore
) -> None:
    await pinned(boards)
    assert await runs.pins(ONE.board_id) == [PIN]
    await asyncio.gather(*(runs.pause(PIN, "ann left", NOON) for _ in range(4)))
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and found.pins[0].pin.pause == Pause(NOON, "ann left")
    assert found.pins[0].pin.alerting == {AlertKind.PAUSED}
    (told,) = found.alerts
    assert (told.kind, told.run_id, len(told.deliveries)) == (AlertKind.PAUSED, "", 2)
    assert await runs.start("acme", ONE.board_id, NOON + HOUR)
    assert await runs.under_way(RunState.DUE, 10) == []
    sending, _ = await alerts.to_send(NOON, 10)
    assert sending.run is None and sending.pin is not None
    other = replace(PIN, pinned_by="bob")
    await runs.pause(other, "", NOON)
    assert (await runs.pins(ONE.board_id))[0].pause is not None, "it is another owner's"
    await runs.pause(PIN, "", NOON)
    assert await runs.pins(ONE.board_id) == [PIN]
    await runs.start("acme", ONE.board_id, NOON + HOUR)
    assert len(await runs.under_way(RunState.DUE, 10)) == 1


async def test_a_run_ends_once_with_its_alert_and_where_that_goes(
    boards: SqlBoardStore, runs: SqlRunStore, database: Database
) -> None:
    await pinned(boards)
    assert await runs.start("acme", ONE.board_id, NOON + HOUR)
    ((_, run),) = await runs.under_way(RunState.DUE, 10)
    await runs.seen(run.run_id, NOON, running=True)
    assert await runs.under_way(RunState.DUE, 10) == []
    ended = await asyncio.gather(*(runs.settle(run, judged) for _ in range(6)))
    assert len([one for one in ended if one is not None]) == 1
    assert (await rows(database, AlertRow), await rows(database, DeliveryRow)) == (1, 2)
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and found.alerting_count == 1
    assert [one.number.text for one in found.pins[0].runs if one.number] == ["0", "9"]
    assert found.pins[0].pin.alerting == {AlertKind.OUT_OF_RANGE}
    assert [one.channel for one in found.alerts[0].deliveries] != []
    await runs.seen(run.run_id, NOON, running=True)
    assert await runs.under_way(RunState.RUNNING, 10) == [], "what has ended stays ended"


async def test_an_alert_is_sent_by_one_gateway_until_it_is_on_record(
    boards: SqlBoardStore, runs: SqlRunStore, alerts: SqlAlertStore
) -> None:
    await pinned(boards)
    await runs.start("acme", ONE.board_id, NOON)
    ((_, run),) = await runs.under_way(RunState.DUE, 10)
    await runs.settle(run, judged)
    at = NOON + 2 * HOUR
    assert await alerts.to_send(at - HOUR, 10) == []
    one, _ = await alerts.to_send(at, 10)
    assert (one.board.title, one.pin is not None, one.run is not None) == ("Sales", True, True)
    took = await asyncio.gather(*(alerts.claim_delivery(one.delivery, at + HOUR) for _ in range(6)))
    assert sum(took) == 1
    assert len(await alerts.to_send(at, 10)) == 1
    sent = replace(one.delivery, state=DeliveryState.SENT, attempts=1)
    await alerts.delivered(sent, at)
    assert len(await alerts.to_send(at, 10)) == 2, "the log does not have it yet"
    await alerts.delivered(sent, at, recorded=True)
    assert len(await alerts.to_send(at, 10)) == 1


async def test_what_a_board_had_goes_with_it(
    boards: SqlBoardStore, runs: SqlRunStore, database: Database
) -> None:
    await pinned(boards)
    await runs.start("acme", ONE.board_id, NOON)
    ((_, run),) = await runs.under_way(RunState.DUE, 10)
    await runs.settle(run, judged)
    assert await boards.unpin("acme", PIN.pin_id, NOON, lambda board, _: noted(board))
    assert await boards.get_pin("acme", PIN.pin_id) is None
    assert await boards.runs("acme", PIN.pin_id, 10, "") is None
    assert await runs.settle(run, judged) is None
    assert await rows(database, AlertRow) == 1, "what was told was told"
    assert await boards.delete("acme", ONE.board_id)
    left = [await rows(database, table) for table in (PinRow, RunRow, VersionRow)]
    assert left == [0, 0, 0]
    assert (await rows(database, AlertRow), await rows(database, DeliveryRow)) == (0, 0)


async def test_lists_go_from_the_newest_in_pages(boards: SqlBoardStore, runs: SqlRunStore) -> None:
    await pinned(boards)
    for number in range(5):  # two were made at the same moment
        at = NOON + timedelta(minutes=number // 2)
        await boards.create(replace(ONE, board_id=f"{number:032x}", created_at=at))
        await runs.start("acme", ONE.board_id, NOON + number * HOUR)
        ((_, run),) = await runs.under_way(RunState.DUE, 10)
        await runs.settle(run, judged)
    seen, token = [], ""
    while True:
        page, token = await boards.page("acme", 2, token)
        seen += [one.board_id[-1] for one in page]
        if not token:
            break
    assert seen == ["4", "2", "3", "0", "1", "a"]
    told, token = [], ""
    while True:
        found = await boards.runs("acme", PIN.pin_id, 2, token)
        assert found is not None
        told += [one.due_at for one in found[0]]
        token = found[1]
        if not token:
            break
    assert len(told) == 6 and told == sorted(told, reverse=True)
    with pytest.raises(AssayError):
        await boards.runs("acme", PIN.pin_id, 2, "nonsense")


async def test_a_tenant_has_so_many_boards_and_a_board_so_many_pins(
    boards: SqlBoardStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.adapters.board_store.MOST_BOARDS", 1)
    monkeypatch.setattr("gateway.adapters.board_store.MOST_PINS", 1)
    await pinned(boards)
    assert await boards.create(ONE) is not None
    with pytest.raises(AssayError) as refused:
        await boards.create(replace(ONE, board_id=new_id()))
    assert refused.value.reason is RESOURCE_EXHAUSTED
    with pytest.raises(AssayError) as refused:
        await boards.pin(replace(PIN, pin_id=new_id()), FIRST, noted)
    assert refused.value.reason is RESOURCE_EXHAUSTED


async def test_of_a_long_history_the_newest_stay(
    boards: SqlBoardStore, runs: SqlRunStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.adapters.board_run_store.MOST_RUNS", 3)
    await pinned(boards)
    for number in range(1, 6):
        await runs.start("acme", ONE.board_id, NOON + number * HOUR)
        ((_, run),) = await runs.under_way(RunState.DUE, 10)
        await runs.settle(run, judged)
    assert await rows(database, RunRow) == 3


async def test_of_what_a_board_told_the_newest_stay_and_what_is_on_its_way(
    boards: SqlBoardStore,
    runs: SqlRunStore,
    alerts: SqlAlertStore,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gateway.adapters.board_alert_store.MOST_ALERTS", 2)
    await pinned(boards)
    for number in range(6):
        at = NOON + number * HOUR
        await runs.pause(PIN, "ann left", at)
        await runs.pause(PIN, "", at)
        if number < 5:  # the last is still on its way, as is all of another board
            for one in await alerts.to_send(at, 10):
                await alerts.delivered(one.delivery, at, recorded=True)
    assert await rows(database, AlertRow) == 2
    assert await rows(database, DeliveryRow) == 4
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and [one.at for one in found.alerts] == [
        NOON + 5 * HOUR,
        NOON + 4 * HOUR,
    ]
    for number in range(6, 9):
        await runs.pause(PIN, "ann left", NOON + number * HOUR)
        await runs.pause(PIN, "", NOON + number * HOUR)
    assert await rows(database, AlertRow) == 4, "none of these was sent yet"
