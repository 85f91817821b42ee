"""Objects of buckets: of S3, and of stores that speak like it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mesh.errors import (
    SOURCE_NOT_FOUND,
    SOURCE_NOT_READABLE,
    SOURCE_NOT_SUPPORTED,
    SOURCE_UNREACHABLE,
    AssayError,
)
from services.executor.remote.address import Address
from services.executor.remote.answers import answered, changed, login_refused
from services.executor.remote.bounds import Bounds
from services.executor.remote.hosts import WebHosts
from services.executor.sources.lake.folders import MOST_FILES

_PIECE = 1 << 20
_REFUSED = frozenset(
    "AccessDenied InvalidAccessKeyId SignatureDoesNotMatch ExpiredToken InvalidToken "
    "TokenRefreshRequired AllAccessDisabled".split()
)
_ABSENT = frozenset({"NoSuchKey", "NoSuchBucket", "404", "NotFound", "InvalidBucketName"})


@dataclass(frozen=True, slots=True)
class Store:
    """Where buckets are that an address does not say it of; empty leaves it to AWS."""

    endpoint: str = ""
    region: str = ""


@dataclass(frozen=True, slots=True)
class Object:
    """An object: its key, its name within what was asked for, and what tells its version."""

    key: str
    name: str
    etag: str
    size: int


class Bucket:
    """The objects that an address names, with the rights that it brings along."""

    def __init__(self, address: Address, store: Store, hosts: WebHosts, bounds: Bounds) -> None:
        """Raises AssayError: SOURCE_NOT_SUPPORTED without the extra `s3`, SOURCE_HOST_REFUSED."""
        self._address = address
        self._bounds = bounds
        self._client = _client(address, store, bounds)
        endpoint = urlsplit(self._client.meta.endpoint_url)
        if not address.own and not address.trusted:
            port = endpoint.port or (443 if endpoint.scheme == "https" else 80)
            hosts.checked(endpoint.hostname or "", port, own=False)

    def one(self) -> Object | None:
        """The one object of that key, if there is one."""
        key = self._address.path
        if not key or key.endswith("/"):
            return None
        try:
            with self._translate_errors():
                head = self._client.head_object(Bucket=self._address.host, Key=key)
        except AssayError as error:
            if error.reason is SOURCE_NOT_FOUND:
                return None
            raise
        return Object(key, self._address.name, head["ETag"], int(head["ContentLength"]))

    def all(self) -> list[Object]:
        """The objects below the prefix, by name; the names are paths within it.

        Raises AssayError: SOURCE_NOT_FOUND for none, SOURCE_NOT_READABLE for names that are no
        paths or too many.
        """
        prefix = self._address.path.rstrip("/") + "/" if self._address.path else ""
        found: list[Object] = []
        with self._translate_errors():
            pages = self._client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self._address.host, Prefix=prefix):
                self._bounds.check(self._address.shown)
                for entry in page.get("Contents", ()):
                    name = str(entry["Key"])[len(prefix) :]
                    if name and not name.endswith("/"):
                        size = int(entry["Size"])
                        found.append(Object(entry["Key"], _path(name), entry["ETag"], size))
                if len(found) > MOST_FILES:
                    raise AssayError(
                        SOURCE_NOT_READABLE,
                        f"{self._address.shown} holds more than {MOST_FILES:,} objects.",
                        hint="Name a prefix within it.",
                    )
        if not found:
            raise AssayError(SOURCE_NOT_FOUND, f"there is nothing at {self._address.shown}.")
        return sorted(found, key=lambda one: one.name)

    def fetch(self, one: Object, into: Path) -> None:
        """Fetch an object, in the version that was listed.

        Raises AssayError(SOURCE_NOT_READABLE) where it changed since.
        """
        with self._translate_errors():
            answer = self._client.get_object(
                Bucket=self._address.host, Key=one.key, IfMatch=one.etag
            )
            size = 0
            with into.open("wb") as file:
                for piece in answer["Body"].iter_chunks(_PIECE):
                    self._bounds.check(self._address.shown)
                    size += len(piece)
                    file.write(piece)
                os.fsync(file.fileno())
        if size != one.size:
            raise changed(f"{self._address.shown} ({one.name})")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Failures of the store as errors for people, without what the store says in its words."""
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

        shown = self._address.shown
        try:
            yield
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
            if code in _ABSENT or status == 404:
                raise AssayError(SOURCE_NOT_FOUND, f"there is nothing at {shown}.") from None
            if code in _REFUSED or status in (401, 403):
                raise login_refused(shown) from None
            if code == "PreconditionFailed" or status == 412:
                raise changed(shown) from None
            raise answered(status, shown) from None
        except NoCredentialsError:
            raise login_refused(shown) from None
        except (BotoCoreError, ValueError) as error:
            raise AssayError(
                SOURCE_UNREACHABLE,
                f"the store of {shown} does not answer as it should ({type(error).__name__}).",
            ) from None


def _client(address: Address, store: Store, bounds: Bounds) -> Any:
    try:
        import boto3
        from botocore import UNSIGNED
        from botocore.config import Config
    except ImportError:
        raise AssayError(
            SOURCE_NOT_SUPPORTED,
            f"{address.shown} is in a bucket, and the library that reads buckets is not installed.",
            hint="Install it where the executor runs: pip install 'assay[s3]'.",
        ) from None
    options = dict(address.options)
    # The logins of whoever runs this process are not the caller's.
    session = boto3.session.Session()
    anonymous = not address.user and (
        not (address.own or address.trusted) or session.get_credentials() is None
    )
    given = {
        "aws_access_key_id": address.user,
        "aws_secret_access_key": address.password,
        "aws_session_token": dict(address.secrets).get("token"),
    }
    return session.client(
        "s3",
        endpoint_url=options.get("endpoint") or store.endpoint or None,
        region_name=options.get("region") or store.region or session.region_name or "us-east-1",
        verify=bounds.authority or None,
        config=Config(
            signature_version=UNSIGNED if anonymous else None,
            connect_timeout=10,
            read_timeout=30,
            retries={"total_max_attempts": len(bounds.pauses) + 1, "mode": "standard"},
            ignore_configured_endpoint_urls=not address.own,
        ),
        **(given if address.user else {}),
    )


def _path(name: str) -> str:
    """The name of an object as a path within a folder. Raises AssayError for one that leaves it."""
    steps: Sequence[str] = name.split("/")
    if any(step in ("", ".", "..") or "\0" in step or len(step) > 255 for step in steps):
        raise AssayError(SOURCE_NOT_READABLE, f"the object {name!r} has a name that is no path.")
    return name
