"""A question in the contract's words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from assay.common.v1.analysis_pb2 import AnalysisRequest, Deliverable
from assay.common.v1.causal_pb2 import CausalRequest
from assay.common.v1.data_pb2 import Constraints, DataSource, Disclosure, Policy
from assay.common.v1.investigation_pb2 import InvestigationRequest
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from clients.python.engines import number_of
from clients.python.movement import Movement
from clients.python.question import Question, deliverable_numbers
from clients.python.read_options import read_options
from clients.python.study import Study
from mesh.credentials import is_remote
from mesh.ids import new_id

_DISCLOSURES = {
    "": Disclosure.DISCLOSURE_UNSPECIFIED,
    "names": Disclosure.DISCLOSURE_NAMES,
    "values": Disclosure.DISCLOSURE_VALUES,
    "shapes": Disclosure.DISCLOSURE_SHAPES,
    "results": Disclosure.DISCLOSURE_RESULTS,
}
_FILE_SCHEMES = ("sqlite", "duckdb")


def create_request(
    question: Question, sources: Iterable[DataSource], session_id: str = ""
) -> CreateJobRequest:
    """A request for a new job; its id is the future job's."""
    constraints = Constraints(engine=number_of(question.engine))
    if question.row_limit is not None:
        constraints.row_limit = question.row_limit
    if question.timeout_seconds is not None:
        constraints.timeout.FromTimedelta(timedelta(seconds=question.timeout_seconds))
    policy = Policy(
        allowed_columns=question.allowed_columns,
        blocked_patterns=question.blocked_patterns,
        disclosure=_DISCLOSURES[question.disclosure],
    )
    if question.movement is not None:
        return CreateJobRequest(
            request_id=new_id(),
            session_id=session_id,
            investigation=_investigation(question.movement, sources, constraints, policy),
        )
    if question.study is not None:
        return CreateJobRequest(
            request_id=new_id(),
            session_id=session_id,
            causal=_causal(question.study, sources, constraints, policy),
        )
    return CreateJobRequest(
        request_id=new_id(),
        session_id=session_id,
        analysis=AnalysisRequest(
            intent=question.text,
            statement=question.statement,
            data_sources=sources,
            constraints=constraints,
            deliverables=[
                Deliverable.ValueType(number)
                for number in deliverable_numbers(question.deliverables)
            ],
            policy=policy,
            assume=question.assume,
            choice=question.choice,
            corrections=question.corrections,
            means=question.means.message() if question.means is not None else None,
            test=question.test.message() if question.test is not None else None,
            chart=question.chart.message() if question.chart is not None else None,
        ),
    )


def _investigation(
    movement: Movement, sources: Iterable[DataSource], constraints: Constraints, policy: Policy
) -> InvestigationRequest:
    return InvestigationRequest(
        metric_sql=movement.metric,
        baseline_period=movement.period("baseline"),
        comparison_period=movement.period("comparison"),
        business_context=movement.context,
        investigation_prompt=movement.focus,
        data_sources=sources,
        constraints=constraints,
        policy=policy,
        time_column=movement.time,
        dimensions=movement.by,
        leaf=movement.leaf,
        real_column=movement.real,
        predicted_column=movement.predicted,
    )


def _causal(
    study: Study, sources: Iterable[DataSource], constraints: Constraints, policy: Policy
) -> CausalRequest:
    return CausalRequest(
        treatment=study.treatment,
        outcome=study.outcome,
        data_sources=sources,
        table=study.table,
        knowledge=study.known(),
        metadata_json=study.described(),
        max_iterations=study.max_iterations,
        rows=study.rows,
        seed=study.seed,
        origin=study.handed_over(),
        modifiers=study.by,
        treated=study.treated,
        reference=study.reference,
        pairs=study.further(),
        constraints=constraints,
        policy=policy,
    )


def file_source(place: str, read: Iterable[str] = ()) -> DataSource:
    """A file or folder of this machine, whichever folder the server runs in."""
    return DataSource(
        file_path=str(Path(place).expanduser().absolute()), read_options=read_options(read, place)
    )


def uploaded_source(file_id: str, name: str, path: Path, read: Iterable[str] = ()) -> DataSource:
    """A file that was uploaded from `path`."""
    return DataSource(file_id=file_id, name=name, read_options=read_options(read, str(path)))


def database_source(url: str, same_machine: bool, read: Iterable[str] = ()) -> DataSource:
    """A database, or a file elsewhere, which is read as `read` says; a relative path to a
    database's file becomes absolute for a server on this machine.

    Three slashes begin a relative path, four an absolute one, as SQLAlchemy has it. URLs of
    other databases, and all URLs for servers elsewhere, are left as they are.
    """
    parts = urlsplit(url)
    if is_remote(url):
        place = unquote(parts._replace(query="").geturl())
        return DataSource(connection_string=url, read_options=read_options(read, place))
    path = unquote(parts.path.removeprefix("/"))
    is_file = parts.scheme.split("+")[0] in _FILE_SCHEMES and not parts.netloc
    if same_machine and is_file and path and path != ":memory:":
        absolute = quote(str(Path(path).expanduser().absolute()))
        query = f"?{parts.query}" if parts.query else ""
        url = f"{parts.scheme}:///{absolute}{query}"
    return DataSource(connection_string=url)
