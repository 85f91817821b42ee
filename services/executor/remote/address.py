"""Where a file on the web or in a bucket is, as a request names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from mesh.credentials import REFERENCE, is_remote, separated
from mesh.errors import SOURCE_NOT_FOUND, AssayError

__all__ = ["Address", "address_of", "is_remote"]

_OF_BUCKETS = frozenset({"endpoint", "region"})


@dataclass(frozen=True, slots=True)
class Address:
    """A file on the web, or a key or prefix of a bucket.

    `host` is the web's host, or the bucket; `path` is the key in a bucket, or path and query on the
    web, secrets included. `shown` has no user, no query and no secrets. `own` says that what this
    process knows may help to log in, `trusted` that the operator wrote it down: it may be anywhere.
    """

    scheme: str
    host: str
    port: int | None
    path: str = field(repr=False)
    shown: str
    name: str
    user: str = field(repr=False)
    secrets: tuple[tuple[str, str], ...] = field(repr=False)
    options: tuple[tuple[str, str], ...] = ()
    own: bool = False
    trusted: bool = False

    @property
    def password(self) -> str:
        """What was given as the password."""
        return dict(self.secrets).get("password", "")


def address_of(
    url: str, secrets: Mapping[str, str], *, own: bool, trusted: bool = False
) -> Address:
    """The address that a URL without secrets names, with its secrets.

    Raises AssayError: SOURCE_NOT_FOUND for what names no file, INVALID_ARGUMENT for what cannot be
    taken apart.
    """
    further = separated(url)
    secrets = {**further.secrets, **secrets}
    parts = urlsplit(further.address)
    scheme = parts.scheme.lower()
    user = unquote(parts.netloc.rpartition("@")[0].partition(":")[0])
    host = parts.hostname or ""
    if scheme == "s3":  # bucket names keep their case
        host = parts.netloc.rpartition("@")[2]
    shown = f"{scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    if not host:
        raise AssayError(SOURCE_NOT_FOUND, f"{shown} names no host and no bucket.")
    given = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name != REFERENCE
    ]
    name = PurePosixPath(unquote(parts.path)).name
    if scheme == "s3":
        unknown = [name for name, _ in given if name not in _OF_BUCKETS or not trusted]
        if unknown:
            raise AssayError(
                SOURCE_NOT_FOUND,
                f"the address {shown} has the parameter {unknown[0]}, which is not allowed.",
                hint="Where the store is, ASSAY_EXECUTOR_S3_ENDPOINT and ASSAY_EXECUTOR_S3_REGION "
                "say, or an address in ASSAY_EXECUTOR_CONNECTIONS.",
            )
        path, options = unquote(parts.path.removeprefix("/")), tuple(given)
        name = name or host
    else:
        within = [(key, value) for key, value in secrets.items() if key != "password"]
        query = urlencode([*given, *within], quote_via=quote) if given or within else ""
        if query and not within and len(given) == len(parse_qsl(parts.query, True)):
            query = parts.query  # as it was written: some servers read nothing else
        path, options = (parts.path or "/") + (f"?{query}" if query else ""), ()
        if not name or parts.path.endswith("/"):
            raise AssayError(
                SOURCE_NOT_FOUND,
                f"{shown} names no file.",
                hint="Name one file; folders are read from buckets (s3://BUCKET/PREFIX/) alone.",
            )
    return Address(
        scheme=scheme,
        host=host,
        port=parts.port if scheme != "s3" else None,
        path=path,
        shown=shown,
        name=name,
        user=user,
        secrets=tuple(sorted(secrets.items())),
        options=options,
        own=own,
        trusted=trusted,
    )
