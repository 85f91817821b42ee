"""A frame is stored whole or not at all, and found by digest: in a folder and in a bucket."""

from __future__ import annotations

import errno
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import numpy as np
import pyarrow as pa
import pytest

from mesh.digest import frame_digest
from mesh.errors import (
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    SERVICE_UNAVAILABLE,
    SOURCE_NOT_READABLE,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.frames import codec
from mesh.frames.store import FrameStore
from mesh.storage.objects import bucket as bucket_module
from mesh.storage.objects.bucket import BucketPlace
from mesh.testing.object_server import fresh_bucket
from tests.contract.stores import NewHost, damage, new_host, on_host, s3
from tests.mesh.support import REPOSITORY

__all__ = ["new_host", "s3"]

SALES = pa.table({"region": ["north", None, "south"] * 40_000, "amount": list(range(120_000))})

LARGE = pa.table({"n": np.arange(4_000_000)})


def key(digest: str) -> str:
    return f"{digest[:2]}/{digest}.arrow"


def test_a_stored_frame_comes_back_equal_on_every_host(new_host: NewHost) -> None:
    ref = FrameStore(new_host().objects).put(SALES, "sales")
    other = FrameStore(new_host().objects)
    assert other.exists(ref.digest)
    assert other.open(ref.digest).equals(SALES)
    assert other.open(ref.digest, foreign=True).equals(SALES)
    assert (ref.rows, ref.digest) == (120_000, frame_digest(SALES))
    assert ref.bytes == other.file(ref.digest).stat().st_size


def test_a_file_of_others_becomes_the_frame_that_its_table_is(
    new_host: NewHost, tmp_path: Path
) -> None:
    host, given = FrameStore(new_host().objects), tmp_path / "given.arrow"
    with given.open("xb") as file:
        codec.write_file(SALES, file)
    admitted: list[str] = []
    refs = [
        host.put_file(given, "sales", lambda digest, _: admitted.append(digest)),
        host.put(SALES),
    ]
    assert refs[0] == refs[1].model_copy(update={"name": "sales"})
    assert refs[0] == host.ref(refs[0].digest, "sales")
    assert admitted == [refs[0].digest]
    with pytest.raises(AssayError) as refused:
        host.put_file(given, "again", no_room)
    assert refused.value.reason is RESOURCE_EXHAUSTED
    given.write_bytes(given.read_bytes()[:-200_000])
    with pytest.raises(AssayError) as damaged:
        host.put_file(given)
    assert damaged.value.reason is SOURCE_NOT_READABLE


def no_room(digest: str, size: int) -> None:
    raise AssayError(RESOURCE_EXHAUSTED, "there is no room")


def test_only_a_folder_names_a_path_that_stays(new_host: NewHost) -> None:
    host = new_host()
    ref = FrameStore(host.objects).put(SALES)
    assert bool(ref.locations) == (not host.objects.remote)


def test_equal_tables_put_at_once_by_many_keep_one(new_host: NewHost) -> None:
    stores = [FrameStore(new_host().objects) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        refs = list(threads.map(lambda store: store.put(SALES), stores))
    assert len({ref.digest for ref in refs}) == 1
    assert FrameStore(new_host().objects).open(refs[0].digest).equals(SALES)


@pytest.mark.parametrize("digest", ["0" * 64, "../../etc/passwd", ""])
def test_what_is_not_there_is_not_found_and_says_what_to_do(new_host: NewHost, digest: str) -> None:
    store = FrameStore(new_host().objects)
    assert not store.exists(digest)
    assert not store.delete(digest)
    for read in (store.open, store.file):
        with pytest.raises(AssayError) as refused:
            read(digest)
        assert refused.value.reason is NOT_FOUND
        assert "make it again" in refused.value.remedy


def test_a_deleted_frame_is_gone_everywhere_but_open_tables_stay(new_host: NewHost) -> None:
    here, there = FrameStore(new_host().objects), FrameStore(new_host().objects)
    ref = here.put(SALES)
    opened = there.open(ref.digest)
    assert here.delete(ref.digest)
    assert not here.delete(ref.digest)
    assert not there.exists(ref.digest)
    assert opened.equals(SALES)


def test_what_refuses_the_frame_leaves_nothing(new_host: NewHost) -> None:
    told: list[tuple[str, int]] = []

    def refuse(digest: str, size: int) -> None:
        told.append((digest, size))
        raise AssayError(RESOURCE_EXHAUSTED, "no room")

    host = new_host()
    with pytest.raises(AssayError, match="no room"):
        FrameStore(host.objects).put(SALES, admit=refuse)
    assert told[0][0] == frame_digest(SALES)
    assert told[0][1] > SALES.nbytes // 2
    assert not FrameStore(new_host().objects).exists(told[0][0])
    assert not [path for path in host.disk.rglob("*") if path.is_file()]


def test_a_full_disk_is_told_and_leaves_nothing(
    new_host: NewHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(table: pa.Table, file: Any) -> None:
        file.write(b"ARROW1")
        raise OSError(errno.ENOSPC, "No space left on device")

    host = new_host()
    monkeypatch.setattr(codec, "write_file", full)
    with pytest.raises(AssayError) as refused:
        FrameStore(host.objects).put(SALES)
    assert refused.value.reason is RESOURCE_EXHAUSTED
    assert "Delete" in refused.value.remedy
    assert not [path for path in host.disk.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("kept", "reason"),
    [(slice(0, -40), SOURCE_NOT_READABLE), (slice(0, 0), SOURCE_NOT_READABLE)],
)
def test_a_damaged_object_is_refused(new_host: NewHost, kept: slice, reason: object) -> None:
    ref = FrameStore(new_host().objects).put(SALES)
    host = new_host()
    damage(host.objects, key(ref.digest), lambda content: content[kept])
    with pytest.raises(AssayError) as refused:
        FrameStore(host.objects).open(ref.digest, foreign=True)
    assert refused.value.reason is reason


def test_a_bucket_that_holds_another_table_is_found_out_by_digest(
    s3: BucketPlace, tmp_path: Path
) -> None:
    place = fresh_bucket(s3)
    maker = on_host(place, tmp_path / "maker")
    ref = FrameStore(maker.objects).put(SALES)
    other = FrameStore(maker.objects).put(SALES.slice(1))
    maker.objects.write(key(ref.digest), maker.objects.read(key(other.digest)))
    reader = on_host(place, tmp_path / "reader")
    for _ in range(2):
        with pytest.raises(AssayError) as refused:
            FrameStore(reader.objects).open(ref.digest)
        assert refused.value.reason is VERIFICATION_FAILED
    assert not [path for path in (tmp_path / "reader").rglob("*") if path.is_file()]


def test_a_bucket_that_is_away_is_unavailable_and_tells_no_secret(
    s3: BucketPlace, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = replace(s3, bucket="nobody", endpoint="http://127.0.0.1:9", secret_key="hush-hush")
    store = FrameStore(on_host(away, tmp_path).objects)
    for act in (lambda: store.put(SALES), lambda: store.open("0" * 64)):
        with pytest.raises(AssayError) as refused:
            act()
        assert refused.value.reason is SERVICE_UNAVAILABLE
        assert "ASSAY_EXECUTOR_STORE_URL" in refused.value.remedy
    assert "hush-hush" not in caplog.text + repr(away)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_bucket_that_disappears_between_parts_shows_no_half(
    s3: BucketPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = fresh_bucket(s3)
    host = on_host(place, tmp_path)

    def cut_off(name: str) -> None:
        if name == "frame, part sent":
            client = _client(place)
            for upload in client.list_multipart_uploads(Bucket=place.bucket)["Uploads"]:
                client.abort_multipart_upload(
                    Bucket=place.bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                )

    with monkeypatch.context() as patched:
        patched.setattr(bucket_module, "failpoint", cut_off)
        with pytest.raises(AssayError) as refused:
            FrameStore(host.objects).put(LARGE)
    assert refused.value.reason is SERVICE_UNAVAILABLE
    assert not FrameStore(host.objects).exists(frame_digest(LARGE))
    assert FrameStore(host.objects).open(FrameStore(host.objects).put(LARGE).digest).equals(LARGE)


DYING = """
import sys
from pathlib import Path
import numpy as np
import pyarrow as pa
from mesh.frames.store import FrameStore
from mesh.storage.objects.bucket import BucketPlace
from tests.contract.stores import on_host
bucket, endpoint, disk = sys.argv[1:]
place = BucketPlace(bucket, "assay", endpoint, "us-east-1", "assay-tests", "not-to-be-told")
FrameStore(on_host(place, Path(disk)).objects).put(pa.table({"n": np.arange(4_000_000)}))
"""


@pytest.mark.parametrize("where", ["frame, part sent", "frame, part sent#2", "frame, sent"])
def test_a_process_killed_while_it_sends_shows_no_half_and_its_leftovers_are_swept(
    s3: BucketPlace, tmp_path: Path, where: str
) -> None:
    place, disk = fresh_bucket(s3), tmp_path / "dying"
    died = subprocess.run(
        [sys.executable, "-c", DYING, place.bucket, place.endpoint, str(disk)],
        cwd=REPOSITORY,
        env={"PATH": "", "PYTHONPATH": "gen", "ASSAY_FAILPOINT": where},
        check=False,
    )
    assert died.returncode == -9
    table = LARGE
    host = on_host(place, tmp_path / "next")
    store = FrameStore(host.objects)
    whole = where == "frame, sent"
    assert store.exists(frame_digest(table)) == whole
    begun = _client(place).list_multipart_uploads(Bucket=place.bucket).get("Uploads", [])
    assert len(begun) == (0 if whole else 1)
    assert host.objects.sweep(3600) == len(begun)
    assert "Uploads" not in _client(place).list_multipart_uploads(Bucket=place.bucket)
    assert store.open(store.put(table).digest).equals(table)


def test_the_copies_of_a_bucket_on_a_disk_are_bounded(s3: BucketPlace, tmp_path: Path) -> None:
    place = fresh_bucket(s3)
    maker = FrameStore(on_host(place, tmp_path / "maker").objects)
    refs = [maker.put(SALES.slice(start)) for start in range(5)]
    from mesh.storage.objects.bucket import BucketObjects
    from mesh.storage.objects.cache import IN_USE_SECONDS, ObjectCache

    hour = [0.0]
    cache = ObjectCache(tmp_path / "cache", 2 * refs[0].bytes, lambda: hour[0])
    reader = FrameStore(BucketObjects(place, "frames", cache, tmp_path / "sending"))
    opened = []
    for ref in refs:
        hour[0] += 2 * IN_USE_SECONDS
        opened.append(reader.open(ref.digest))
    copies = list((tmp_path / "cache").rglob("*.arrow"))
    assert {path.stem for path in copies} == {ref.digest for ref in refs[-2:]}
    assert [table.num_rows for table in opened] == [ref.rows for ref in refs]


def _client(place: BucketPlace) -> Any:
    return boto3.client(
        "s3",
        endpoint_url=place.endpoint,
        region_name=place.region,
        aws_access_key_id=place.access_key,
        aws_secret_access_key=place.secret_key,
    )
