"""A caller's request made ready for the planner: checked, stamped, its files looked up.

Works on the contract's own messages, because everything that is not touched here must reach the
planner as the caller wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.gateway.v1 import job_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from gateway.domain.session import SessionFile, absent
from mesh.credentials import is_remote, reference_of, separated
from mesh.errors import FILE_PATH_REFUSED, INVALID_ARGUMENT, UNKNOWN_DELIVERABLE, AssayError
from mesh.ids import parse_id

MAX_PLACE_CHARACTERS = 4096
# URLs of files on the machine that opens them, whatever host they may name.
_FILE_SCHEMES = ("sqlite", "duckdb", "file")


Submission = pb.CreateJobRequest | pb.PlanJobRequest | planner_pb.CreateJobRequest


def sources_of(request: Submission) -> Sequence[data_pb2.DataSource]:
    """The sources that a request names, of whatever kind it is.

    Raises AssayError(INVALID_ARGUMENT) when it asks for no work.
    """
    kind = request.WhichOneof("work")
    if kind is None:
        raise AssayError(
            INVALID_ARGUMENT,
            "the request asks for no work",
            hint="Set analysis, investigation or causal.",
            fields={"analysis": "one kind of work must be set"},
        )
    sources: Sequence[data_pb2.DataSource] = getattr(request, kind).data_sources
    return sources


def file_ids(request: Submission) -> list[str]:
    """Ids of the uploaded files that a request names, in their one spelling.

    Raises AssayError(INVALID_ARGUMENT) naming the source whose id is malformed.
    """
    kind = request.WhichOneof("work")
    return [
        parse_id(source.file_id, f"{kind}.data_sources[{number}].file_id")
        for number, source in enumerate(sources_of(request))
        if source.file_id
    ]


def prepared(
    request: Submission, request_id: str, now: datetime, local_paths: bool
) -> planner_pb.CreateJobRequest:
    """What the planner is asked for: the caller's own words, checked, with the time.

    Raises AssayError: INVALID_ARGUMENT, UNKNOWN_DELIVERABLE, FILE_PATH_REFUSED.
    """
    ready = planner_pb.CreateJobRequest(request_id=request_id)
    for number, source in enumerate(sources_of(request)):
        check_source(source, f"{request.WhichOneof('work')}.data_sources[{number}]", local_paths)
        if source.file_id:
            source.file_id = parse_id(source.file_id, "file_id")
    for deliverable in request.analysis.deliverables:
        _check_deliverable(deliverable)
    if request.analysis.follows_job_id:
        follows = parse_id(request.analysis.follows_job_id, "analysis.follows_job_id")
        request.analysis.follows_job_id = follows
    kind = str(request.WhichOneof("work"))
    if kind == "analysis":
        request.analysis.frame = ""
    getattr(ready, kind).CopyFrom(getattr(request, kind))
    ready.submitted_at.FromDatetime(now)
    return ready


def named_by_content(
    sources: Sequence[data_pb2.DataSource], files: Mapping[str, SessionFile]
) -> dict[str, planner_pb.FileContent]:
    """What the uploaded files hold that are named, by their ids. Raises AssayError(NOT_FOUND)."""
    found: dict[str, planner_pb.FileContent] = {}
    for source in sources:
        if not source.file_id:
            continue
        if source.file_id not in files:
            raise absent("file", source.file_id)
        file = files[source.file_id]
        found[source.file_id] = planner_pb.FileContent(
            content_digest=file.content.digest, name=file.original_name
        )
    return found


def _check_deliverable(value: analysis_pb2.Deliverable.ValueType) -> None:
    unset = analysis_pb2.DELIVERABLE_UNSPECIFIED
    if value == unset or value not in analysis_pb2.Deliverable.values():
        raise AssayError(
            UNKNOWN_DELIVERABLE,
            f"there is no deliverable number {value}",
            fields={"analysis.deliverables": "not one of tables, charts, reports, summary"},
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
    place = source.WhichOneof("place")
    if place is None or not getattr(source, place):
        raise AssayError(
            INVALID_ARGUMENT,
            f"{field} names no place",
            hint="Set one of connection_string, file_path, file_id and frame.",
            fields={field: "exactly one place is needed"},
        )
    if len(getattr(source, place)) > MAX_PLACE_CHARACTERS:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{field}.{place} has more than {MAX_PLACE_CHARACTERS:,} characters",
            fields={f"{field}.{place}": f"at most {MAX_PLACE_CHARACTERS} characters"},
        )
    if not local_paths and _is_local(source):
        raise AssayError(
            FILE_PATH_REFUSED,
            f"{field} names a path of the server's own machine, or a database without a password",
            fields={f"{field}.{place}": "paths are not opened on request"},
        )


def for_the_executor(source: data_pb2.DataSource) -> executor_pb.Source:
    """A source as the executor is asked to look at it."""
    asked = executor_pb.Source(type=source.type, name=source.name)
    if source.connection_string:
        asked.connection_string = source.connection_string
    else:
        asked.file_path = source.file_path
    if source.HasField("read_options"):
        asked.read_options.CopyFrom(source.read_options)
    return asked


def _is_local(source: data_pb2.DataSource) -> bool:
    if not source.connection_string:
        return bool(source.file_path)
    parts = separated(source.connection_string)
    url = urlsplit(source.connection_string)
    scheme = url.scheme.partition("+")[0]
    if scheme == "connection" or is_remote(source.connection_string):
        return False  # the operator lists which files of these may be fetched, and for whom
    if scheme in _FILE_SCHEMES or "://" not in source.connection_string:
        return True
    # Without a password of their own the server's would be tried.
    given = dict(parse_qsl(url.query))
    host = url.netloc.rpartition("@")[2] or given.get("host", "")
    kept = parts.secrets or reference_of(source.connection_string)
    return not kept or not host or host.startswith(("/", "%2F", "%2f", "@"))
