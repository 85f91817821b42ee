"""Tables of earlier jobs that a request reads: by the job, or by their names in its session."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from assay.common.v1 import data_pb2, job_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from gateway.jobs.preparing import Submission, sources_of
from mesh.errors import COLUMN_BLOCKED, JOB_NOT_COMPLETE, NOT_FOUND, AssayError
from mesh.ids import parse_id

SHORT = re.compile(r"f(?P<number>[1-9][0-9]{0,5})")
JobOf = Callable[[str], Awaitable[job_pb2.Job]]
NumbersOf = Callable[[str], Awaitable[dict[int, str]]]


class Frames:
    """Finds tables of jobs for requests. `job` gives a job of the caller's, `numbers` the jobs of a
    session of theirs by the numbers of their tables; both raise AssayError(NOT_FOUND)."""

    def __init__(self, job: JobOf, numbers: NumbersOf) -> None:
        self._job = job
        self._numbers = numbers

    async def named(self, session_id: str) -> dict[str, str]:
        """The jobs of a session by the names of their tables. Raises AssayError(NOT_FOUND)."""
        return {f"f{number}": job for number, job in (await self._numbers(session_id)).items()}

    async def resolve_tables(
        self, request: Submission, session_id: str
    ) -> dict[str, planner_pb.FileContent]:
        """Put the tables into a request that it reads, and say what they are, by job.

        Raises AssayError: NOT_FOUND, JOB_NOT_COMPLETE for a job without a table, COLUMN_BLOCKED for
        a table that was computed under another policy.
        """
        read = read_by(request.analysis.statement) if session_id else []
        named = [one for one in sources_of(request) if one.WhichOneof("place") == "frame"]
        if not (read or named):
            return {}
        known = await self.named(session_id) if session_id else {}
        own = {one.frame for one in named}
        for name in read:
            if name in known and name not in own:
                named.append(request.analysis.data_sources.add(frame=name))
        work = getattr(request, str(request.WhichOneof("work")))
        return dict([await self._placed(one, known, work.policy) for one in named])

    async def _placed(
        self, source: data_pb2.DataSource, known: dict[str, str], policy: data_pb2.Policy
    ) -> tuple[str, planner_pb.FileContent]:
        value = source.frame
        if SHORT.fullmatch(value):
            if value not in known:
                raise AssayError(NOT_FOUND, f"there is no frame {value} in this session")
            source.frame = known[value]
            source.name = source.name or value
        job_id = parse_id(source.frame, "frame")
        job = await self._job(job_id)
        digest = job.answer.table.digest
        if not digest:
            raise AssayError(JOB_NOT_COMPLETE, f"frame {value[:32]} has no table")
        _check_policy(value, job, policy)
        source.frame, source.name = job_id, source.name or f"f{job_id[:8]}"
        source.type = data_pb2.DATA_SOURCE_TYPE_ARROW
        source.read_options.raw = True
        return job_id, planner_pb.FileContent(content_digest=digest, name=source.name)


def read_by(statement: str) -> list[str]:
    """The short names of frames that stand in a statement for tables; whether there are such is
    not known here."""
    if SHORT.search(statement.casefold()) is None:
        return []
    # Here, because most requests read no frame.
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(statement, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return []  # whoever runs it says what is wrong
    own = {one.alias_or_name.casefold() for one in tree.find_all(exp.CTE)}
    tables = (one.name.casefold() for one in tree.find_all(exp.Table) if not one.args.get("db"))
    return list(dict.fromkeys(n for n in tables if SHORT.fullmatch(n) and n not in own))


def _check_policy(text: str, job: job_pb2.Job, policy: data_pb2.Policy) -> None:
    """A table holds what its own policy let through, under names of its author's."""
    then = getattr(job, str(job.WhichOneof("work"))).policy
    rules = [(set(one.allowed_columns), set(one.blocked_patterns)) for one in (then, policy)]
    if rules[0] != rules[1]:
        raise AssayError(
            COLUMN_BLOCKED,
            f"not permitted: frame {text[:32]} was computed under another policy",
            hint="Compute it again under the policy of this request.",
        )
