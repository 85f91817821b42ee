"""Rows of boards as the domain has them, and back."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from gateway.adapters.board_tables import AlertRow, BoardRow, DeliveryRow, PinRow, RunRow
from gateway.domain.board import (
    Alert,
    AlertKind,
    Board,
    Change,
    Delivery,
    DeliveryState,
    Number,
    Pause,
    Pin,
    Range,
    Result,
    Run,
    RunState,
    Targets,
)
from gateway.domain.board_schedule import Every, Schedule
from gateway.domain.standing import Known


def board_row(board: Board) -> BoardRow:
    """A new row."""
    row = BoardRow(
        board_id=board.board_id,
        tenant=board.tenant,
        opened_title=board.opened_title,
        created_at=board.created_at,
        created_by=board.created_by,
    )
    write_board(row, board)
    return row


def write_board(row: BoardRow, board: Board) -> None:
    """What of a board can change."""
    row.title, row.version, row.next_run_at = board.title, board.version, board.next_run_at
    row.schedule = asdict(board.schedule)
    row.targets = {"webhook": board.targets.webhook, "emails": list(board.targets.emails)}
    row.changes = [_change_kept(one) for one in board.changes]


def _change_kept(one: Change) -> dict[str, Any]:
    return {"version": one.version, "at": one.at.isoformat(), "by": one.by, "what": one.what}


def board_of(row: BoardRow) -> Board:
    """A board without its pins."""
    return Board(
        board_id=row.board_id,
        tenant=row.tenant,
        title=row.title,
        opened_title=row.opened_title,
        created_at=row.created_at,
        created_by=row.created_by,
        schedule=schedule_of(row.schedule),
        targets=targets_of(row.targets),
        version=row.version,
        next_run_at=row.next_run_at,
        changes=tuple(
            Change(**{**one, "at": datetime.fromisoformat(one["at"])}) for one in row.changes
        ),
    )


def schedule_of(held: dict[str, Any]) -> Schedule:
    """A schedule."""
    return Schedule(**{**held, "every": Every(held["every"])})


def targets_of(held: dict[str, Any]) -> Targets:
    """Where alerts go."""
    return Targets(held["webhook"], tuple(held["emails"]))


def pin_row(pin: Pin) -> PinRow:
    """A new row."""
    row = PinRow(
        pin_id=pin.pin_id,
        board_id=pin.board_id,
        tenant=pin.tenant,
        question=pin.question,
        request=pin.request,
        session_id=pin.session_id,
        pinned_at=pin.pinned_at,
        job_id=pin.job_id,
    )
    write_pin(row, pin)
    return row


def write_pin(row: PinRow, pin: Pin) -> None:
    """What of a pin can change."""
    row.title, row.before, row.changed = pin.title, pin.before, pin.changed
    row.pinned_by, row.pinned_how = pin.pinned_by, pin.how.value
    row.local = pin.local
    row.paused_at = pin.pause.since if pin.pause is not None else None
    row.paused_why = pin.pause.why if pin.pause is not None else ""
    row.watched = asdict(pin.range) if pin.range is not None else None
    row.alerting = sorted(one.value for one in pin.alerting)


def pin_of(row: PinRow) -> Pin:
    """A pin."""
    return Pin(
        pin_id=row.pin_id,
        board_id=row.board_id,
        tenant=row.tenant,
        title=row.title,
        question=row.question,
        request=row.request,
        session_id=row.session_id,
        local=row.local,
        pinned_by=row.pinned_by,
        pinned_at=row.pinned_at,
        job_id=row.job_id,
        how=Known(row.pinned_how),
        range=Range(**row.watched) if row.watched else None,
        alerting=frozenset(AlertKind(one) for one in row.alerting),
        before=row.before,
        changed=row.changed,
        pause=Pause(row.paused_at, row.paused_why) if row.paused_at is not None else None,
    )


def run_row(run: Run, seen_at: datetime) -> RunRow:
    """A new row."""
    row = RunRow(
        run_id=run.run_id,
        job_id=run.job_id,
        pin_id=run.pin_id,
        board_id=run.board_id,
        due_at=run.due_at,
        seen_at=seen_at,
    )
    write_run(row, run)
    return row


def write_run(row: RunRow, run: Run) -> None:
    """What of a run can change."""
    row.state, row.ended_at = run.state.value, run.ended_at
    row.meaning_changed, row.out_of_range = run.meaning_changed, run.out_of_range
    row.result = asdict(run.result)
    row.number = asdict(run.number) if run.number is not None else None


def run_of(row: RunRow) -> Run:
    """A run."""
    kept: dict[str, Any] = dict(row.result)
    numbers = tuple(Number(**one) for one in kept.pop("numbers", ()))
    return Run(
        run_id=row.run_id,
        job_id=row.job_id,
        pin_id=row.pin_id,
        board_id=row.board_id,
        due_at=row.due_at,
        state=RunState(row.state),
        ended_at=row.ended_at,
        result=Result(**kept, numbers=numbers),
        number=Number(**row.number) if row.number else None,
        meaning_changed=row.meaning_changed,
        out_of_range=row.out_of_range,
    )


def delivery_of(row: DeliveryRow) -> Delivery:
    """An alert on its way."""
    return Delivery(
        delivery_id=row.delivery_id,
        channel=row.channel,
        target=row.target,
        state=DeliveryState(row.state),
        attempts=row.attempts,
        why=row.why,
    )


def alert_of(row: AlertRow, deliveries: list[DeliveryRow]) -> Alert:
    """An alert."""
    return Alert(
        alert_id=row.alert_id,
        pin_id=row.pin_id,
        run_id=row.run_id,
        kind=AlertKind(row.kind),
        words=row.words,
        at=row.at,
        deliveries=tuple(delivery_of(one) for one in deliveries),
    )
