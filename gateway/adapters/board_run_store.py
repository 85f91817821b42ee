"""Runs of boards in SQL, as gateways take them further; implements
`gateway.boards.ports.RunStore`.

Several gateways do so at once. Each step is taken by whoever changes a row from what was read: one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, delete, select, update
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.board_alert_store import alert_by, tell
from gateway.adapters.board_rows import (
    board_of,
    pin_of,
    run_of,
    run_row,
    write_pin,
    write_run,
)
from gateway.adapters.board_tables import BoardRow, PinRow, RunRow
from gateway.adapters.commits import committed
from gateway.boards.ports import Judge
from gateway.domain.board import (
    MOST_RUNS,
    Alert,
    AlertKind,
    Board,
    Pin,
    Run,
    RunState,
)
from gateway.domain.board_meaning import Judged
from gateway.domain.board_pause import owner_of, pause_words, paused, resumed
from mesh.ids import derived_id
from mesh.paging import moment_key
from mesh.storage.database import Database

_UNDER_WAY = (RunState.DUE.value, RunState.RUNNING.value)


class SqlRunStore:
    """Runs of all tenants."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def due(self, now: datetime, most: int) -> list[Board]:
        """Boards whose time has come, the longest waiting first."""
        wanted = (
            select(BoardRow)
            .where(BoardRow.next_run_at <= now)
            .order_by(BoardRow.next_run_at, BoardRow.board_id)
            .limit(most)
        )
        return await self._database.reading(
            lambda transaction: [board_of(row) for row in transaction.scalars(wanted)]
        )

    async def pins(self, board_id: str) -> list[Pin]:
        """The pins of a board."""
        wanted = (
            select(PinRow)
            .where(PinRow.board_id == board_id, PinRow.removed_at.is_(None))
            .order_by(PinRow.pin_id)
        )
        return await self._database.reading(
            lambda transaction: [pin_of(row) for row in transaction.scalars(wanted)]
        )

    async def pause(self, pin: Pin, why: str, now: datetime) -> None:
        """Have a pin not asked any more, and tell so once; without `why` have it asked again."""

        def work(transaction: Transaction) -> None:
            board = transaction.get(BoardRow, pin.board_id, with_for_update=True)
            row = transaction.get(PinRow, pin.pin_id, with_for_update=True)
            if board is None or row is None or owner_of(pin_of(row)) != owner_of(pin):
                return
            held = pin_of(row)
            write_pin(row, paused(held, why, now) if why else resumed(held))
            if why and held.pause is None:
                alert_id = derived_id("alert", pin.pin_id, "paused", moment_key(now))
                words = f"{held.title}: {pause_words(why)}"
                told = Alert(alert_id, pin.pin_id, "", AlertKind.PAUSED, words, now)
                tell(transaction, board_of(board), told)

        await committed(self._database, "pin-paused", work)

    async def claim(self, board: Board, following: datetime | None, now: datetime) -> int | None:
        """Note runs of a due board, which this gateway alone does; how many, None where another
        did or the board was changed."""
        claimed = (
            update(BoardRow)
            .where(BoardRow.board_id == board.board_id, BoardRow.next_run_at == board.next_run_at)
            .values(next_run_at=following)
        )
        due_at = board.next_run_at

        def work(transaction: Transaction) -> int | None:
            if due_at is None or not _changed(transaction.execute(claimed)):
                return None
            return _note(transaction, board.board_id, due_at, now)

        return await committed(self._database, "board-claimed", work)

    async def start(self, tenant: str, board_id: str, now: datetime) -> bool:
        """Note runs of a board now; whether the tenant has such a one."""

        def work(transaction: Transaction) -> bool:
            row = transaction.get(BoardRow, board_id, with_for_update=True)
            if row is None or row.tenant != tenant:
                return False
            _note(transaction, board_id, now, now)
            return True

        return await committed(self._database, "board-refreshed", work)

    async def under_way(
        self, state: RunState, most: int, board_id: str = ""
    ) -> list[tuple[Pin, Run]]:
        """Runs that are due or running, of one board or of all; those first that were not seen to
        for the longest time."""
        wanted = (
            select(PinRow, RunRow)
            .join(RunRow, RunRow.pin_id == PinRow.pin_id)
            .where(RunRow.state == state.value)
            .order_by(RunRow.seen_at, RunRow.run_id)
            .limit(most)
        )
        if board_id:
            wanted = wanted.where(RunRow.board_id == board_id)
        return await self._database.reading(
            lambda transaction: [
                (pin_of(pin), run_of(run)) for pin, run in transaction.execute(wanted)
            ]
        )

    async def seen(self, run_id: str, now: datetime, *, running: bool = False) -> None:
        """Note that a run was seen to, or that its job is under way."""
        values: dict[str, Any] = {"seen_at": now}
        changed = update(RunRow).where(RunRow.run_id == run_id, RunRow.state.in_(_UNDER_WAY))
        if running:
            values["state"] = RunState.RUNNING.value
        await committed(
            self._database,
            "run-seen",
            lambda transaction: transaction.execute(changed.values(**values)),
        )

    async def settle(self, run: Run, judge: Judge) -> Judged | None:
        """End a run, which one gateway does: None where another did, or it is gone.

        `judge` is given the run, its pin, the answer before, and the one that its meaning is
        compared with. Its alerts are stored with it, each with where it goes.
        """

        def work(transaction: Transaction) -> Judged | None:
            board = transaction.get(BoardRow, run.board_id, with_for_update=True)
            pin = transaction.get(PinRow, run.pin_id, with_for_update=True)
            row = transaction.get(RunRow, run.run_id, with_for_update=True)
            if board is None or pin is None or row is None or row.state not in _UNDER_WAY:
                return None
            former = (
                select(RunRow)
                .where(RunRow.pin_id == run.pin_id, RunRow.state == RunState.ANSWERED.value)
                .order_by(RunRow.due_at.desc(), RunRow.run_id)
                .limit(1)
            )
            before = transaction.scalar(former)
            base = transaction.get(RunRow, pin.before) if pin.before else None
            judged = judge(run_of(row), pin_of(pin), _run(before), _run(base))
            write_run(row, judged.run)
            write_pin(pin, judged.pin)
            for kind, words in judged.alerts:
                tell(transaction, board_of(board), alert_by(judged.run, kind, words))
            _forget(transaction, judged.pin)
            return judged

        return await committed(self._database, "run-settled", work)


