"""`python -m services`: what it does besides serving."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mesh.errors import AssayError
from services.__main__ import WITH_DATABASES, main, serve


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["services", *arguments])
    main()


def test_migrate_brings_every_database_to_what_the_services_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where services themselves may not: that is who runs it there."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_MIGRATIONS", "check")
    for name in WITH_DATABASES:
        with pytest.raises(AssayError, match="SCHEMA_BEHIND"):
            asyncio.run(serve([name]))
    called(monkeypatch, "migrate")
    told = capsys.readouterr().out.splitlines()
    assert told == [f"assay: the {name}'s database is ready" for name in WITH_DATABASES]


def test_migrate_changes_no_database_while_another_is_of_a_newer_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    called(monkeypatch, "migrate")
    capsys.readouterr()
    revised(tmp_path / "gateway/gateway.sqlite", "9999")
    (tmp_path / "planner/planner.sqlite").unlink()

    with pytest.raises(SystemExit, match=r"SCHEMA_AHEAD .*gateway\.sqlite"):
        called(monkeypatch, "migrate")

    assert not capsys.readouterr().out
    with closing(sqlite3.connect(tmp_path / "planner/planner.sqlite")) as connection:
        assert not connection.execute("SELECT * FROM sqlite_master").fetchall()


def revised(path: Path, revision: str) -> None:
    """Let a database say that it is of a revision."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


def test_a_word_that_is_no_service_is_answered_with_the_usage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SystemExit, match=r"usage: .* all \| gateway .* \| migrate"):
        called(monkeypatch, "migrat")
