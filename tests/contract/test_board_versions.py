"""Boards can be had as they were, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.adapters.board_run_store import SqlRunStore
from gateway.adapters.board_store import SqlBoardStore
from gateway.adapters.board_version_store import SqlVersionStore
from gateway.domain.board import AlertKind, Board, PinShown, Range, RunState, Targets
from gateway.domain.board_meaning import watched_by
from gateway.domain.board_schedule import OFF
from mesh.storage.database import Database
from tests.contract.gateway_stores import NOON, database, url
from tests.contract.test_board_store import FIRST, ONE, PIN, noted

__all__ = ["database", "url"]

OTHER = replace(PIN, pin_id="9" * 32, title="Other")
LATER = NOON + timedelta(days=1)


@pytest.fixture
def boards(database: Database) -> SqlBoardStore:
    return SqlBoardStore(database)


@pytest.fixture
def versions(database: Database) -> SqlVersionStore:
    return SqlVersionStore(database)


def plain(board: Board) -> Board:
    changed = replace(board, title="Plain", schedule=OFF, targets=Targets())
    return changed.changed(NOON, "bob", "plain")


def narrowed(board: Board, shown: PinShown) -> tuple[Board, PinShown]:
    pin, answer = watched_by(shown.pin, Range(low=100.0), shown.answer)
    shown = replace(shown, pin=replace(pin, title="Narrow"), answer=answer)
    return board.changed(NOON, "ann", "narrow"), shown


def again(former: Board) -> Board:
    changed = replace(former, title=former.title)
    return changed.changed(LATER, "bob", "as it was")


async def four_versions(boards: SqlBoardStore) -> None:
    """Made, pinned, narrowed, plain and without its pin, and with another."""
    await boards.create(ONE)
    await boards.pin(PIN, FIRST, noted)
    await boards.update_pin("acme", PIN.pin_id, narrowed)
    await boards.update("acme", ONE.board_id, plain)
    await boards.unpin("acme", PIN.pin_id, NOON, lambda board, _: noted(board))
    await boards.pin(OTHER, replace(FIRST, run_id="8" * 32, pin_id=OTHER.pin_id), noted)


async def test_a_version_is_what_was_set_then(
    boards: SqlBoardStore, versions: SqlVersionStore
) -> None:
    await four_versions(boards)
    made = await versions.at("acme", ONE.board_id, 1)
    assert made is not None and (made.title, made.schedule, made.targets, made.pins) == (
        ONE.title,
        ONE.schedule,
        ONE.targets,
        (),
    )
    titles = []
    for number in range(2, 7):
        found = await versions.at("acme", ONE.board_id, number)
        assert found is not None and found.version == number
        titles.append((found.title, [one.pin.title for one in found.pins]))
    assert titles == [
        ("Sales", ["Sold"]),
        ("Sales", ["Narrow"]),
        ("Plain", ["Narrow"]),
        ("Plain", []),
        ("Plain", ["Other"]),
    ]
    assert await versions.at("acme", ONE.board_id, 7) is None
    assert await versions.at("evil", ONE.board_id, 1) is None
    now = await boards.get("acme", ONE.board_id)
    assert now is not None and [one.kept for one in now.changes] == [True] * 5


async def test_a_version_that_is_restored_has_its_pins_with_their_history(
    boards: SqlBoardStore, versions: SqlVersionStore, database: Database
) -> None:
    await four_versions(boards)
    third = await versions.at("acme", ONE.board_id, 3)
    assert third is not None
    assert await versions.restore("evil", ONE.board_id, third, again) is None
    await versions.restore("acme", ONE.board_id, third, again)
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and (found.version, found.changes[0].what) == (7, "as it was")
    (shown,) = found.pins
    assert (shown.pin.title, shown.pin.range, len(shown.runs)) == ("Narrow", Range(low=100.0), 1)
    assert shown.pin.alerting == {AlertKind.OUT_OF_RANGE}
    second = await versions.at("acme", ONE.board_id, 2)
    assert second is not None
    await versions.restore("acme", ONE.board_id, second, again)
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and found.pins[0].pin == PIN, "its range is as it was, and its title"
    sixth = await versions.at("acme", ONE.board_id, 6)
    assert sixth is not None
    await versions.restore("acme", ONE.board_id, sixth, again)
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and [one.pin.pin_id for one in found.pins] == [OTHER.pin_id]


async def test_what_was_taken_off_is_not_asked_and_forgotten_in_the_end(
    boards: SqlBoardStore, versions: SqlVersionStore, database: Database
) -> None:
    runs = SqlRunStore(database)
    await four_versions(boards)
    await runs.start("acme", ONE.board_id, LATER)
    assert [pin for pin, _ in await runs.under_way(RunState.DUE, 10)] == [OTHER]
    await versions.sweep(NOON)
    third = await versions.at("acme", ONE.board_id, 3)
    assert third is not None and not third.pins[0].gone, "it is not so long ago"
    await versions.sweep(LATER)
    third = await versions.at("acme", ONE.board_id, 3)
    assert third is not None and third.pins[0].gone and third.pins[0].pin.title == "Narrow"
    await versions.restore("acme", ONE.board_id, third, again)
    found = await boards.get("acme", ONE.board_id)
    assert found is not None and found.pins == ()


async def test_the_newest_versions_are_kept_and_so_many_pins_can_be_brought_back(
    boards: SqlBoardStore, versions: SqlVersionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.adapters.board_version_store.KEPT_CHANGES", 2)
    monkeypatch.setattr("gateway.adapters.board_version_store.MOST_PINS", 0)
    await four_versions(boards)
    kept = [await versions.at("acme", ONE.board_id, number) for number in range(1, 7)]
    assert [one is not None for one in kept] == [False] * 4 + [True] * 2
    now = await boards.get("acme", ONE.board_id)
    assert now is not None and [one.kept for one in now.changes] == [True] * 2 + [False] * 3
    assert await boards.pin(PIN, FIRST, noted) == PIN, "nothing of it was left"
