"""What `assay restore` says to do next can be typed as it stands."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from clients.python.cli import main


@pytest.fixture
def backup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    home = tmp_path / "a home"
    for name in ("audit/log/entries/0.log", "audit/checkpoints/1", "mesh.key"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(b"some")
    assert main.run(["backup", str(tmp_path / "b"), "--home", str(home)]) == 0
    capsys.readouterr()
    return tmp_path / "b"


def told(shown: str) -> list[list[str]]:
    """The words of the commands that are told."""
    lines = shown[shown.index("check it") :].removeprefix("check it").splitlines()
    return [shlex.split(line) for line in lines]


@pytest.mark.parametrize("apart", [False, True])
def test_the_commands_that_check_a_restored_home_name_it_and_its_checkpoints(
    backup: Path,
    tmp_path: Path,
    apart: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home, checkpoints = tmp_path / "home again", tmp_path / "home again/audit/checkpoints"
    if apart:
        checkpoints = tmp_path / "another disk"
        monkeypatch.setenv("ASSAY_AUDIT_CHECKPOINTS", str(checkpoints))
    assert main.run(["restore", str(backup), "--home", str(home)]) == 0

    log = f"{home}/audit/log"
    assert told(capsys.readouterr().out) == [
        ["python", "-m", "services.audit.fsck", log, "--checkpoints", str(checkpoints)],
        ["assay", "verify", "JOB", "--home", str(home)],
    ]


def test_a_home_without_a_log_has_none_to_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine of the executor alone has none."""
    (tmp_path / "only").mkdir()
    (tmp_path / "only/mesh.key").write_bytes(b"some")
    main.run(["backup", str(tmp_path / "b2"), "--home", str(tmp_path / "only")])
    capsys.readouterr()
    assert main.run(["restore", str(tmp_path / "b2"), "--home", str(tmp_path / "again")]) == 0

    assert told(capsys.readouterr().out) == [
        ["assay", "verify", "JOB", "--home", str(tmp_path / "again")]
    ]
