"""What an uploaded file is, and when a file is known without being read again."""

from __future__ import annotations

import gzip
import io
import os
import time
import zipfile
from pathlib import Path

import pytest

from mesh.errors import INVALID_FILE_TYPE, NO_HEADERS, RESOURCE_EXHAUSTED, AssayError
from services.executor.sources import content
from services.executor.sources.content import ContentDigests
from services.executor.sources.library import SourceLibrary
from services.executor.sources.uploads import examine
from tests.unit.executor.source_help import PROCESSES, open_text, write_shop


def zipped(**members: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return sink.getvalue()


def examined(home: Path, name: str, data: bytes) -> tuple[str, int]:
    stored = home / "0123abcd"
    stored.write_bytes(data)
    return examine(SourceLibrary(home, processes=PROCESSES), stored, name)


def test_compressed_files_are_taken_for_what_they_hold(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n1,2\n3,4\n")
    assert examined(tmp_path, "t.csv.gz", packed) == ("application/gzip", 2)
    both = zipped(a_csv=b"n\n1\n", b_csv=b"n\n2\n3\n")
    assert examined(tmp_path, "t.zip", both) == ("application/zip", 3)


@pytest.mark.parametrize("data", [b"1,2\n3,4\n", b"2024-01-01,5\n2024-01-02,6\n", b""])
def test_an_upload_without_a_line_of_names_is_refused_where_one_is_required(
    tmp_path: Path, data: bytes
) -> None:
    stored = tmp_path / "0123abcd"
    stored.write_bytes(data)
    library = SourceLibrary(tmp_path, processes=PROCESSES)
    with pytest.raises(AssayError) as caught:
        examine(library, stored, "t.csv", headers=True)
    assert caught.value.reason is NO_HEADERS
    if data:
        assert examine(library, stored, "t.csv") == ("text/csv", 2)


@pytest.mark.parametrize("data", [b"name\nalice\n", b"a,b\nx,y\n", b"a,b\n1,2\n"])
def test_a_line_that_may_be_names_is_taken_for_one(tmp_path: Path, data: bytes) -> None:
    stored = tmp_path / "0123abcd"
    stored.write_bytes(data)
    library = SourceLibrary(tmp_path, processes=PROCESSES)
    assert examine(library, stored, "t.csv", headers=True) == ("text/csv", 1)


def test_a_database_in_an_archive_is_as_little_an_upload_as_one_outside(tmp_path: Path) -> None:
    database = write_shop(tmp_path).read_bytes()
    for name, data in (("s.sqlite", database), ("s.zip", zipped(s_sqlite=database))):
        with pytest.raises(AssayError) as caught:
            examined(tmp_path, name, data)
        assert caught.value.reason is INVALID_FILE_TYPE


def test_the_members_of_an_archive_share_one_cap(tmp_path: Path) -> None:
    member = b"a\n" + b"7\n" * (20 << 20)
    bomb = zipped(a_csv=member, b_csv=member)
    assert len(member) < 64 << 20 < 2 * len(member)
    with pytest.raises(AssayError) as caught:
        open_text(tmp_path, "t.zip", bomb)
    assert caught.value.reason is RESOURCE_EXHAUSTED


def test_a_file_left_alone_is_hashed_once_and_a_changed_one_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[Path] = []
    real = content._content_digest

    def counted(path: Path) -> str:
        hashed.append(path)
        return real(path)

    monkeypatch.setattr(content, "_content_digest", counted)
    clock = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: clock() + 3_000_000_000)
    digests, path = ContentDigests(), tmp_path / "t.csv"
    path.write_bytes(b"a\n1\n")
    first = digests.of(path)
    assert (digests.of(path), len(hashed)) == (first, 1)
    stamp = path.stat()
    path.write_bytes(b"a\n2\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert digests.of(path) != first


def test_a_file_just_written_is_hashed_each_time(tmp_path: Path) -> None:
    digests, path = ContentDigests(), tmp_path / "t.csv"
    path.write_bytes(b"a\n1\n")
    digests.of(path)
    assert not digests._kept
