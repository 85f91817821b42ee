"""What a source is known by again, whoever names it, wherever it lies, by whatever password.

A file is known by its name: next month's orders.csv means what this one does. Whether a definition
fits it is seen when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from assay.common.v1 import data_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from mesh.credentials import REFERENCE
from mesh.digest import sha256_hex

Contents = Mapping[str, planner_pb.FileContent]


def places_of(sources: Iterable[data_pb2.DataSource], files: Contents) -> tuple[str, ...]:
    """Digests of the addresses of databases and the names of files, sorted; of frames there are
    none. The sources are as `Submitting.ready` leaves them: no names, no secrets."""
    return tuple(
        sorted({sha256_hex(place.encode()) for one in sources if (place := _of(one, files))})
    )


def _of(source: data_pb2.DataSource, files: Contents) -> str:
    if source.file_id:
        return f"file {files[source.file_id].name}"
    if source.connection_string:
        return f"address {_bare(source.connection_string)}"
    return f"file {PurePath(source.file_path).name}" if source.file_path else ""


def _bare(address: str) -> str:
    """An address without who signs in: two users of a database mean the same data."""
    parts = urlsplit(address)
    kept = [(key, value) for key, value in parse_qsl(parts.query) if key != REFERENCE]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(kept), ""))
