"""Commands on a home without room say so in one reason, and what cannot be logged stays unsaid."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.python.cli.logs import keep_logs
from clients.python.cli.main import run
from mesh.errors import ExitCode
from mesh.testing.small_disk import SmallDisk, small_disk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    root = logging.getLogger()
    before, telling = list(root.handlers), logging.raiseExceptions
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        yield disk
    root.handlers[:], logging.raiseExceptions = before, telling


def test_a_command_on_a_full_home_names_the_file_and_the_way_out(
    disk: SmallDisk, capsys: pytest.CaptureFixture[str]
) -> None:
    disk.fill()
    code = run(["jobs", "--home", str(disk.folder)])
    said = "".join(capsys.readouterr())
    assert code == ExitCode.UNAVAILABLE
    assert said.count("DISK_FULL") == 1
    assert str(disk.folder) in "".join(said.split())
    assert "Free some of it" in said
    assert "Traceback" not in said


def test_a_line_of_the_log_that_finds_no_room_is_dropped_silently(
    disk: SmallDisk, capsys: pytest.CaptureFixture[str]
) -> None:
    logging.getLogger().handlers[:] = []
    keep_logs(disk.folder)
    disk.fill()
    logging.getLogger("assay.test").error("something %s", "happened" * 9999)
    assert capsys.readouterr().err == ""
