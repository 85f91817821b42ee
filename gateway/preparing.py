"""A caller's request made ready for the planner: stamped, checked, its files resolved.

Works on the contract's own messages, because everything that is not touched here must reach the
planner as the caller wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from assay.common.v1 import data_pb2, job_pb2
from gateway.domain.session import SessionFile, absent
from mesh.credentials import separated
from mesh.errors import FILE_PATH_REFUSED, INVALID_ARGUMENT, UNKNOWN_DELIVERABLE, AssayError
from mesh.ids import parse_id

# URLs of files on the machine that opens them, whatever host they may name.
_FILE_SCHEMES = ("sqlite", "duckdb", "file")
_SERVER_SCHEMES = ("postgresql", "postgres")


def file_ids(request: job_pb2.AnalysisRequest) -> list[str]:
    """Ids of the uploaded files that a request names.

    Raises AssayError(INVALID_ARGUMENT) naming the source whose id is malformed.
    """
    return [
        parse_id(source.file_id, f"data_sources[{number}].file_id")
        for number, source in enumerate(request.data_sources)
        if source.file_id
    ]


def prepared(
    request: job_pb2.AnalysisRequest,
    files: Mapping[str, SessionFile],
    now: datetime,
    local_paths: bool,
) -> job_pb2.AnalysisRequest:
    """A copy of `request` for the planner.

    Its id is in the one spelling, its timestamp is `now`, and uploaded files are named by their
    content, as the executor knows them. Raises AssayError: INVALID_ARGUMENT, UNKNOWN_DELIVERABLE,
    FILE_PATH_REFUSED, NOT_FOUND.
    """
    ready = job_pb2.AnalysisRequest()
    ready.CopyFrom(request)
    ready.request_id = parse_id(request.request_id, "request.request_id")
    ready.timestamp.FromDatetime(now)
    for deliverable in ready.deliverables:
        _check_deliverable(deliverable)
    for number, source in enumerate(ready.data_sources):
        check_source(source, f"data_sources[{number}]", local_paths)
        if source.file_id:
            _name_by_content(source, files)
    return ready


def _check_deliverable(value: job_pb2.Deliverable.ValueType) -> None:
    if value == job_pb2.DELIVERABLE_UNSPECIFIED or value not in job_pb2.Deliverable.values():
        raise AssayError(
            UNKNOWN_DELIVERABLE,
            f"there is no deliverable number {value}",
            fields={"deliverables": "not one of tables, charts, reports, summary"},
        )


def check_source(source: data_pb2.DataSource, field: str, local_paths: bool) -> None:
    """Raises AssayError for a source that a caller may not name: INVALID_ARGUMENT,
    FILE_PATH_REFUSED."""
    if source.type not in data_pb2.DataSourceType.values():
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no kind of source number {source.type}",
            fields={f"{field}.type": "unknown"},
        )
    places = [
        place for place in ("connection_string", "file_path", "file_id") if _set(source, place)
    ]
    if len(places) != 1:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{field} names {' and '.join(places) or 'no place'}; it must name exactly one",
            hint="Set one of connection_string, file_path and file_id.",
            fields={field: "exactly one place is needed"},
        )
    if not local_paths and _is_local(source):
        raise AssayError(
            FILE_PATH_REFUSED,
            f"{field} names a path of the server's own machine, or a database without a password",
            fields={f"{field}.{places[0]}": "paths are not opened on request"},
        )


def _set(source: data_pb2.DataSource, place: str) -> bool:
    return bool(getattr(source, place))


def _is_local(source: data_pb2.DataSource) -> bool:
    if not source.connection_string:
        return bool(source.file_path)
    url = urlsplit(source.connection_string)
    scheme = url.scheme.partition("+")[0]
    if scheme not in _SERVER_SCHEMES:
        return scheme != "connection" and (not url.netloc or scheme in _FILE_SCHEMES)
    # Without a password of their own the server's would be tried.
    parts = separated(source.connection_string)
    given = dict(parse_qsl(url.query))
    host = url.netloc.rpartition("@")[2] or given.get("host", "")
    return not parts.secrets or not host or host.startswith(("/", "%2F", "%2f", "@"))


def _name_by_content(source: data_pb2.DataSource, files: Mapping[str, SessionFile]) -> None:
    file_id = parse_id(source.file_id, "file_id")
    if file_id not in files:
        raise absent("file", file_id)
    source.file_id = files[file_id].content.digest
    source.name = source.name or files[file_id].original_name
