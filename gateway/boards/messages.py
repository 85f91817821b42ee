"""Boards as the contract has them, and back."""

from __future__ import annotations

from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1 import analysis_pb2
from assay.gateway.v1 import board_service_pb2 as pb
from gateway.domain.board import (
    Alert,
    AlertKind,
    Board,
    DeliveryState,
    PinShown,
    Range,
    Run,
    RunState,
    Targets,
)
from gateway.domain.board_pause import pause_words
from gateway.domain.board_schedule import Every, Schedule
from mesh.errors import INVALID_ARGUMENT, PIN_OWNER_GONE, AssayError

SESSION_ENDS = (
    "It reads tables of the session that it was asked in, and gets no new answer once that has "
    "ended. Ask it over the files or sources themselves, and pin that answer."
)

_KINDS = {
    Every.OFF: pb.SCHEDULE_KIND_OFF,
    Every.MINUTES: pb.SCHEDULE_KIND_MINUTES,
    Every.DAY: pb.SCHEDULE_KIND_DAILY,
    Every.WEEK: pb.SCHEDULE_KIND_WEEKLY,
    Every.MONTH: pb.SCHEDULE_KIND_MONTHLY,
}
_EVERY = {number: every for every, number in _KINDS.items()} | {
    pb.SCHEDULE_KIND_UNSPECIFIED: Every.OFF
}
_ALERTS = {
    AlertKind.OUT_OF_RANGE: pb.ALERT_KIND_OUT_OF_RANGE,
    AlertKind.RUN_FAILED: pb.ALERT_KIND_RUN_FAILED,
    AlertKind.MEANING_CHANGED: pb.ALERT_KIND_MEANING_CHANGED,
    AlertKind.PAUSED: pb.ALERT_KIND_PAUSED,
}
_STATES = {
    RunState.DUE: pb.RUN_STATE_DUE,
    RunState.RUNNING: pb.RUN_STATE_RUNNING,
    RunState.ANSWERED: pb.RUN_STATE_ANSWERED,
    RunState.FAILED: pb.RUN_STATE_FAILED,
}
_DELIVERIES = {
    DeliveryState.PENDING: pb.DELIVERY_STATE_PENDING,
    DeliveryState.SENT: pb.DELIVERY_STATE_SENT,
    DeliveryState.FAILED: pb.DELIVERY_STATE_FAILED,
}


def schedule_of(given: pb.Schedule) -> Schedule:
    """A schedule, not checked yet. Raises AssayError(INVALID_ARGUMENT) for a kind not known."""
    every = _EVERY.get(given.kind)
    if every is None:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no kind of schedule number {given.kind}",
            fields={"schedule.kind": "unknown"},
        )
    return Schedule(
        every,
        given.every_minutes,
        given.hour,
        given.minute,
        given.weekday,
        given.day,
        given.zone,
    )


def targets_of(given: pb.AlertTargets) -> Targets:
    """Where alerts go, not checked yet."""
    return Targets(given.webhook, tuple(given.emails))


def range_of(given: pb.Range) -> Range:
    """A range, not checked yet."""
    return Range(
        given.column,
        given.claim,
        given.low if given.HasField("low") else None,
        given.high if given.HasField("high") else None,
    )


def board_message(board: Board, *, targets: bool) -> pb.Board:
    """A board; with `targets` for those who may see where alerts go."""
    message = pb.Board(
        board_id=board.board_id,
        title=board.title,
        schedule=pb.Schedule(
            kind=_KINDS[board.schedule.every],
            every_minutes=board.schedule.minutes,
            hour=board.schedule.hour,
            minute=board.schedule.minute,
            weekday=board.schedule.weekday,
            day=board.schedule.day,
            zone=board.schedule.zone,
        ),
        created_at=_time(board.created_at),
        created_by=board.created_by,
        version=board.version,
        next_run_at=_time(board.next_run_at),
        pin_count=board.pin_count,
        alerting_count=board.alerting_count,
        pins=map(pin_message, board.pins),
        changes=[
            pb.BoardChange(
                version=one.version,
                changed_at=_time(one.at),
                changed_by=one.by,
                what=one.what,
                kept=one.kept,
            )
            for one in board.changes
        ],
        alerts=map(_alert, board.alerts),
    )
    if targets:
        message.alert_targets.webhook = board.targets.webhook
        message.alert_targets.emails.extend(board.targets.emails)
    return message


def pin_message(shown: PinShown) -> pb.Pin:
    """A pin with what came of it."""
    pin = shown.pin
    message = pb.Pin(
        pin_id=pin.pin_id,
        board_id=pin.board_id,
        title=pin.title,
        question=pin.question,
        pinned_by=pin.pinned_by,
        pinned_at=_time(pin.pinned_at),
        runs=[run_message(one, statements=False) for one in shown.runs],
        alerting=[_ALERTS[one] for one in sorted(pin.alerting)],
        gone=shown.gone,
        caution=SESSION_ENDS if pin.session_id else "",
    )
    if pin.range is not None:
        message.range.column, message.range.claim = pin.range.column, pin.range.claim
        for name in ("low", "high"):
            if (limit := getattr(pin.range, name)) is not None:
                setattr(message.range, name, limit)
    if pin.pause is not None:
        message.pause.since.FromDatetime(pin.pause.since)
        message.pause.reason = PIN_OWNER_GONE.code
        message.pause.words = pause_words(pin.pause.why)
    if shown.under_way is not None:
        message.under_way.CopyFrom(run_message(shown.under_way))
    if shown.answer is not None:
        message.answer.CopyFrom(run_message(shown.answer))
    if shown.change is not None:
        message.meaning_change.before.CopyFrom(run_message(shown.change[0]))
        message.meaning_change.after.CopyFrom(run_message(shown.change[1]))
    return message


def run_message(run: Run, *, statements: bool = True) -> pb.Run:
    """A run."""
    result, number = run.result, run.number
    return pb.Run(
        job_id=run.job_id,
        due_at=_time(run.due_at),
        ended_at=_time(run.ended_at),
        state=_STATES[run.state],
        headline=result.headline,
        number=number.value if number is not None else "",
        number_text=number.text if number is not None else "",
        unit=number.unit if number is not None else "",
        confidence=analysis_pb2.Confidence.ValueType(result.confidence),
        understood=result.understood,
        statement=result.statement if statements else "",
        statement_sha256=result.statement_sha256,
        meaning_changed=run.meaning_changed,
        data_at=result.data_at,
        data_column=result.data_column,
        data_format=analysis_pb2.ColumnFormat.ValueType(result.data_format),
        failure_reason=result.reason,
        failure=result.failure,
        out_of_range=run.out_of_range,
    )


def _alert(alert: Alert) -> pb.Alert:
    return pb.Alert(
        alert_id=alert.alert_id,
        pin_id=alert.pin_id,
        job_id=alert.run_id,
        kind=_ALERTS[alert.kind],
        words=alert.words,
        told_at=_time(alert.at),
        deliveries=[
            pb.Delivery(
                channel=one.channel,
                state=_DELIVERIES[one.state],
                attempts=one.attempts,
                why=one.why,
            )
            for one in alert.deliveries
        ],
    )


def _time(moment: datetime | None) -> Timestamp | None:
    if moment is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp
