"""Boards in SQL as people see and change them; implements `gateway.boards.ports.BoardStore`.

Whatever changes anything of a board locks its row first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.board_alert_store import newest_alerts
from gateway.adapters.board_rows import (
    board_of,
    board_row,
    pin_of,
    pin_row,
    run_of,
    run_row,
    write_pin,
    write_run,
)
from gateway.adapters.board_tables import BoardRow, PinRow, RunRow
from gateway.adapters.board_version_store import (
    keep_version,
    remove_pin,
    with_versions,
    write_change,
)
from gateway.adapters.commits import committed
from gateway.adapters.pin_file_store import drop_files, keep_files
from gateway.domain.board import (
    MOST_BOARDS,
    MOST_PINS,
    SHOWN_RUNS,
    Board,
    Pin,
    PinShown,
    Run,
    RunState,
    too_many,
)
from gateway.domain.session import absent
from mesh.paging import keys_of, moment_key, moment_of, token_of
from mesh.storage.database import Database

_BOARDS = "boards"
_ENDED = (RunState.ANSWERED.value, RunState.FAILED.value)


class SqlBoardStore:
    """Boards of all tenants; no method looks beyond one tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, new: Board) -> Board:
        """Store a board, or find the one that has its id."""

        def work(transaction: Transaction) -> Board:
            row = transaction.get(BoardRow, new.board_id)
            if row is None:
                held = select(func.count()).where(BoardRow.tenant == new.tenant)
                if (transaction.scalar(held) or 0) >= MOST_BOARDS:
                    raise too_many("boards", MOST_BOARDS)
                try:
                    with transaction.begin_nested():
                        transaction.add(board_row(new))
                        keep_version(transaction, new)
                    return new
                except IntegrityError:  # another gateway stored it at the same moment
                    row = transaction.get_one(BoardRow, new.board_id)
            if row.tenant != new.tenant:
                raise absent("board", new.board_id)
            return board_of(row)

        return await committed(self._database, "board-created", work)

    async def get(self, tenant: str, board_id: str) -> Board | None:
        """A board with its pins, their newest runs, and its newest alerts."""

        def work(transaction: Transaction) -> Board | None:
            row = transaction.get(BoardRow, board_id)
            if row is None or row.tenant != tenant:
                return None
            pins = tuple(_shown(transaction, one) for one in transaction.scalars(_pins(board_id)))
            alerting = sum(1 for one in pins if one.pin.alerting)
            return replace(
                with_versions(transaction, board_of(row)),
                pins=pins,
                pin_count=len(pins),
                alerting_count=alerting,
                alerts=newest_alerts(transaction, board_id),
            )

        return await self._database.reading(work)

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Board], str]:
        """Newest first; a token names the last board of the page before."""
        after = keys_of(_BOARDS, token, (str, str))
        created, own_id = BoardRow.created_at, BoardRow.board_id
        wanted = (
            select(BoardRow)
            .where(BoardRow.tenant == tenant)
            .order_by(created.desc(), own_id)
            .limit(size + 1)
        )
        if after is not None:
            moment = moment_of(after[0])
            wanted = wanted.where(or_(created < moment, and_(created == moment, own_id > after[1])))

        def work(transaction: Transaction) -> list[Board]:
            found = [board_of(row) for row in transaction.scalars(wanted)]
            pins = select(PinRow.board_id, PinRow.alerting).where(
                PinRow.board_id.in_([one.board_id for one in found]), PinRow.removed_at.is_(None)
            )
            alerting: dict[str, list[bool]] = {}
            for board_id, kinds in transaction.execute(pins):
                alerting.setdefault(board_id, []).append(bool(kinds))
            return [
                replace(one, pin_count=len(held), alerting_count=sum(held))
                for one in found
                for held in [alerting.get(one.board_id, [])]
            ]

        found = await self._database.reading(work)
        page = found[:size]
        if len(found) <= size:
            return page, ""
        return page, token_of(_BOARDS, (moment_key(page[-1].created_at), page[-1].board_id))

    async def update(
        self, tenant: str, board_id: str, change: Callable[[Board], Board]
    ) -> Board | None:
        """Change a board as it stands in that moment; None where the tenant has no such."""

        def work(transaction: Transaction) -> Board | None:
            row = _locked(transaction, tenant, board_id)
            if row is None:
                return None
            return write_change(transaction, row, change(board_of(row)))

        return await committed(self._database, "board-updated", work)

    async def delete(self, tenant: str, board_id: str) -> bool:
        """Delete a board with all that hangs on it; whether there was one."""

        def work(transaction: Transaction) -> bool:
            row = _locked(transaction, tenant, board_id)
            if row is not None:
                held = select(PinRow.pin_id).where(PinRow.board_id == board_id)
                drop_files(transaction, transaction.scalars(held))
                transaction.delete(row)
            return row is not None

        return await committed(self._database, "board-deleted", work)

    async def pin(self, new: Pin, first: Run, change: Callable[[Board], Board]) -> Pin | None:
        """Store a pin with its first run, or find the one that has its id; None where the tenant
        has no such board."""

        def work(transaction: Transaction) -> Pin | None:
            board = _locked(transaction, new.tenant, new.board_id)
            if board is None:
                return None
            row = transaction.get(PinRow, new.pin_id)
            if row is not None:
                if row.tenant != new.tenant:
                    raise absent("pin", new.pin_id)
                return pin_of(row)
            held = select(func.count()).where(
                PinRow.board_id == new.board_id, PinRow.removed_at.is_(None)
            )
            if (transaction.scalar(held) or 0) >= MOST_PINS:
                raise too_many("pins on this board", MOST_PINS)
            transaction.add(pin_row(new))
            transaction.flush()
            keep_files(transaction, new)
            transaction.add(run_row(first, first.due_at))
            write_change(transaction, board, change(board_of(board)))
            return new

        return await committed(self._database, "answer-pinned", work)

    async def get_pin(self, tenant: str, pin_id: str) -> PinShown | None:
        """A pin with its newest runs."""

        def work(transaction: Transaction) -> PinShown | None:
            row = _held(transaction, tenant, pin_id)
            return _shown(transaction, row) if row is not None else None

        return await self._database.reading(work)

    async def update_pin(
        self, tenant: str, pin_id: str, change: Callable[[Board, PinShown], tuple[Board, PinShown]]
    ) -> PinShown | None:
        """Change a pin, its newest answer and its board as they stand in that moment."""

        def work(transaction: Transaction) -> PinShown | None:
            board, row = _locked_pin(transaction, tenant, pin_id)
            if board is None or row is None:
                return None
            changed, shown = change(board_of(board), _shown(transaction, row))
            write_pin(row, shown.pin)
            write_change(transaction, board, changed)
            if shown.answer is not None:
                write_run(transaction.get_one(RunRow, shown.answer.run_id), shown.answer)
            transaction.flush()
            return _shown(transaction, row)

        return await committed(self._database, "pin-updated", work)

    async def unpin(
        self, tenant: str, pin_id: str, now: datetime, change: Callable[[Board, Pin], Board]
    ) -> bool:
        """Take a pin off its board; whether there was one."""

        def work(transaction: Transaction) -> bool:
            board, row = _locked_pin(transaction, tenant, pin_id)
            if board is None or row is None:
                return False
            remove_pin(transaction, row, now)
            write_change(transaction, board, change(board_of(board), pin_of(row)))
            return True

        return await committed(self._database, "answer-unpinned", work)

    async def runs(
        self, tenant: str, pin_id: str, size: int, token: str
    ) -> tuple[list[Run], str] | None:
        """The history of a pin, newest first; None where the tenant has no such."""
        listing = f"runs of {pin_id}"
        after = keys_of(listing, token, (str, str))
        wanted = _runs(pin_id).limit(size + 1)
        if after is not None:
            moment = moment_of(after[0])
            same = and_(RunRow.due_at == moment, RunRow.run_id > after[1])
            wanted = wanted.where(or_(RunRow.due_at < moment, same))

        def work(transaction: Transaction) -> list[Run] | None:
            if _held(transaction, tenant, pin_id) is None:
                return None
            return [run_of(one) for one in transaction.scalars(wanted)]

        found = await self._database.reading(work)
        if found is None:
            return None
        page = found[:size]
        if len(found) <= size:
            return page, ""
        return page, token_of(listing, (moment_key(page[-1].due_at), page[-1].run_id))


