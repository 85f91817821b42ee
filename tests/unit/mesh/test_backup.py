"""A backup is whole and of one moment, or it is not there; a restore puts back that and no less."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mesh.clock import HeldClock
from mesh.errors import AssayError
from mesh.storage import copying
from mesh.storage.backup import MANIFEST, back_up, read_manifest, restore
from mesh.testing.small_disk import small_disk

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def written(path: Path, content: bytes = b"some") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def database(path: Path, rows: int) -> sqlite3.Connection:
    """A database in WAL mode with rows that are committed, and not in its own file yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("CREATE TABLE pairs (one INTEGER, two INTEGER)")
    for number in range(rows):
        connection.execute("INSERT INTO pairs VALUES (?, ?)", (number, -number))
    return connection


def pairs(path: Path) -> list[tuple[int, int]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT one, two FROM pairs ORDER BY 1").fetchall()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home with something of every kind, and what a running mesh has besides."""
    home = tmp_path / "home"
    with closing(database(home / "planner/planner.sqlite", 3)):
        for name in (
            "gateway/other.txt",
            "executor/frames/ab/abc.arrow",
            "executor/files/f1",
            "artifacts/jobs/j1/report.md",
            "memory/recipes/segment/data",
            "mesh.key",
            "audit/signing.key",
            "audit/checkpoints/1",
            "audit/log/entries/0.log",
        ):
            written(home / name, name.encode())
        for name in (
            "mesh.lock",
            "mesh.json",
            "assay.log",
            "traces/t.jsonl",
            "executor/cache/c",
            "executor/sources/s.duckdb",
            "audit/log/cache/index.sqlite",
            "audit/log/lock",
            "executor/frames/.building-1",
            "lost+found/x",
        ):
            written(home / name)
        yield home


def refused(error: pytest.ExceptionInfo[AssayError], reason: str) -> str:
    assert error.value.reason.code == reason
    return error.value.message


def test_what_counts_is_copied_and_what_is_built_again_is_not(home: Path, tmp_path: Path) -> None:
    copied = back_up(home, tmp_path / "b", HeldClock(NOON))

    assert set(copied.files) == {
        "planner/planner.sqlite",
        "gateway/other.txt",
        "executor/frames/ab/abc.arrow",
        "executor/files/f1",
        "artifacts/jobs/j1/report.md",
        "memory/recipes/segment/data",
        "mesh.key",
        "audit/signing.key",
        "audit/checkpoints/1",
        "audit/log/entries/0.log",
    }
    assert copied.made_at == "2026-03-01T12:00:00+00:00"
    assert read_manifest(tmp_path / "b") == copied
    there = {
        path.relative_to(tmp_path / "b").as_posix()
        for path in (tmp_path / "b").rglob("*")
        if path.is_file()
    }
    assert there == {*copied.files, MANIFEST}
    assert (tmp_path / "b").stat().st_mode & 0o077 == 0


def test_a_home_is_made_of_it_as_it_was(home: Path, tmp_path: Path) -> None:
    (home / "mesh.key").chmod(0o600)
    copied = back_up(home, tmp_path / "b")

    assert restore(tmp_path / "b", tmp_path / "again") == copied

    again = tmp_path / "again"
    assert pairs(again / "planner/planner.sqlite") == [(0, 0), (1, -1), (2, -2)]
    assert (again / "executor/frames/ab/abc.arrow").read_bytes() == b"executor/frames/ab/abc.arrow"
    assert (again / "mesh.key").stat().st_mode & 0o777 == 0o600
    assert again.stat().st_mode & 0o077 == 0
    assert not (again / MANIFEST).exists()


def test_a_disk_that_is_the_home_is_filled(home: Path, tmp_path: Path) -> None:
    back_up(home, tmp_path / "b")
    disk = tmp_path / "disk"
    (disk / "lost+found").mkdir(parents=True)

    restore(tmp_path / "b", disk)

    assert {each.name for each in disk.iterdir()} == {
        "lost+found",
        "planner",
        "gateway",
        "executor",
        "artifacts",
        "memory",
        "mesh.key",
        "audit",
    }


def test_a_database_that_is_written_to_is_copied_at_one_moment(tmp_path: Path) -> None:
    """Rows come in pairs of one transaction: no copy has half of one."""
    home, over = tmp_path / "home", threading.Event()
    connection = database(home / "planner/planner.sqlite", 1)

    def write() -> None:
        number = 1
        while not over.is_set():
            connection.execute("BEGIN IMMEDIATE")
            for half in (number, number):
                connection.execute("INSERT INTO pairs VALUES (?, ?)", (half, -half))
            connection.execute("COMMIT")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(10):
            back_up(home, tmp_path / f"b{number}")
    finally:
        over.set()
        writer.join()
        connection.close()
    sizes = [len(pairs(tmp_path / f"b{number}/planner/planner.sqlite")) for number in range(10)]
    assert all(size % 2 for size in sizes), sizes
    assert sizes[-1] > sizes[0]


def test_what_refers_is_copied_before_what_it_refers_to(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    for name in ("copy_file", "copy_database"):
        real = getattr(copying, name)

        def noting(path: Path, to: Path, real=real) -> tuple[int, str]:  # type: ignore[no-untyped-def]
            order.append(path.relative_to(home).as_posix())
            return real(path, to)  # type: ignore[no-any-return]

        monkeypatch.setattr(copying, name, noting)
    with closing(database(home / "executor/executor.sqlite", 1)):
        back_up(home, tmp_path / "b")

    place = {name: number for number, name in enumerate(order)}
    wanted = [
        "gateway/other.txt",
        "planner/planner.sqlite",
        "executor/frames/ab/abc.arrow",
        "executor/executor.sqlite",
        "memory/recipes/segment/data",
        "audit/checkpoints/1",
        "audit/log/entries/0.log",
    ]
    assert sorted(wanted, key=place.__getitem__) == wanted
    assert place["artifacts/jobs/j1/report.md"] < place["executor/executor.sqlite"]


def test_memory_that_changes_meanwhile_is_copied_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, changes = copying.copy_file, iter(range(3))

    def changing(path: Path, to: Path) -> tuple[int, str]:
        found = real(path, to)
        if path.is_relative_to(home / "memory") and next(changes, None) is not None:
            path.write_bytes(path.read_bytes() + b"!")
        return found

    monkeypatch.setattr(copying, "copy_file", changing)
    back_up(home, tmp_path / "b")

    kept = (tmp_path / "b/memory/recipes/segment/data").read_bytes()
    assert kept == b"memory/recipes/segment/data!!!"


def test_memory_that_is_never_at_rest_is_said_to_be(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = copying.copy_file

    def changing(path: Path, to: Path) -> tuple[int, str]:
        found = real(path, to)
        path.write_bytes(path.read_bytes() + b"!")
        return found

    monkeypatch.setattr(copying, "copy_file", changing)
    with pytest.raises(AssayError) as error:
        back_up(home, tmp_path / "b")

    refused(error, "SERVICE_UNAVAILABLE")
    assert not (tmp_path / "b").exists()


def test_a_damaged_database_is_no_backup(home: Path, tmp_path: Path) -> None:
    written(home / "gateway/gateway.sqlite", b"this is no database at all, by its first bytes")

    with pytest.raises(AssayError) as error:
        back_up(home, tmp_path / "b")

    assert "gateway.sqlite" in refused(error, "STATE_DAMAGED")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


@pytest.mark.parametrize("place", ["home/inside", "there"])
def test_a_backup_is_a_new_folder_outside_of_the_home(
    home: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(AssayError) as error:
        back_up(home, tmp_path / place)

    refused(error, "INVALID_ARGUMENT")


def test_without_a_home_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(AssayError) as error:
        back_up(tmp_path / "none", tmp_path / "b")

    refused(error, "NOT_FOUND")


@pytest.mark.parametrize("change", ["other", "shorter", "gone"])
def test_a_backup_that_is_not_what_it_was_is_refused_by_name(
    home: Path, tmp_path: Path, change: str
) -> None:
    back_up(home, tmp_path / "b")
    path = tmp_path / "b/audit/log/entries/0.log"
    if change == "gone":
        path.unlink()
    else:
        path.write_bytes(b"x" * path.stat().st_size if change == "other" else b"x")

    with pytest.raises(AssayError) as error:
        restore(tmp_path / "b", tmp_path / "again")

    assert "audit/log/entries/0.log" in refused(error, "STATE_DAMAGED")
    assert not (tmp_path / "again").exists()


def test_a_copy_that_was_not_ended_is_no_backup(home: Path, tmp_path: Path) -> None:
    back_up(home, tmp_path / "b")
    (tmp_path / "b" / MANIFEST).unlink()

    with pytest.raises(AssayError) as error:
        restore(tmp_path / "b", tmp_path / "again")

    refused(error, "NOT_FOUND")


def test_nothing_is_restored_over_a_home(home: Path, tmp_path: Path) -> None:
    back_up(home, tmp_path / "b")

    with pytest.raises(AssayError) as error:
        restore(tmp_path / "b", home)

    refused(error, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        "[]",
        '{"version": 2, "made_at": "", "files": {}}',
        '{"version": 1, "made_at": "", "files": {"../x": [1, "a"]}}',
        '{"version": 1, "made_at": "", "files": {"/etc/x": [1, "a"]}}',
        '{"version": 1, "made_at": "", "files": {"x\\u0000y": [1, "a"]}}',
        '{"version": 1, "made_at": "", "files": {"x\\ud800": [1, "a"]}}',
        '{"version": 1, "made_at": "", "files": {"": [1, "a"]}}',
        '{"version": 1, "made_at": "", "files": {"%s": [1, "a"]}}' % ("x" * 300),
        "[" * 100_000,
    ],
    ids=range(10),
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    written(tmp_path / "b" / MANIFEST, content.encode())

    with pytest.raises(AssayError) as error:
        restore(tmp_path / "b", tmp_path / "again")

    refused(error, "STATE_DAMAGED")


@pytest.mark.parametrize("name", ["gateway/other.txt", MANIFEST])
@pytest.mark.parametrize("made", ["fifo", "folder", "link out of it", "link to nothing", "ring"])
def test_what_is_no_file_of_the_backup_is_refused_and_not_waited_for(
    home: Path, tmp_path: Path, made: str, name: str
) -> None:
    back_up(home, tmp_path / "b")
    path = tmp_path / "b" / name
    content = path.read_bytes()
    path.unlink()
    if made == "fifo":
        os.mkfifo(path)
    elif made == "folder":
        path.mkdir()
    elif made == "ring":
        path.symlink_to(path)
    else:
        path.symlink_to(tmp_path / "elsewhere")
        if made == "link out of it":
            written(tmp_path / "elsewhere", content)

    with pytest.raises(AssayError) as error:
        restore(tmp_path / "b", tmp_path / "again")

    assert Path(name).name in error.value.message
    assert error.value.reason.code in ("STATE_DAMAGED", "NOT_FOUND")
    assert not (tmp_path / "again").exists()


def test_a_folder_that_leads_out_of_the_backup_is_refused(home: Path, tmp_path: Path) -> None:
    back_up(home, tmp_path / "b")
    (tmp_path / "b/gateway").rename(tmp_path / "elsewhere")
    (tmp_path / "b/gateway").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(AssayError) as error:
        restore(tmp_path / "b", tmp_path / "again")

    assert "leads out of the backup" in refused(error, "STATE_DAMAGED")


def test_a_backup_that_is_reached_by_a_link_is_one(home: Path, tmp_path: Path) -> None:
    copied = back_up(home, tmp_path / "b")
    (tmp_path / "newest").symlink_to(tmp_path / "b")

    assert restore(tmp_path / "newest", tmp_path / "again") == copied


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    home = tmp_path / "home"
    written(home / "executor/frames/large", b"x" * (4 << 20))
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        with pytest.raises(AssayError) as error:
            back_up(home, disk.folder / "b")
        assert list(disk.folder.iterdir()) == []
    refused(error, "DISK_FULL")


def test_a_database_that_has_no_room_is_a_full_disk(tmp_path: Path) -> None:
    home = tmp_path / "home"
    connection = database(home / "planner/planner.sqlite", 0)
    connection.execute("INSERT INTO pairs VALUES (1, zeroblob(4194304))")
    connection.close()
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        with pytest.raises(AssayError) as error:
            back_up(home, disk.folder / "b")
        assert list(disk.folder.iterdir()) == []
    refused(error, "DISK_FULL")