def _changed(result: object) -> bool:
    return isinstance(result, CursorResult) and result.rowcount == 1


def _run(row: RunRow | None) -> Run | None:
    return run_of(row) if row is not None else None


def _note(transaction: Transaction, board_id: str, due_at: datetime, now: datetime) -> int:
    """A run for each pin that is asked and has none under way. Its id follows from pin and time."""
    busy = select(RunRow.pin_id).where(RunRow.board_id == board_id, RunRow.state.in_(_UNDER_WAY))
    wanted = select(PinRow.pin_id).where(
        PinRow.board_id == board_id,
        PinRow.removed_at.is_(None),
        PinRow.paused_at.is_(None),
        PinRow.pin_id.not_in(busy),
    )
    noted = 0
    for pin_id in transaction.scalars(wanted).all():
        run_id = derived_id("run", pin_id, moment_key(due_at))
        run = Run(run_id, run_id, pin_id, board_id, due_at)
        if transaction.get(RunRow, run.run_id) is None:
            transaction.add(run_row(run, now))
            noted += 1
    return noted


def _forget(transaction: Transaction, pin: Pin) -> None:
    """Of the history of a pin the newest stay, and what its meaning is compared with."""
    oldest = (
        select(RunRow.due_at)
        .where(RunRow.pin_id == pin.pin_id)
        .order_by(RunRow.due_at.desc())
        .offset(MOST_RUNS)
        .limit(1)
    )
    before = transaction.scalar(oldest)
    if before is not None:
        transaction.execute(
            delete(RunRow).where(
                RunRow.pin_id == pin.pin_id,
                RunRow.due_at <= before,
                RunRow.run_id.not_in([pin.before, pin.changed]),
            )
        )
