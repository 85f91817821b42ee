"""Boards, for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from rich.table import Table
from rich.text import Text

from assay.common.v1.analysis_pb2 import Confidence
from assay.gateway.v1 import board_service_pb2 as pb
from clients.python.cli.screen import Screen
from clients.python.cli.words import count, moment, short_id
from mesh.text.harmless import harmless_line

_ALERTS = {
    pb.ALERT_KIND_OUT_OF_RANGE: "out of range",
    pb.ALERT_KIND_RUN_FAILED: "no new answer",
    pb.ALERT_KIND_MEANING_CHANGED: "meaning changed",
    pb.ALERT_KIND_PAUSED: "not asked any more",
}


def boards_table(found: Sequence[pb.Board]) -> Table:
    """A row for each board."""
    grid = _grid("board", "answers", "need a look", "next")
    grid.add_column("title", no_wrap=True, overflow="ellipsis")
    for one in found:
        grid.add_row(
            short_id(one.board_id),
            str(one.pin_count),
            str(one.alerting_count) if one.alerting_count else "",
            _when(one.next_run_at) if one.HasField("next_run_at") else "",
            Text(harmless_line(one.title)),
        )
    return grid


def show_board(screen: Screen, board: pb.Board) -> None:
    """Print a board: each pin with its answer and what there is to tell of it."""
    screen.row("board", Text(f"{short_id(board.board_id)} · {harmless_line(board.title)}"))
    screen.line("version", str(board.version))
    if board.HasField("next_run_at"):
        screen.line("next", _when(board.next_run_at))
    if not board.pins:
        screen.row("pins", "none")
    for pin in board.pins:
        show_pin(screen, pin)


def show_pin(screen: Screen, pin: pb.Pin) -> None:
    """Print a pin."""
    screen.row("pin", Text(f"{short_id(pin.pin_id)} · {harmless_line(pin.title)}"), "bold")
    if pin.HasField("answer"):
        answer = pin.answer
        screen.row("", Text(harmless_line(answer.headline)))
        asked = f"asked {_when(answer.due_at)} for {pin.pinned_by} · job {short_id(answer.job_id)}"
        screen.row("", Text(asked), "dim")
    if pin.HasField("under_way"):
        screen.row("", f"being asked again · job {short_id(pin.under_way.job_id)}")
    if pin.caution:
        screen.row("", pin.caution, "yellow")
    if pin.HasField("pause"):
        screen.row("", Text(harmless_line(pin.pause.words)), "yellow")
    if pin.runs and pin.runs[0].failure:
        screen.row("", Text(f"no new answer: {harmless_line(pin.runs[0].failure)}"), "yellow")
    told = [_ALERTS[kind] for kind in pin.alerting if kind in _ALERTS]
    if told:
        screen.row("", Text(", ".join(told)), "yellow")


def changes_table(board: pb.Board) -> Table:
    """A row for each version that is on record."""
    grid = _grid("version", "when", "by", "kept")
    grid.add_column("what", no_wrap=True, overflow="ellipsis")
    for one in board.changes:
        grid.add_row(
            str(one.version),
            _when(one.changed_at),
            Text(one.changed_by),
            "yes" if one.kept else "no",
            Text(harmless_line(one.what)),
        )
    return grid


def board_object(board: pb.Board) -> dict[str, Any]:
    """A board for machines."""
    return {
        "board_id": board.board_id,
        "title": board.title,
        "version": board.version,
        "answers": board.pin_count,
        "need_a_look": board.alerting_count,
        "next_run_at": board.next_run_at.ToJsonString() if board.HasField("next_run_at") else None,
        "pins": [pin_object(one) for one in board.pins],
        "changes": [
            {
                "version": one.version,
                "at": one.changed_at.ToJsonString(),
                "by": one.changed_by,
                "what": one.what,
                "kept": one.kept,
            }
            for one in board.changes
        ],
    }


def pin_object(pin: pb.Pin) -> dict[str, Any]:
    """A pin for machines."""
    return {
        "pin_id": pin.pin_id,
        "title": pin.title,
        "question": pin.question or None,
        "pinned_by": pin.pinned_by,
        "alerting": [_ALERTS[kind] for kind in pin.alerting if kind in _ALERTS],
        "paused": pin.pause.words if pin.HasField("pause") else None,
        "under_way": pin.under_way.job_id if pin.HasField("under_way") else None,
        "answer": run_object(pin.answer) if pin.HasField("answer") else None,
        "failure": (pin.runs[0].failure or None) if pin.runs else None,
    }


def run_object(run: pb.Run) -> dict[str, Any]:
    """What came of a pin once, for machines."""
    return {
        "job": run.job_id,
        "asked_at": run.due_at.ToJsonString(),
        "headline": run.headline,
        "number": run.number or None,
        "unit": run.unit or None,
        "confidence": Confidence.Name(run.confidence).removeprefix("CONFIDENCE_").lower(),
        "data_at": run.data_at,
        "out_of_range": run.out_of_range,
        "meaning_changed": run.meaning_changed,
    }


def needs_a_look(board: pb.Board) -> str:
    """How many of a board's pins need a look, in words."""
    found = sum(1 for pin in board.pins if pin.alerting)
    return f"{count(found, 'answer')} to look at" if found else "nothing to look at"


def _grid(*headings: str) -> Table:
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in headings:
        grid.add_column(heading, no_wrap=True)
    return grid


def _when(stamp: Any) -> str:
    return moment(stamp.ToDatetime(UTC))
