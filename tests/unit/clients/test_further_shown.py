"""Further results on the screen: whoever asked for them sees them, not only where they lie."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from assay.common.v1 import analysis_pb2, job_pb2
from clients.python.cli.further import show_further
from clients.python.cli.screen import Screen


def shown(job: job_pb2.Job, *places: Path) -> str:
    out = io.StringIO()
    screen = Screen(out=Console(file=out, width=90, color_system=None))
    show_further(screen, job, [(analysis_pb2.Artifact(), path) for path in places])
    return out.getvalue()


def test_each_is_a_table_beneath_its_title(tmp_path: Path) -> None:
    job = job_pb2.Job()
    for task, title in (("load", "query"), ("further_1", "Revenue by product")):
        job.plan.subtasks.add(task_id=task, description=title)
    place = tmp_path / "further_1.csv"
    place.write_text("product,total revenue\ndesk,12.5\nlamp,7.25\n")

    told = shown(job, place, tmp_path / "result.csv")
    assert "Revenue by product" in told and "desk" in told and "12.50" in told
    assert "query" not in told

    place.unlink()
    assert "Revenue by product" in shown(job, place), "its title all the same"
    assert shown(job_pb2.Job()) == ""
