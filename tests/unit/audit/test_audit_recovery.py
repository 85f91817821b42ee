"""What a log does when it is opened after something happened to its files."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mesh.errors import AUDIT_UNAVAILABLE, HOME_BUSY, VERIFICATION_FAILED, AssayError
from mesh.proof.chain import verify_chain
from services.audit.adapters.recovery import Published
from services.audit.adapters.segment_log import SegmentLog
from services.audit.adapters.segments import Segments
from services.audit.domain.draft import Draft
from services.audit.fsck import check_log

Event = Callable[..., Draft]
REQUEST = "a" * 32


def last_segment(folder: Path) -> Path:
    """The file that was written last."""
    return sorted((folder / "entries").glob("*.log"))[-1]


async def fill(folder: Path, event: Event, count: int = 6) -> Published:
    """A closed log of `count` entries, one sync each, and what one would publish of it."""
    log = await SegmentLog.open(folder)
    for number in range(count):
        await log.append([event(number)])
    published = Published(log.size, await log.root(log.size))
    await log.close()
    return published


async def refusal(folder: Path, published: Published | None = None) -> str:
    with pytest.raises(AssayError) as caught:
        await SegmentLog.open(folder, published or Published(0, b""))
    assert caught.value.reason is VERIFICATION_FAILED
    return caught.value.message


async def test_a_reopened_log_goes_on_where_it_stopped(folder: Path, event: Event) -> None:
    published = await fill(folder, event)
    log = await SegmentLog.open(folder, published)
    [receipt] = await log.append([event(6)])
    assert (receipt.sequence_number, receipt.leaf_index) == (7, 6)
    assert await log.root(6) == published.root
    await log.close()


async def test_a_torn_last_record_is_cut_back_to_the_last_whole_one(
    folder: Path, event: Event
) -> None:
    published = await fill(folder, event)
    segment = last_segment(folder)
    whole = segment.read_bytes()
    segment.write_bytes(whole + whole[16:200])
    log = await SegmentLog.open(folder, published)
    assert log.size == 6
    assert segment.read_bytes() == whole
    [receipt] = await log.append([event(6)])
    assert receipt.leaf_index == 6
    await log.close()
    assert check_log(folder).fault is None


async def test_a_write_torn_at_any_byte_leaves_the_entries_before_it(
    folder: Path, event: Event
) -> None:
    await fill(folder, event, count=3)
    segment = last_segment(folder)
    start = segment.stat().st_size
    log = await SegmentLog.open(folder)
    await log.append([event(3), event(4)])
    await log.close()
    whole = segment.read_bytes()
    for cut in range(start, len(whole), 17):
        shutil.rmtree(folder / "cache")
        segment.write_bytes(whole[:cut])
        log = await SegmentLog.open(folder)
        assert log.size in (3, 4)
        assert verify_chain([logged.entry for logged in await log.chain(REQUEST)]) is None
        await log.close()
        assert check_log(folder).torn_bytes == 0


async def test_a_published_entry_is_never_cut_off(folder: Path, event: Event) -> None:
    published = await fill(folder, event)
    segment = last_segment(folder)
    torn = segment.read_bytes()[:-3]
    segment.write_bytes(torn)
    shutil.rmtree(folder / "cache")
    assert "entries are missing at its end" in await refusal(folder, published)
    assert segment.read_bytes() == torn


async def test_a_deleted_tail_shows_against_the_checkpoint(folder: Path, event: Event) -> None:
    published = await fill(folder, event, count=6)
    longer = last_segment(folder).read_bytes()
    shutil.rmtree(folder)
    await fill(folder, event, count=3)
    assert len(last_segment(folder).read_bytes()) < len(longer)
    assert "holds 3 entries, its published checkpoint says 6" in await refusal(folder, published)


async def test_a_deleted_tail_shows_against_the_index_too(folder: Path, event: Event) -> None:
    await fill(folder, event)
    segment = last_segment(folder)
    segment.write_bytes(segment.read_bytes()[:600])
    assert "ends before its entry 6" in await refusal(folder)


async def test_another_history_of_the_same_size_is_refused(folder: Path, event: Event) -> None:
    published = await fill(folder, event)
    shutil.rmtree(folder)
    await fill(folder, event)
    assert "entries were changed" in await refusal(folder, published)


async def test_damage_in_the_middle_is_not_taken_for_a_torn_tail(
    folder: Path, event: Event
) -> None:
    await fill(folder, event)
    shutil.rmtree(folder / "cache")
    segment = last_segment(folder)
    data = bytearray(segment.read_bytes())
    data[700] ^= 1
    segment.write_bytes(data)
    assert "Leaf 1 of the audit log is damaged" in await refusal(folder)
    assert segment.read_bytes() == data


@pytest.mark.parametrize("damage", ["deleted", "garbage", "another log's"])
async def test_the_cache_is_built_again_from_the_entries(
    folder: Path, event: Event, damage: str, tmp_path: Path
) -> None:
    published = await fill(folder, event)
    if damage == "deleted":
        shutil.rmtree(folder / "cache")
    elif damage == "garbage":
        for path in (folder / "cache").iterdir():
            path.write_bytes(b"garbage" * 1000)
    else:
        await fill(tmp_path / "other", event, count=4)
        shutil.rmtree(folder / "cache")
        shutil.copytree(tmp_path / "other" / "cache", folder / "cache")
    log = await SegmentLog.open(folder, published)
    entries = [logged.entry for logged in await log.chain(REQUEST)]
    assert len(entries) == 6
    assert verify_chain(entries) is None
    assert await log.root(6) == published.root
    await log.close()


async def test_a_log_longer_than_its_write_behind_index_reads_the_same_everywhere(
    folder: Path, event: Event
) -> None:
    log = await SegmentLog.open(folder)
    drafts = [event(number) for number in range(5000)]
    for first in range(0, 5000, 500):
        await log.append(drafts[first : first + 500])
    root = await log.root(5000)
    for _ in range(2):
        chain = [logged.entry for logged in await log.chain(REQUEST)]
        assert [entry.event_data["number"] for entry in chain] == list(range(5000))
        assert verify_chain(chain) is None
        across = await log.entries(2040, 20)
        assert [logged.leaf_index for logged in across] == list(range(2040, 2060))
        repeats = [receipt.leaf_index for receipt in await log.append([drafts[3], drafts[4999]])]
        assert repeats == [3, 4999]
        assert await log.root(5000) == root
        await log.close()
        log = await SegmentLog.open(folder)
    await log.close()


async def test_a_segment_whose_beginning_was_cut_short_by_a_crash_is_dropped(
    folder: Path, event: Event
) -> None:
    await fill(folder, event)
    (folder / "entries" / f"{6:020d}.log").write_bytes(b"ASSAY")
    log = await SegmentLog.open(folder)
    [receipt] = await log.append([event(6)])
    assert receipt.leaf_index == 6
    await log.close()


async def test_a_missing_segment_is_refused(folder: Path, event: Event) -> None:
    log = await SegmentLog.open(folder, segments=Segments(folder / "entries", segment_bytes=900))
    for number in range(8):
        await log.append([event(number)])
    await log.close()
    segments = sorted((folder / "entries").iterdir())
    assert len(segments) > 2
    segments[1].unlink()
    shutil.rmtree(folder / "cache")
    assert "lacks its leaves from" in await refusal(folder)
    fault = check_log(folder).fault
    assert fault is not None
    assert "missing" in fault.why


async def test_a_folder_has_one_owner(folder: Path) -> None:
    log = await SegmentLog.open(folder)
    with pytest.raises(AssayError) as caught:
        await SegmentLog.open(folder)
    assert caught.value.reason is HOME_BUSY
    await log.close()
    await (await SegmentLog.open(folder)).close()


async def test_after_a_failed_sync_nothing_is_taken_until_recovery(
    folder: Path, event: Event
) -> None:
    failing = False

    def sync(descriptor: int) -> None:
        if failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.fdatasync(descriptor)

    log = await SegmentLog.open(folder, segments=Segments(folder / "entries", sync=sync))
    await log.append([event(0)])
    failing = True
    lost = event(1)
    for draft in (lost, event(2)):
        with pytest.raises(AssayError) as caught:
            await log.append([draft])
        assert caught.value.reason is AUDIT_UNAVAILABLE
    failing = False
    with pytest.raises(AssayError):
        await log.append([event(3)])
    assert log.size == 1
    await log.close()

    log = await SegmentLog.open(folder)
    [receipt] = await log.append([lost])
    assert receipt.sequence_number == 2
    assert log.size == 2
    await log.close()
    assert check_log(folder).fault is None


@pytest.fixture
def file_size_limit() -> Iterator[None]:
    """The operating system cuts writes short at 64 KiB, as a disk that fills up does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def append_until_full(log: SegmentLog, event: Event) -> AssayError:
    with pytest.raises(AssayError) as caught:
        for number in range(10_000):
            await log.append([event(number)])
    assert caught.value.reason is AUDIT_UNAVAILABLE
    return caught.value


