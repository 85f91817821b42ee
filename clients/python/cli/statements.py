"""The queries of a job's steps, shown to people so that they can be copied."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from assay.common.v1.analysis_pb2 import Subtask
from assay.common.v1.job_pb2 import Job, Step
from clients.python.cli.screen import LABEL_WIDTH, Screen
from clients.python.cli.words import count
from clients.python.words_of import confidence

_TO_SEE_ALL = "  --sql shows it all"


def stated(steps: Iterable[Step | Subtask]) -> list[Step | Subtask]:
    """Those that run a query."""
    return [step for step in steps if step.HasField("statement")]


def show_statements(screen: Screen, steps: Iterable[Step | Subtask]) -> None:
    """Print every query in full, never wrapped; several are named by their step."""
    shown = stated(steps)
    lines: list[str] = []
    for step in shown:
        lines += [f"-- {step.task_id}"] * (len(shown) > 1)
        lines += step.statement.readable.splitlines()
    show_lines(screen, "sql", lines)


def show_lines(screen: Screen, label: str, lines: Iterable[str]) -> None:
    """Print lines beside a label as they are, to be copied."""
    for number, line in enumerate(lines):
        screen.line("" if number else label, line)


def show_glimpse(screen: Screen, job: Job) -> None:
    """Print the beginning of the query of an answer that is not sure: what was computed is told."""
    shown = stated(job.steps)
    if not shown or confidence(job.answer) in ("", "high"):
        return
    text = " ".join(shown[0].statement.readable.split())
    if len(shown) > 1:
        text += f" · and {count(len(shown) - 1, 'more query', 'more queries')}"
    room = screen.out.width - LABEL_WIDTH - len(_TO_SEE_ALL)
    text = text if len(text) <= room else f"{text[: max(room - 1, 0)]}…"
    screen.line("sql", f"{text}{_TO_SEE_ALL}")


def statement_of(step: Step | Subtask) -> dict[str, Any] | None:
    """A step's query for machines: as it reads, as it runs, its parameters; None without."""
    if not step.HasField("statement"):
        return None
    statement = step.statement
    return {
        "readable": statement.readable,
        "query": statement.query,
        "params": json.loads(statement.params_json or "[]"),
    }
