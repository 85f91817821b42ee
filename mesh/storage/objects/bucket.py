"""Objects in a bucket of an S3-compatible object store, with a cache on this machine's disk."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from mesh.processes.failpoint import failpoint
from mesh.storage.files import building_file
from mesh.storage.objects.cache import ObjectCache
from mesh.storage.objects.failures import bucket_failures, disk_failures
from mesh.storage.objects.folder import checked
from mesh.storage.objects.port import Building, Check

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger("assay.objects")

PART_BYTES = 10 << 20
_FETCH_BYTES = 4 << 20
_ABORTED_AT_ONCE = 200


@dataclass(frozen=True)
class BucketPlace:
    """Where a bucket is. Without keys, AWS's usual environment, files and roles decide."""

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    """Such as http://minio:9000; empty for AWS itself."""
    region: str = ""
    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)


class BucketObjects:
    """The ObjectStore port on S3.

    An object is written to this machine's disk first and sent when it is complete: large ones in
    parts, which become an object only when all have arrived. Memory held is one part.
    """

    remote = True

    def __init__(self, place: BucketPlace, folder: str, cache: ObjectCache, spool: Path) -> None:
        """Objects below `folder` in the place; `spool` is where they are built."""
        self._place = place
        self._folder = folder
        self._cache = cache
        self._spool = spool
        self._files = _file_system(place)

    @contextmanager
    def building(self) -> Iterator[Building]:
        """A file of this machine, sent when it is kept."""
        with disk_failures(), building_file(self._spool) as (file, built):
            yield _BuildingUpload(file, built, self)

    def write(self, key: str, content: bytes, name: str = "file") -> None:
        """Store a small object in one request."""
        with self._failures(), self._files.open_output_stream(self._key(key)) as out:
            out.write(content)

    def read(self, key: str) -> bytes:
        """The whole object."""
        with self._failures(), self._files.open_input_file(self._key(key)) as file:
            return bytes(file.read())

    def open(self, key: str) -> pa.NativeFile:
        """The object; each read is a range request."""
        with self._failures():
            return self._files.open_input_file(self._key(key))

    def local(self, key: str, check: Check | None = None) -> Path:
        """The copy in the cache, fetched and checked if need be."""
        name = f"{self._folder}/{checked(key)}"
        found = self._cache.find(name)
        if found is not None:
            return found

        def fetch(file: BinaryIO) -> None:
            with self._failures(), self._files.open_input_stream(self._key(key)) as source:
                while piece := source.read(_FETCH_BYTES):
                    file.write(piece)

        return self._cache.add(name, fetch, check)

    def place(self, key: str) -> Path | None:
        """Nowhere on this machine."""
        return None

    def size(self, key: str) -> int | None:
        """Its bytes."""
        from pyarrow.fs import FileType

        with self._failures():
            found = self._files.get_file_info(self._key(key))
        return int(found.size) if found.type == FileType.File else None

    def delete(self, key: str) -> bool:
        """Remove the object, and the copy here; other machines' copies go when they are unused."""
        self._cache.drop(f"{self._folder}/{checked(key)}")
        if self.size(key) is None:
            return False
        try:
            with self._failures():
                self._files.delete_file(self._key(key))
        except FileNotFoundError:  # somebody else was faster
            return False
        return True

    def sweep(self, older_than: float) -> int:
        """Give up uploads that were begun long ago and never completed.

        Needs boto3 (`pip install "assay[s3]"`): pyarrow cannot list them. Without it the bucket's
        own rule for incomplete uploads has to.
        """
        try:
            import boto3
        except ImportError:
            log.info("boto3 is not installed: broken uploads are left to the bucket's own rules")
            return 0
        from botocore.exceptions import (
            BotoCoreError,
            ClientError,
        )

        try:
            return self._abort_uploads(boto3.client("s3", **_client(self._place)), older_than)
        except (BotoCoreError, ClientError) as error:
            raise OSError(f"uploads could not be given up: {type(error).__name__}") from error

    def _abort_uploads(self, client: Any, older_than: float) -> int:
        before = datetime.now(UTC) - timedelta(seconds=older_than)
        where = {"Bucket": self._place.bucket}
        begun = client.list_multipart_uploads(**where, Prefix=self._prefix()).get("Uploads", [])
        old = [
            upload
            for upload in begun
            # Not every server minds the prefix.
            if upload["Initiated"] < before and upload["Key"].startswith(self._prefix())
        ][:_ABORTED_AT_ONCE]
        for upload in old:
            client.abort_multipart_upload(**where, Key=upload["Key"], UploadId=upload["UploadId"])
        return len(old)

    def send(self, built: Path, key: str, name: str) -> None:
        """Send a complete file of this machine.

        Between two parts nothing may raise but the sending itself: pyarrow can only complete an
        upload, not give it up, and completes none of which a part failed.
        """
        import pyarrow as pa

        with self._failures():
            content = pa.memory_map(str(built)).read_buffer() if built.stat().st_size else b""
            with self._files.open_output_stream(self._key(key)) as out:
                for start in range(0, len(content), PART_BYTES):
                    out.write(content[start : start + PART_BYTES])
                    failpoint(f"{name}, part sent")
            failpoint(f"{name}, sent")

    def _failures(self) -> Any:
        return bucket_failures(self._place.bucket)

    def _prefix(self) -> str:
        return "/".join(filter(None, (self._place.prefix.strip("/"), self._folder))) + "/"

    def _key(self, key: str) -> str:
        return f"{self._place.bucket}/{self._prefix()}{checked(key)}"


@dataclass(frozen=True)
class _BuildingUpload:
    file: BinaryIO
    built: Path
    objects: BucketObjects

    def size(self) -> int:
        return self.file.tell()

    def keep(self, key: str, name: str = "file") -> None:
        with disk_failures():
            self.file.flush()
        self.objects.send(self.built, key, name)


def _file_system(place: BucketPlace) -> Any:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    scheme, _, address = place.endpoint.rpartition("://")
    return S3FileSystem(
        access_key=place.access_key or None,
        secret_key=place.secret_key or None,
        region=place.region or None,
        endpoint_override=address or None,
        scheme=scheme or "https",
        # One part at a time: what waits to be sent would fill the memory.
        background_writes=False,
        allow_delayed_open=True,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=3),
        connect_timeout=5,
        request_timeout=30,
    )


def _client(place: BucketPlace) -> dict[str, str]:
    values = {
        "endpoint_url": place.endpoint,
        "region_name": place.region,
        "aws_access_key_id": place.access_key,
        "aws_secret_access_key": place.secret_key,
    }
    return {name: value for name, value in values.items() if value}
