"""A question in the contract's words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from assay.common.v1.data_pb2 import Constraints, DataSource, Policy
from assay.common.v1.job_pb2 import AnalysisRequest, Deliverable
from clients.python.question import Question, deliverable_numbers
from clients.python.read_options import read_options
from mesh.ids import new_id

_FILE_SCHEMES = ("sqlite", "duckdb")


def analysis_request(question: Question, sources: Iterable[DataSource]) -> AnalysisRequest:
    """A new request; its id is the future job's."""
    return AnalysisRequest(
        request_id=new_id(),
        intent=question.text,
        data_sources=sources,
        constraints=Constraints(
            row_limit=question.row_limit or 0,
            timeout_seconds=question.timeout_seconds or 0,
            engine=question.engine,
        ),
        deliverables=[
            Deliverable.ValueType(number) for number in deliverable_numbers(question.deliverables)
        ],
        policy=Policy(
            allowed_columns=question.allowed_columns, blocked_patterns=question.blocked_patterns
        ),
        assume=question.assume,
    )


def file_source(place: str, read: Iterable[str] = ()) -> DataSource:
    """A file or folder of this machine, whichever folder the server runs in."""
    return DataSource(
        file_path=str(Path(place).expanduser().absolute()), read_options=read_options(read, place)
    )


def uploaded_source(file_id: str, name: str, path: Path, read: Iterable[str] = ()) -> DataSource:
    """A file that was uploaded from `path`."""
    return DataSource(file_id=file_id, name=name, read_options=read_options(read, str(path)))


def database_source(url: str, same_machine: bool) -> DataSource:
    """A database; a relative path to its file becomes absolute for a server on this machine.

    Three slashes begin a relative path, four an absolute one, as SQLAlchemy has it. URLs of
    other databases, and all URLs for servers elsewhere, are left as they are.
    """
    parts = urlsplit(url)
    path = unquote(parts.path.removeprefix("/"))
    is_file = parts.scheme.split("+")[0] in _FILE_SCHEMES and not parts.netloc
    if same_machine and is_file and path and path != ":memory:":
        absolute = quote(str(Path(path).expanduser().absolute()))
        query = f"?{parts.query}" if parts.query else ""
        url = f"{parts.scheme}:///{absolute}{query}"
    return DataSource(connection_string=url)
