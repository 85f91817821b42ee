"""What boards told, and its way to people, in SQL; implements `gateway.boards.ports.AlertStore`.

Several gateways send. A try is made by whoever changes a delivery from what was read: one.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CursorResult, delete, select, update
from sqlalchemy.orm import Session as Transaction

from gateway.adapters.board_rows import alert_of, board_of, delivery_of, pin_of, run_of
from gateway.adapters.board_tables import AlertRow, BoardRow, DeliveryRow, PinRow, RunRow
from gateway.adapters.commits import committed
from gateway.boards.ports import Sending
from gateway.domain.board import (
    MOST_ALERTS,
    SHOWN_ALERTS,
    Alert,
    AlertKind,
    Board,
    Delivery,
    DeliveryState,
    Run,
)
from mesh.ids import derived_id
from mesh.storage.database import Database


class SqlAlertStore:
    """Alerts of all tenants on their way."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def to_send(self, now: datetime, most: int) -> list[Sending]:
        """Alerts on their way whose time has come, with whose they are."""
        wanted = (
            select(DeliveryRow, AlertRow, BoardRow)
            .join(AlertRow, AlertRow.alert_id == DeliveryRow.alert_id)
            .join(BoardRow, BoardRow.board_id == AlertRow.board_id)
            .where(DeliveryRow.recorded.is_(False), DeliveryRow.try_at <= now)
            .order_by(DeliveryRow.try_at, DeliveryRow.delivery_id)
            .limit(most)
        )

        def work(transaction: Transaction) -> list[Sending]:
            found: list[Sending] = []
            for sent, alert, board in transaction.execute(wanted):
                run = transaction.get(RunRow, alert.run_id)
                pin = transaction.get(PinRow, alert.pin_id)
                found.append(
                    Sending(
                        delivery_of(sent),
                        alert_of(alert, []),
                        board_of(board),
                        pin_of(pin) if pin is not None else None,
                        run_of(run) if run is not None else None,
                    )
                )
            return found

        return await self._database.reading(work)

    async def claim_delivery(self, one: Delivery, again_at: datetime) -> bool:
        """Take a delivery for this try; another gateway may from `again_at` on."""
        claimed = (
            update(DeliveryRow)
            .where(
                DeliveryRow.delivery_id == one.delivery_id,
                DeliveryRow.attempts == one.attempts,
                DeliveryRow.state == DeliveryState.PENDING.value,
            )
            .values(attempts=one.attempts + 1, try_at=again_at)
        )

        def work(transaction: Transaction) -> bool:
            done = transaction.execute(claimed)
            return isinstance(done, CursorResult) and done.rowcount == 1

        return await committed(self._database, "alert-claimed", work)

    async def delivered(self, one: Delivery, try_at: datetime, *, recorded: bool = False) -> None:
        """Note what became of a try, and whether the audit log has it."""
        values = {"state": one.state.value, "why": one.why, "try_at": try_at, "recorded": recorded}
        changed = update(DeliveryRow).where(DeliveryRow.delivery_id == one.delivery_id)
        await committed(
            self._database,
            "alert-delivered",
            lambda transaction: transaction.execute(changed.values(**values)),
        )


def alert_by(run: Run, kind: AlertKind, words: str) -> Alert:
    """An alert that the end of a run is."""
    at = run.ended_at or run.due_at
    alert_id = derived_id("alert", run.run_id, kind.value)
    return Alert(alert_id, run.pin_id, run.run_id, kind, words, at)


def tell(transaction: Transaction, board: Board, told: Alert) -> None:
    """Store an alert, and where it goes; the newest of a board stay."""
    transaction.add(
        AlertRow(
            alert_id=told.alert_id,
            board_id=board.board_id,
            tenant=board.tenant,
            pin_id=told.pin_id,
            run_id=told.run_id,
            kind=told.kind.value,
            words=told.words,
            at=told.at,
        )
    )
    transaction.flush()
    for channel, target in board.targets.all():
        transaction.add(
            DeliveryRow(
                delivery_id=derived_id("delivery", told.alert_id, channel, target),
                alert_id=told.alert_id,
                channel=channel,
                target=target,
                state=DeliveryState.PENDING.value,
                attempts=0,
                try_at=told.at,
                why="",
                recorded=False,
            )
        )
    _forget(transaction, board.board_id)


def newest_alerts(transaction: Transaction, board_id: str) -> tuple[Alert, ...]:
    """The newest alerts of a board, the newest first, each with where it was sent to."""
    wanted = select(AlertRow).where(AlertRow.board_id == board_id)
    newest = wanted.order_by(AlertRow.at.desc(), AlertRow.alert_id).limit(SHOWN_ALERTS)
    rows = list(transaction.scalars(newest))
    sent = select(DeliveryRow).where(DeliveryRow.alert_id.in_([one.alert_id for one in rows]))
    deliveries: dict[str, list[DeliveryRow]] = {}
    for one in transaction.scalars(sent.order_by(DeliveryRow.delivery_id)):
        deliveries.setdefault(one.alert_id, []).append(one)
    return tuple(alert_of(one, deliveries.get(one.alert_id, [])) for one in rows)


def _forget(transaction: Transaction, board_id: str) -> None:
    """Of what a board told the newest stay, and what is still on its way."""
    transaction.flush()
    old = (
        select(AlertRow.alert_id)
        .where(AlertRow.board_id == board_id)
        .order_by(AlertRow.at.desc(), AlertRow.alert_id)
        .offset(MOST_ALERTS)
    )
    ids = transaction.scalars(old).all()
    if not ids:
        return
    going = select(DeliveryRow.alert_id).where(DeliveryRow.recorded.is_(False))
    transaction.execute(
        delete(AlertRow).where(AlertRow.alert_id.in_(ids), AlertRow.alert_id.not_in(going))
    )