@pytest.mark.usefixtures("file_size_limit")
async def test_a_write_that_is_cut_short_is_undone(folder: Path, event: Event) -> None:
    log = await SegmentLog.open(folder)
    await append_until_full(log, event)
    size = log.size
    assert size > 50
    assert check_log(folder).entries == size
    assert check_log(folder).torn_bytes == 0
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (before[1], before[1]))
    [receipt] = await log.append([event(1)])
    assert receipt.leaf_index == size
    await log.close()
    assert check_log(folder).fault is None


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


async def test_a_full_disk_refuses_appends_and_the_log_still_verifies(
    small_disk: Path, event: Event
) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(64 << 10))
    log = await SegmentLog.open(small_disk / "log")
    error = await append_until_full(log, event)
    assert "No space left" in error.message
    size = log.size
    assert size > 20
    assert check_log(small_disk / "log").fault is None
    ballast.unlink()
    [receipt] = await log.append([event(1)])
    assert receipt.leaf_index == size
    await log.close()
    report = check_log(small_disk / "log")
    assert (report.fault, report.entries) == (None, size + 1)


async def test_a_full_disk_at_the_start_is_said_and_not_a_crash(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(small_disk_room(small_disk)))
    with pytest.raises(AssayError) as caught:
        await SegmentLog.open(small_disk / "log")
    assert caught.value.reason is AUDIT_UNAVAILABLE


def small_disk_room(disk: Path) -> int:
    return shutil.disk_usage(disk).free - 8192