def _locked(transaction: Transaction, tenant: str, board_id: str) -> BoardRow | None:
    row = transaction.get(BoardRow, board_id, with_for_update=True)
    return row if row is not None and row.tenant == tenant else None


def _held(transaction: Transaction, tenant: str, pin_id: str) -> PinRow | None:
    row = transaction.get(PinRow, pin_id)
    here = row is not None and row.tenant == tenant and row.removed_at is None
    return row if here else None


def _locked_pin(
    transaction: Transaction, tenant: str, pin_id: str
) -> tuple[BoardRow | None, PinRow | None]:
    held = select(PinRow.board_id).where(
        PinRow.pin_id == pin_id, PinRow.tenant == tenant, PinRow.removed_at.is_(None)
    )
    board_id = transaction.scalar(held)
    board = _locked(transaction, tenant, board_id) if board_id is not None else None
    return board, transaction.get(PinRow, pin_id, with_for_update=True) if board else None


def _pins(board_id: str) -> Select[Any]:
    wanted = select(PinRow).where(PinRow.board_id == board_id, PinRow.removed_at.is_(None))
    return wanted.order_by(PinRow.pinned_at, PinRow.pin_id)


def _runs(pin_id: str) -> Select[Any]:
    wanted = select(RunRow).where(RunRow.pin_id == pin_id)
    return wanted.order_by(RunRow.due_at.desc(), RunRow.run_id)


def _shown(transaction: Transaction, row: PinRow) -> PinShown:
    pin = pin_of(row)
    ended = _runs(pin.pin_id).where(RunRow.state.in_(_ENDED)).limit(SHOWN_RUNS)
    runs = tuple(run_of(one) for one in transaction.scalars(ended))
    newest = _runs(pin.pin_id).where(RunRow.state == RunState.ANSWERED.value).limit(1)
    going = _runs(pin.pin_id).where(RunRow.state.not_in(_ENDED)).limit(1)
    answer, under_way = transaction.scalar(newest), transaction.scalar(going)
    change = None
    if pin.changed:
        before, after = (transaction.get(RunRow, one) for one in (pin.before, pin.changed))
        if before is not None and after is not None:
            change = (run_of(before), run_of(after))
    return PinShown(
        pin,
        runs,
        run_of(under_way) if under_way is not None else None,
        run_of(answer) if answer is not None else None,
        change,
    )
