"""A real S3-compatible server for tests, in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.request import urlopen

from mesh.ids import new_id
from mesh.storage.objects.bucket import BucketPlace

_START_TRIES = 1200
_READY_SECONDS = 0.1


class ObjectServerAbsent(Exception):
    """There is nothing here to run."""


@contextmanager
def object_server() -> Iterator[BucketPlace]:
    """Run moto's server; yields a place whose bucket is yet to be made (`fresh_bucket`).

    Raises ObjectServerAbsent.
    """
    if find_spec("moto") is None or find_spec("flask") is None:
        raise ObjectServerAbsent("moto[s3] and flask are not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _answering(endpoint, process)
        yield BucketPlace(
            bucket="",
            endpoint=endpoint,
            region="us-east-1",
            access_key="assay-tests",
            secret_key="not-to-be-told",
        )
    finally:
        process.terminate()
        process.wait(10)


def fresh_bucket(place: BucketPlace, prefix: str = "assay") -> BucketPlace:
    """A place with an empty bucket of its own on the same server."""
    from pyarrow.fs import S3FileSystem

    bucket = f"test-{new_id()}"
    files = S3FileSystem(
        access_key=place.access_key,
        secret_key=place.secret_key,
        region=place.region,
        endpoint_override=place.endpoint,
        allow_bucket_creation=True,
    )
    files.create_dir(bucket)
    return BucketPlace(
        bucket, prefix, place.endpoint, place.region, place.access_key, place.secret_key
    )


def _answering(endpoint: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(_START_TRIES):
        if process.poll() is not None:
            break
        try:
            with urlopen(f"{endpoint}/moto-api/", timeout=5):
                return
        except OSError:
            # A process that ends meanwhile is seen at once.
            try:
                process.wait(_READY_SECONDS)
            except subprocess.TimeoutExpired:
                continue
    raise ObjectServerAbsent("moto's server does not start")
