"""What was set of boards in their newest versions, in SQL; implements
`gateway.boards.ports.VersionStore`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.board_rows import (
    board_of,
    pin_of,
    run_of,
    schedule_of,
    targets_of,
    write_board,
    write_pin,
    write_run,
)
from gateway.adapters.board_tables import BoardRow, PinRow, RunRow, VersionRow
from gateway.adapters.commits import committed
from gateway.adapters.pin_file_store import drop_files
from gateway.domain.board import KEPT_CHANGES, MOST_PINS, Board, Pin, PinShown, Range, RunState
from gateway.domain.board_meaning import watched_by
from mesh.storage.database import Database

_UNDER_WAY = (RunState.DUE.value, RunState.RUNNING.value)


class SqlVersionStore:
    """Versions of all tenants' boards; no method looks beyond one tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def at(self, tenant: str, board_id: str, version: int) -> Board | None:
        """A board with its pins as they were set in a version; None where that is not kept."""

        def work(transaction: Transaction) -> Board | None:
            row = transaction.get(BoardRow, board_id)
            kept = transaction.get(VersionRow, (board_id, version))
            if row is None or kept is None or row.tenant != tenant:
                return None
            held, board = kept.held, with_versions(transaction, board_of(row))
            known = {one.pin_id: pin_of(one) for one in _pins(transaction, board_id)}
            pins = tuple(_then(board, known, one) for one in held["pins"])
            return replace(
                board,
                title=held["title"],
                schedule=schedule_of(held["schedule"]),
                targets=targets_of(held["targets"]),
                version=version,
                next_run_at=None,
                changes=tuple(one for one in board.changes if one.version == version),
                pins=pins,
                pin_count=len(pins),
            )

        return await self._database.reading(work)

    async def restore(
        self, tenant: str, board_id: str, former: Board, change: Callable[[Board], Board]
    ) -> Board | None:
        """Change a board, and have its pins be those of `former`, set as they are there."""

        def work(transaction: Transaction) -> Board | None:
            board = transaction.get(BoardRow, board_id, with_for_update=True)
            if board is None or board.tenant != tenant:
                return None
            changed = change(board_of(board))
            wanted = {one.pin.pin_id: one.pin for one in former.pins}
            for row in _pins(transaction, board_id):
                then = wanted.get(row.pin_id)
                if then is not None:
                    row.removed_at = None
                    _set_as(transaction, row, then)
                elif row.removed_at is None:
                    remove_pin(transaction, row, changed.changes[0].at)
            return write_change(transaction, board, changed)

        return await committed(self._database, "board-restored", work)

    async def sweep(self, before: datetime) -> None:
        """Forget pins that were taken off before a moment, with their history."""

        def work(transaction: Transaction) -> None:
            stale = select(PinRow).where(PinRow.removed_at < before)
            _forget(transaction, transaction.scalars(stale).all())

        await committed(self._database, "pins-forgotten", work)


def write_change(transaction: Transaction, row: BoardRow, changed: Board) -> Board:
    """Store a change of a board, and what is set of it since. Its pins are stored before."""
    grown = changed.version > row.version
    write_board(row, changed)
    if grown:
        transaction.flush()
        keep_version(transaction, changed)
    return changed


def keep_version(transaction: Transaction, board: Board) -> None:
    """Store what is set of a board now under its version; the newest versions stay."""
    pins = [
        _held(pin_of(one)) for one in _pins(transaction, board.board_id) if one.removed_at is None
    ]
    held = {
        "title": board.title,
        "schedule": asdict(board.schedule),
        "targets": {"webhook": board.targets.webhook, "emails": list(board.targets.emails)},
        "pins": pins,
    }
    transaction.add(VersionRow(board_id=board.board_id, version=board.version, held=held))
    transaction.execute(
        delete(VersionRow).where(
            VersionRow.board_id == board.board_id,
            VersionRow.version <= board.version - KEPT_CHANGES,
        )
    )


def with_versions(transaction: Transaction, board: Board) -> Board:
    """A board whose changes say which versions are kept."""
    wanted = select(VersionRow.version).where(VersionRow.board_id == board.board_id)
    kept = set(transaction.scalars(wanted))
    changes = tuple(replace(one, kept=one.version in kept) for one in board.changes)
    return replace(board, changes=changes)


def remove_pin(transaction: Transaction, row: PinRow, now: datetime) -> None:
    """Take a pin off its board. What is under way is not waited for; as many as a board may have
    can be brought back."""
    row.removed_at = now
    transaction.execute(
        delete(RunRow).where(RunRow.pin_id == row.pin_id, RunRow.state.in_(_UNDER_WAY))
    )
    transaction.flush()
    removed = (
        select(PinRow)
        .where(PinRow.board_id == row.board_id, PinRow.removed_at.is_not(None))
        .order_by(PinRow.removed_at.desc(), PinRow.pin_id)
        .offset(MOST_PINS)
    )
    _forget(transaction, transaction.scalars(removed).all())


def _forget(transaction: Transaction, pins: Sequence[PinRow]) -> None:
    """Delete pins with their history and what they kept of uploads."""
    drop_files(transaction, [one.pin_id for one in pins])
    for one in pins:
        transaction.delete(one)


def _pins(transaction: Transaction, board_id: str) -> Sequence[PinRow]:
    """All pins of a board, also those that were taken off."""
    wanted = select(PinRow).where(PinRow.board_id == board_id)
    return transaction.scalars(wanted.order_by(PinRow.pinned_at, PinRow.pin_id)).all()


def _set_as(transaction: Transaction, row: PinRow, then: Pin) -> None:
    """Give a pin another's title and range; its newest answer is judged by that."""
    newest = (
        select(RunRow)
        .where(RunRow.pin_id == row.pin_id, RunRow.state == RunState.ANSWERED.value)
        .order_by(RunRow.due_at.desc(), RunRow.run_id)
        .limit(1)
    )
    answer = transaction.scalar(newest)
    pin = replace(pin_of(row), title=then.title)
    if pin.range != then.range:
        pin, run = watched_by(pin, then.range, run_of(answer) if answer is not None else None)
        if answer is not None and run is not None:
            write_run(answer, run)
    write_pin(row, pin)


def _held(pin: Pin) -> dict[str, Any]:
    """What a version keeps of a pin."""
    return {
        "pin_id": pin.pin_id,
        "title": pin.title,
        "question": pin.question,
        "range": asdict(pin.range) if pin.range is not None else None,
        "pinned_by": pin.pinned_by,
        "pinned_at": pin.pinned_at.isoformat(),
    }


def _then(board: Board, known: dict[str, Pin], held: dict[str, Any]) -> PinShown:
    """A pin as it was set in a version; one that is forgotten by what the version keeps of it."""
    pin = known.get(held["pin_id"])
    gone = pin is None
    if pin is None:
        pin = Pin(
            pin_id=held["pin_id"],
            board_id=board.board_id,
            tenant=board.tenant,
            title="",
            question=held["question"],
            request="",
            session_id="",
            local=False,
            pinned_by=held["pinned_by"],
            pinned_at=datetime.fromisoformat(held["pinned_at"]),
            job_id="",
        )
    watched = Range(**held["range"]) if held["range"] else None
    then = replace(
        pin, title=held["title"], range=watched, alerting=frozenset(), pause=None, changed=""
    )
    return PinShown(then, gone=gone)
