"""Further results beside an answer on the screen: each table beneath its title."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from assay.common.v1.analysis_pb2 import Artifact
from clients.python import words_of
from clients.python.cli.screen import Screen, labelled
from clients.python.cli.table import FittedTable

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.common.v1.job_pb2 import Job

_STEP = "further_"


def show_further(screen: Screen, job: Job, files: Iterable[tuple[Artifact, Path]]) -> None:
    """Print the further results of a job, in the order in which they were planned; of one whose
    table cannot be read here its title."""
    places = {path.stem: path for _, path in files if path.suffix == ".csv"}
    rows = {step.task_id: step.rows for step in job.steps if step.HasField("rows")}
    for task in job.plan.subtasks:
        if not task.task_id.startswith(_STEP):
            continue
        screen.row("further", Text(task.description, "bold"))
        path = places.get(task.task_id)
        table = _table(path) if path is not None else None
        if path is not None and table is not None:
            total = rows.get(task.task_id, table.num_rows)
            fitted = FittedTable(table, total, path.name, words_of.formats(job.answer))
            screen.space()
            screen.show(labelled("", fitted))
            screen.space()


def _table(path: Path) -> pa.Table | None:
    """The rows of a file that the executor wrote; None where it has gone or holds none."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        found = csv.read_csv(path)
    except (OSError, pa.ArrowInvalid):
        return None
    return found if found.num_rows else None
