"""The beginning of a causal job: describe the source, choose the table, know the columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.analysis.meaning import describe_sources
from services.planner.domain.catalogue import Catalogue, Table
from services.planner.domain.causal.agent import Brief
from services.planner.domain.causal.metadata import dataset_info
from services.planner.domain.causal.origin import Origin
from services.planner.domain.causal.request import CausalRequest
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.jobs.job import Job
from services.planner.domain.permission import column_refused, question_refused
from services.planner.domain.semantics.kinds import Kind, is_number, kind_of
from services.planner.jobs import records
from services.planner.jobs.collaborators import Collaborators
from services.planner.ports import Described

_TWO = 2


def causal_of(job: Job) -> CausalRequest:
    """What a causal job was asked for. Raises ValueError for a job of another kind."""
    if not isinstance(job.request, CausalRequest):
        raise ValueError(f"job {job.job_id} is no causal job")
    return job.request


async def described(with_: Collaborators, job: Job) -> Described:
    """The sources, once policy has let the words of the request pass. Raises AssayError."""
    found = await describe_sources(with_.tools, job.request)
    request = causal_of(job)
    words = " ".join((request.treatment, request.outcome, request.relation))
    refused = question_refused(request) or column_refused(
        words, found.blocked_columns, found.catalogue
    )
    if refused:
        event = records.refused(job.job_id, refused.reason.code, refused.message)
        await with_.audit.append(job.job_id, [event])
        raise refused
    return found


def brief_of(request: CausalRequest, catalogue: Catalogue) -> Brief:
    """What agents are told of the request.

    Raises AssayError(INVALID_ARGUMENT) where it is not clear which table is meant, or a column that
    is named is not in it; KNOWLEDGE_INVALID where knowledge names such columns.
    """
    relation = request.relation
    if request.origin is not None:
        _check_further(request.origin, catalogue)
    if not relation:
        table = table_of(request, catalogue)
        columns = [column.name for column in table.columns]
        request.knowledge.checked(columns)
        _check_modifiers(request, columns)
        _check_amounts(request, table, catalogue)
        chosen = ", ".join(_quoted(name) for name in columns)
        relation = f"SELECT {chosen} FROM {_quoted(table.name)}"
    return Brief(
        relation=relation,
        knowledge=request.knowledge,
        rows=request.rows,
        seed=request.seed,
        seconds=request.constraints.timeout_seconds,
        metadata=json.loads(request.metadata) if request.metadata else None,
        modifiers=request.modifiers,
        origin=request.origin,
        treated=request.treated,
        reference=request.reference,
        pairs=request.pairs,
    )


def _check_amounts(request: CausalRequest, table: Table, catalogue: Catalogue) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for a treatment or outcome that is a number of a thing,
    as a shipper's is: there is no more or less of it, so that an effect would mean nothing."""
    for field, name in (("treatment", request.treatment), ("outcome", request.outcome)):
        column = table.column(name) if name else None
        if column is None or not is_number(column) or column.distinct <= _TWO:
            continue
        referred = [
            one.to_table
            for one in catalogue.relationships
            if (one.from_table, one.from_column) == (table.name, name)
        ]
        if referred or kind_of(column, table) is Kind.ID:
            of = f"rows of {referred[0]}" if referred else "things"
            raise _unclear(
                field,
                f"{name} numbers {of}, so there is no more or less of it: study a column of texts "
                "that names them, or of yes and no that tells one from the others",
            )


def _check_further(origin: Origin, catalogue: Catalogue) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for a column that an investigation's table lacks."""
    table = catalogue.table(origin.table)
    there = [column.name for column in table.columns] if table is not None else []
    for name in origin.columns:
        if name not in there:
            columns = ", ".join(there[:20])
            raise _unclear("origin", f"there is no column {name!r}; the columns are {columns}")


def _check_modifiers(request: CausalRequest, columns: Sequence[str]) -> None:
    """Raises AssayError(INVALID_ARGUMENT) for groups by a column that is not there."""
    paired = [name for pair in request.pairs for name in (pair.treatment, pair.outcome)]
    for name in (*request.modifiers, *paired):
        if name not in columns:
            there = ", ".join(columns[:20])
            raise _unclear(
                "pairs" if name in paired else "modifiers",
                f"there is no column {name!r}; the columns are {there}",
            )


def table_of(request: CausalRequest, catalogue: Catalogue) -> Table:
    """The table that the study is of: as named, else the one that has treatment and outcome."""
    named = [name for name in (request.treatment, request.outcome) if name]
    tables = [
        t for t in catalogue.tables if not request.table or t.name.lower() == request.table.lower()
    ]
    having = [t for t in tables if set(named) <= {column.name for column in t.columns}]
    if len(having) == 1:
        return having[0]
    there = ", ".join(table.name for table in catalogue.tables)
    if not tables:
        raise _unclear("table", f"there is no table {request.table!r}; the tables are {there}")
    if not having:
        columns = ", ".join(column.name for column in tables[0].columns[:20])
        missing = next(n for n in named if n not in {c.name for c in tables[0].columns})
        field = "treatment" if missing == request.treatment else "outcome"
        raise _unclear(field, f"there is no column {missing!r}; the columns are {columns}")
    raise _unclear("table", f"several tables could be meant: {there}")


def begun_state(job: Job, catalogue: Catalogue) -> AnalysisState:
    """The state that a job begins with: the same whoever makes it."""
    request = causal_of(job)
    source = request.data_sources[0]
    table = None if request.relation else table_of(request, catalogue)
    info = dataset_info(
        source.address,
        json.loads(request.metadata) if request.metadata else {},
        [column.name for column in table.columns] if table is not None else (),
        called=source.label,
        local_path=source.file_path or None,
        n_samples=table.rows if table is not None else None,
        n_features=len(table.columns) if table is not None else None,
    )
    return AnalysisState.created(
        job.job_id,
        info,
        _created(job),
        treatment_variable=request.treatment or None,
        outcome_variable=request.outcome or None,
        raw_metadata=json.loads(request.metadata) if request.metadata else None,
        max_iterations=request.max_iterations,
    )


def understood(request: CausalRequest, state: AnalysisState) -> str:
    """What is studied, in one line."""
    treatment = request.treatment or "a treatment that the data suggest"
    outcome = request.outcome or "an outcome that they suggest"
    found = f" ({request.origin.description})" if request.origin is not None else ""
    info = state.dataset_info
    return f"the effect of {treatment} on {outcome}, in {info.name or info.url}{found}"


def _created(job: Job) -> datetime:
    return job.request.timestamp


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _unclear(field: str, what: str) -> AssayError:
    return AssayError(INVALID_ARGUMENT, what, fields={f"causal.{field}": "say which"})
