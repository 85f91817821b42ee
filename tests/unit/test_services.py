"""`python -m services`: what it does besides serving."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from mesh.config import SERVICES, MeshSettings, load
from mesh.errors import SCHEMA_BEHIND, AssayError
from mesh.testing.certificates import Authority
from services.__main__ import WITH_DATABASES, main, serve
from services.together import together


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["services", *arguments])
    main()


def test_migrate_brings_every_database_to_what_the_services_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where services themselves may not: that is who runs it there."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_MIGRATIONS", "check")
    monkeypatch.setenv("ASSAY_MIGRATIONS_WAIT_SECONDS", "0")
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

    monkeypatch.setenv("ASSAY_LOG_FORMAT", "text")
    with pytest.raises(SystemExit, match=r"SCHEMA_AHEAD .*gateway\.sqlite"):
        called(monkeypatch, "migrate")

    assert not capsys.readouterr().out
    with closing(sqlite3.connect(tmp_path / "planner/planner.sqlite")) as connection:
        assert not connection.execute("SELECT * FROM sqlite_master").fetchall()


def revised(path: Path, revision: str) -> None:
    """Let a database say that it is of a revision."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


@pytest.mark.parametrize("form", ["json", "text"])
def test_what_stops_a_service_is_told_in_the_form_of_the_log_with_its_remedy(
    tmp_path: Path, form: str
) -> None:
    environment = {"ASSAY_MIGRATIONS": "check", "ASSAY_LOG_FORMAT": form}
    environment |= {"ASSAY_MIGRATIONS_WAIT_SECONDS": "0"}
    ended = subprocess.run(
        [sys.executable, "-m", "services", "planner"],
        env=os.environ | environment | {"ASSAY_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 1
    if form == "text":
        assert "error   SCHEMA_BEHIND   the database" in ended.stderr
        assert SCHEMA_BEHIND.remedy in ended.stderr
        return
    (line,) = map(json.loads, ended.stderr.splitlines())
    assert (line["level"], line["reason"]) == ("ERROR", "SCHEMA_BEHIND")
    assert line["message"].startswith("stopped: the database ")
    assert line["remedy"] == SCHEMA_BEHIND.remedy


def test_strangers_that_speak_no_tls_leave_nothing_among_the_lines_of_the_log(
    tmp_path: Path,
) -> None:
    files = Authority(tmp_path, "audit").issue("audit")
    environment = {f"ASSAY_{name.upper()}": str(path) for name, path in files.items()}
    environment |= {"ASSAY_HOME": str(tmp_path), "ASSAY_AUDIT_ADDRESS": "127.0.0.1:0"}
    environment |= {"ASSAY_DRAIN_SECONDS": "0.1"}
    running = subprocess.Popen(
        [sys.executable, "-m", "services", "audit"],
        env={key: said for key, said in os.environ.items() if key != "GRPC_VERBOSITY"}
        | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        host, _, port = running.stdout.readline().split()[-1].rpartition(":")
        with socket.create_connection((host, int(port))) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
            with suppress(ConnectionResetError):
                while stranger.recv(1024):  # until it hangs up
                    pass
    finally:
        running.terminate()
        _, told = running.communicate()
    assert all(line.startswith("{") for line in told.splitlines()), told


async def test_what_a_service_starts_with_is_kept_from_the_collector_and_what_comes_later_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, seen = [], []
    monkeypatch.setattr(gc, "freeze", lambda: kept.append(gc.isenabled()))

    async def stopped() -> None:
        seen.append(gc.isenabled())

    monkeypatch.setattr("mesh.transport.server.until_stopped", stopped)
    for name, value in {"HOME": str(tmp_path), "AUDIT_ADDRESS": "127.0.0.1:0"}.items():
        monkeypatch.setenv(f"ASSAY_{name}", value)
    monkeypatch.setenv("ASSAY_DRAIN_SECONDS", "0.1")

    await serve(["audit"])

    assert (kept, seen) == ([False], [True])


def test_a_word_that_is_no_service_is_answered_with_the_usage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SystemExit, match=r"usage: .* all \| gateway .* \| migrate"):
        called(monkeypatch, "migrat")


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MeshSettings:
    """Settings of which only a home is given."""
    for name in SERVICES:
        monkeypatch.delenv(f"ASSAY_{name.upper()}_ADDRESS", raising=False)
    return load(MeshSettings, home=tmp_path)


@pytest.mark.parametrize(
    ("listen", "reached"),
    [
        ("127.0.0.1:7400", "127.0.0.1:7400"),
        ("0.0.0.0:9000", "127.0.0.1:9000"),
        ("unix:/run/mesh.sock", "unix:/run/mesh.sock"),
    ],
)
def test_services_of_one_process_reach_one_another_where_it_listens(
    plain: MeshSettings, listen: str, reached: str
) -> None:
    whole = together(plain, SERVICES, listen)

    assert {whole.address(name) for name in SERVICES} == {reached}


def test_who_is_elsewhere_or_said_to_be_is_reached_there(
    plain: MeshSettings, tmp_path: Path
) -> None:
    one = together(plain, ["planner"], "0.0.0.0:7401")
    assert one == plain
    two = together(plain, ["planner", "executor"], "127.0.0.1:7401")
    assert two.executor_address == two.planner_address == "127.0.0.1:7401"
    assert two.gateway_address == plain.gateway_address
    named = load(MeshSettings, home=tmp_path, executor_address="executor:7402")
    assert together(named, SERVICES, "0.0.0.0:7400").executor_address == "executor:7402"
