"""The vectors' disk fills up, or their folder is damaged: whoever asks is told, and nobody dies."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from mesh.errors import SERVICE_UNAVAILABLE, AssayError
from mesh.testing.small_disk import SmallDisk, small_disk
from services.memory.adapters.edge_process import EdgeProcess
from services.memory.adapters.qdrant_edge import EdgeVectorStore
from services.memory.ports import Point, Where
from tests.contract.memory.stores import unit

pytestmark = pytest.mark.asyncio


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """A real disk of 24 megabytes, where this user may mount one."""
    with small_disk(tmp_path / "disk", 24 << 20) as disk:
        yield disk


def points(start: int, number: int) -> list[Point]:
    """Points of four kilobytes each."""
    return [Point(str(i), {"text": "x" * 4096}, unit(1, i)) for i in range(start, start + number)]


async def test_a_write_that_the_disk_has_no_room_for_is_refused_in_words(disk: SmallDisk) -> None:
    process = EdgeProcess()
    store = EdgeVectorStore(process, disk.folder / "points", 2, room_bytes=16 << 20)
    await store.upsert("acme", points(0, 1))
    disk.fill(leave=1 << 20)
    with pytest.raises(AssayError, match="MiB left") as refused:
        await store.upsert("acme", points(1, 1))
    assert refused.value.reason is SERVICE_UNAVAILABLE
    assert str(disk.folder / "points") in refused.value.message
    assert await store.count("acme") == 1
    disk.free()
    await store.upsert("acme", points(1, 1))
    assert await store.count("acme") == 2
    await process.close()


async def test_a_disk_that_fills_up_under_the_map_kills_the_process_beside_and_no_other(
    disk: SmallDisk,
) -> None:
    process = EdgeProcess()
    store = EdgeVectorStore(process, disk.folder / "points", 2, room_bytes=0)
    await store.upsert("acme", points(0, 50))
    disk.fill()
    with pytest.raises(AssayError, match=r"ended \(Bus error\)") as refused:
        for start in range(50, 10_000, 50):
            await store.upsert("acme", points(start, 50))
    assert refused.value.reason is SERVICE_UNAVAILABLE
    disk.free()
    await store.upsert("acme", points(0, 50))
    assert await store.count("acme") >= 50
    await process.close()


async def test_a_process_that_is_killed_is_started_again(tmp_path: Path) -> None:
    process = EdgeProcess()
    store = EdgeVectorStore(process, tmp_path / "points", 2)
    await store.upsert("acme", points(0, 3))
    assert process.process_id is not None
    os.kill(process.process_id, signal.SIGKILL)
    with pytest.raises(AssayError, match=r"ended \(Killed\)"):
        await store.count("acme")
    assert await store.count("acme") == 3, "what was written is there"
    await process.close()


@pytest.mark.parametrize("damage", ["truncated", "overwritten", "missing", "a file"])
async def test_a_damaged_folder_is_named_with_what_to_do(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "points"
    process = EdgeProcess()
    store = EdgeVectorStore(process, folder, 2)
    await store.upsert("acme", points(0, 3))
    await process.close()
    for path in [p for p in folder.rglob("*") if p.is_file()]:
        if damage == "truncated":
            os.truncate(path, path.stat().st_size // 2)
        elif damage == "overwritten":
            path.write_bytes(os.urandom(min(path.stat().st_size, 4096)))
        elif damage == "missing" and path.suffix == ".json":
            path.unlink()
    if damage == "a file":
        shutil.rmtree(folder)
        folder.write_text("no folder")
    process = EdgeProcess()
    store = EdgeVectorStore(process, folder, 2)
    with pytest.raises(AssayError) as refused:
        await store.scroll("acme", Where(), 10)
    assert refused.value.reason is SERVICE_UNAVAILABLE
    assert str(folder) in refused.value.message
    assert "Move the folder away" in refused.value.hint or "move the folder away" in (
        refused.value.hint
    )
    folder.rename(tmp_path / "aside")
    assert await store.count("acme") == 0
    await process.close()
