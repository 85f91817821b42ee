"""Artifacts, records of calls and uploads keep the same promises in a folder and in a bucket."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from mesh.clock import HeldClock
from mesh.errors import (
    FILE_TOO_LARGE,
    INVALID_ARGUMENT,
    NOT_FOUND,
    RESOURCE_EXHAUSTED,
    VERIFICATION_FAILED,
    AssayError,
)
from mesh.ids import new_id
from services.executor.adapters.stored_artifacts import StoredArtifacts
from services.executor.adapters.stored_calls import StoredCalls
from services.executor.adapters.stored_files import StoredFiles
from services.executor.domain.artifact import Artifact
from tests.contract.stores import NewHost, new_host, s3

__all__ = ["new_host", "s3"]

JOB = "a" * 32
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def artifacts(new_host: NewHost) -> StoredArtifacts:
    return StoredArtifacts(new_host().objects, HeldClock(NOON))


def put(store: StoredArtifacts, content: bytes, name: str = "chart.png") -> Artifact:
    return store.put(JOB, name, "chart", "image/png", content, {"width": 3})


def test_an_artifact_is_read_anywhere_by_its_reference(new_host: NewHost) -> None:
    made = put(artifacts(new_host), b"picture" * 1000)
    assert made.content_ref == f"charts/{JOB}/chart.png"
    assert made.content_hash == hashlib.sha256(b"picture" * 1000).hexdigest()
    pieces = list(artifacts(new_host).read(made.content_ref, 1024))
    assert b"".join(pieces) == b"picture" * 1000
    assert max(map(len, pieces)) <= 1024


def test_the_same_file_again_is_the_same_artifact_and_another_gets_a_number(
    new_host: NewHost,
) -> None:
    first, again = put(artifacts(new_host), b"one"), put(artifacts(new_host), b"one")
    other = put(artifacts(new_host), b"two")
    assert first.artifact_id == again.artifact_id
    assert first.content_ref == again.content_ref
    assert other.content_ref == f"charts/{JOB}/chart_2.png"
    assert b"".join(artifacts(new_host).read(first.content_ref, 9)) == b"one"


@pytest.mark.parametrize("name", ["../../passwd", "", "...", "-", "a/b/c.png"])
def test_no_name_leads_out_of_the_store(new_host: NewHost, name: str) -> None:
    made = put(artifacts(new_host), b"x", name)
    assert made.content_ref.startswith(f"charts/{JOB}/")
    assert b"".join(artifacts(new_host).read(made.content_ref, 9)) == b"x"


@pytest.mark.parametrize("reference", ["charts/../x", "charts/job/none.png", "/etc/passwd", ""])
def test_a_reference_to_nothing_is_not_found(new_host: NewHost, reference: str) -> None:
    with pytest.raises(AssayError) as refused:
        list(artifacts(new_host).read(reference, 9))
    assert refused.value.reason is NOT_FOUND


def test_an_unknown_kind_is_refused(new_host: NewHost) -> None:
    with pytest.raises(AssayError) as refused:
        artifacts(new_host).put(JOB, "x", "song", "audio/midi", b"", {})
    assert refused.value.reason is INVALID_ARGUMENT


def test_what_refuses_an_artifact_or_a_record_leaves_nothing(new_host: NewHost) -> None:
    def refuse(name: str, size: int) -> None:
        raise AssayError(RESOURCE_EXHAUSTED, f"no room for {size} of {name}")

    with pytest.raises(AssayError, match=r"no room for 3 of charts/a+/chart.png"):
        artifacts(new_host).put(JOB, "chart.png", "chart", "image/png", b"one", {}, refuse)
    call = new_id()
    with pytest.raises(AssayError, match=f"no room for 2 of {call}"):
        StoredCalls(new_host().objects).put(call, b"ok", refuse)
    assert StoredCalls(new_host().objects).get(call) is None
    with pytest.raises(AssayError):
        list(artifacts(new_host).read(f"charts/{JOB}/chart.png", 9))


def test_a_record_of_a_call_is_found_anywhere_until_it_is_deleted(new_host: NewHost) -> None:
    call = new_id()
    here, there = StoredCalls(new_host().objects), StoredCalls(new_host().objects)
    assert there.get(call) is None
    here.put(call, b"observation")
    assert there.get(call) == b"observation"
    there.delete(call)
    there.delete(call)
    assert here.get(call) is None
    assert here.get("../../etc") is None


async def arriving(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def test_an_upload_is_a_file_on_every_host(new_host: NewHost) -> None:
    files, elsewhere = StoredFiles(new_host().objects), StoredFiles(new_host().objects)
    digest, size, new = await files.put(arriving(b"a,b\n", b"1,2\n"), 100)
    assert (digest, size, new) == (hashlib.sha256(b"a,b\n1,2\n").hexdigest(), 8, True)
    assert elsewhere.path(digest).read_bytes() == b"a,b\n1,2\n"
    assert (await elsewhere.put(arriving(b"a,b\n1,2\n"), 100))[2] is False
    files.delete(digest)
    with pytest.raises(AssayError) as refused:
        files.path(digest)
    assert refused.value.reason is NOT_FOUND


async def test_an_upload_that_is_too_large_or_breaks_off_leaves_nothing(new_host: NewHost) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"a,b\n"
        raise ConnectionError("gone")

    host = new_host()
    with pytest.raises(AssayError) as refused:
        await StoredFiles(host.objects).put(arriving(b"x" * 60, b"x" * 60), 100)
    assert refused.value.reason is FILE_TOO_LARGE
    with pytest.raises(ConnectionError):
        await StoredFiles(host.objects).put(broken(), 100)
    assert not [path for path in host.disk.rglob("*") if path.is_file()]
    assert host.objects.size(hashlib.sha256(b"a,b\n").hexdigest()) is None


async def test_an_upload_that_was_changed_in_a_bucket_is_refused(new_host: NewHost) -> None:
    host = new_host()
    digest, _, _ = await StoredFiles(host.objects).put(arriving(b"a,b\n1,2\n"), 100)
    host.objects.write(digest, b"a,b\n1,3\n")
    if host.objects.remote:
        with pytest.raises(AssayError) as refused:
            StoredFiles(new_host().objects).path(digest)
        assert refused.value.reason is VERIFICATION_FAILED
