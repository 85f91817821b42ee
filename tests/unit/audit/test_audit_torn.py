"""A log whose last write was torn, at whichever byte, is cut back to its last whole entry."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mesh.errors import VERIFICATION_FAILED, AssayError
from services.audit.adapters.records import decode_record
from services.audit.adapters.recovery import Published, open_storage
from services.audit.adapters.segment_log import SegmentLog
from services.audit.adapters.segments import FIRST_RECORD
from services.audit.domain.draft import Draft
from services.audit.fsck import check_log

Event = Callable[..., Draft]
BATCHES = (1, 1, 2)
MEMORY = Path("/dev/shm")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where there is a place for that: the log is opened more than a thousand times."""
    place = MEMORY if os.access(MEMORY, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=place) as name:
        yield Path(name) / "log"


@pytest.fixture
async def roots(folder: Path, event: Event) -> dict[int, bytes]:
    """The root of a log of four entries at each of its sizes; the last two were one write."""
    log = await SegmentLog.open(folder)
    for count in BATCHES:
        await log.append([event(number) for number in range(count)])
    roots = {size: await log.root(size) for size in range(1, log.size + 1)}
    await log.close()
    shutil.rmtree(folder / "cache")
    return roots


def the_segment(folder: Path) -> Path:
    [path] = (folder / "entries").iterdir()
    return path


def ends_of(data: bytes) -> list[int]:
    """Where each record ends, after where the first begins."""
    ends = [FIRST_RECORD]
    while ends[-1] < len(data):
        ends.append(decode_record(data, ends[-1]).end)
    return ends


def torn_anywhere(folder: Path, whole: bytes, first: int) -> Iterator[int]:
    """The log as it lies on disk after a write that ended at each byte from `first` on."""
    for cut in range(first, len(whole)):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        the_segment(folder).write_bytes(whole[:cut])
        yield cut


async def test_a_log_cut_at_any_byte_of_its_last_write_is_recovered_to_the_last_whole_entry(
    folder: Path, roots: dict[int, bytes]
) -> None:
    whole = the_segment(folder).read_bytes()
    ends = ends_of(whole)
    published = Published(2, roots[2])
    for cut in torn_anywhere(folder, whole, ends[2]):
        kept = max(size for size, end in enumerate(ends) if end <= cut)
        assert check_log(folder).torn_bytes == cut - ends[kept]
        storage = open_storage(folder, published)
        assert storage.size == kept
        assert [logged.leaf_index for logged in storage.entries(0, 9)] == list(range(kept))
        storage.close()
        assert the_segment(folder).read_bytes() == whole[: ends[kept]]
        report = check_log(folder)
        assert (report.fault, report.torn_bytes) == (None, 0)
        assert (report.entries, report.root) == (kept, roots[kept])


async def test_a_log_cut_at_any_byte_of_what_was_published_is_refused_and_left_alone(
    folder: Path, roots: dict[int, bytes]
) -> None:
    whole = the_segment(folder).read_bytes()
    ends = ends_of(whole)
    published = Published(4, roots[4])
    for cut in torn_anywhere(folder, whole, ends[2]):
        kept = max(size for size, end in enumerate(ends) if end <= cut)
        with pytest.raises(AssayError) as caught:
            open_storage(folder, published)
        assert caught.value.reason is VERIFICATION_FAILED
        assert f"holds {kept} entries, its published checkpoint says 4" in caught.value.message
        assert the_segment(folder).read_bytes() == whole[:cut]


@pytest.mark.parametrize("garbage", [b"\x00", b"\xff", b"\xffAE1", b"noise"])
async def test_bytes_that_were_allocated_but_never_written_are_torn_too(
    folder: Path, roots: dict[int, bytes], garbage: bytes
) -> None:
    whole = the_segment(folder).read_bytes()
    ends = ends_of(whole)
    for cut in range(ends[3], len(whole), 7):
        shutil.rmtree(folder / "cache", ignore_errors=True)
        filling = (garbage * len(whole))[: len(whole) - cut]
        the_segment(folder).write_bytes(whole[:cut] + filling)
        storage = open_storage(folder, Published(3, roots[3]))
        assert storage.size == 3
        storage.close()
        assert the_segment(folder).read_bytes() == whole[: ends[3]]
