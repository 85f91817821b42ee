"""The tools: what each does, and what a model reads of it.

A tool's description is its docstring: it says when to use it in as few words as will do.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from assay.common.v1.job_pb2 import Job, JobState
from clients.python.charting import Charting
from clients.python.cli.check import frames_cited
from clients.python.cli.looked import look_object
from clients.python.cli.naming import whole_id
from clients.python.cli.text_checked import failure_object
from clients.python.cli.verifying import recomputed, verified
from clients.python.client import AssayClient
from clients.python.mcp_server.answers import build_answer
from clients.python.mcp_server.offered import Offered
from clients.python.mcp_server.queried import charted, queried, tested
from clients.python.mcp_server.shapes import (
    Answer,
    AskArguments,
    CauseArguments,
    ChartArguments,
    Charted,
    CheckArguments,
    Checked,
    FollowUpArguments,
    GetJobArguments,
    InvestigateArguments,
    ListSourcesArguments,
    Means,
    PublishArguments,
    PublishedPage,
    Queried,
    QueryArguments,
    Shape,
    Sources,
    TestArguments,
    Tested,
    TestedColumns,
    Verified,
    VerifyArguments,
)
from clients.python.mcp_server.work import Progress, checked, done, run_turn
from clients.python.mcp_server.workspace import Workspace
from clients.python.meaning import Meaning
from clients.python.movement import Movement
from clients.python.publishing.draft import Draft, check_draft, clean, titled
from clients.python.publishing.writing import Places, page_name
from clients.python.publishing.writing import publish as write_page
from clients.python.question import Question
from clients.python.study import Study
from clients.python.testing import Testing, statement_of
from clients.python.verification.reading import Trust
from mesh.errors import AssayError

A = TypeVar("A", bound=BaseModel)
PUBLISHED = "assay-published"
"""The folder of pages, in that of all files."""
_MOST_COLUMNS = 60
_MOST_TABLES = 20


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool works with: the caller's connection, what is offered, and whom to tell."""

    client: AssayClient
    offered: Offered
    folder: Path
    progress: Progress
    workspace: Workspace = field(default_factory=Workspace)


@dataclass(frozen=True, slots=True)
class OfferedTool(Generic[A]):
    """A tool as it is offered. `reads_only` says that nothing new comes to be by it."""

    run: Callable[[ToolContext, A], Awaitable[Shape]]
    arguments: type[A]
    gives: type[Shape]
    reads_only: bool = False

    @property
    def name(self) -> str:
        """Its name: that of its function."""
        return self.run.__name__

    @property
    def description(self) -> str:
        """What a model reads."""
        return " ".join((self.run.__doc__ or "").split())


async def ask(context: ToolContext, given: AskArguments) -> Answer:
    """Answer a question about the data, with proof. Starts a conversation."""
    terms = await context.client.request(context.offered.chosen(given.data))
    job, turn = await run_turn(context.client, given.question, context.progress, terms=terms)
    return await build_answer(
        context.client, job, context.folder, response=turn.response, conversation=turn.conversation
    )


async def follow_up(context: ToolContext, given: FollowUpArguments) -> Answer:
    """Go on from the last answer: "and by region?", "only 2024", "why?", "no, net price", or
    "2" to choose among options."""
    job, turn = await run_turn(
        context.client, given.message, context.progress, conversation=given.conversation
    )
    context.offered.check_policy(job)
    return await build_answer(
        context.client, job, context.folder, response=turn.response, conversation=turn.conversation
    )


async def query(context: ToolContext, given: QueryArguments) -> Queried:
    """Run your own SQL, with proof. `doubts` say what checks found, with sizes and a `fix`. What it
    `means` is compiled apart, run and compared (`twin`). Later queries read its frame: from f1."""
    question = replace(
        context.offered.chosen(given.data),
        text="",
        statement=given.sql,
        means=_meaning(given.means),
        deliverables=("table",),
    )
    return await queried(context.client, await _stated(context, question))


async def _stated(context: ToolContext, question: Question) -> Job:
    """A statement that ran in the session of this server. Raises AssayError."""
    client, session = context.client, await context.workspace.session(context.client)
    question = replace(question, session="" if client.opens_paths else session)
    question.check()
    try:
        request = await client.request(question)
        request.session_id = session
        return await done(client, request, context.progress)
    except AssayError as error:
        context.workspace.forget(error)
        raise


async def test(context: ToolContext, given: TestArguments) -> Tested:
    """Test rows: a difference, a regression, survival, a rule, a forecast. Name the `cluster` whose
    rows are alike. Tests of this session correct p."""
    of = given.of or TestedColumns()
    testing = Testing(
        given.kind,
        given.outcome,
        of.by,
        tuple(of.groups),
        tuple(of.predictors),
        of.cluster,
        of.time,
        of.steps,
        of.period,
    )
    question = replace(
        context.offered.chosen(given.data),
        text="",
        statement=statement_of(given.rows),
        test=testing,
        deliverables=("table", "summary"),
    )
    return await tested(context.client, await _stated(context, question))


async def chart(context: ToolContext, given: ChartArguments) -> Charted:
    """Draw rows as they are, and see the picture. A kind that would mislead is replaced, with a
    note."""
    question = replace(
        context.offered.chosen(given.data),
        text="",
        statement=statement_of(given.rows),
        chart=Charting(given.kind, given.x, given.y, given.series, given.title),
        deliverables=("table", "chart"),
    )
    return await charted(context.client, await _stated(context, question), context.folder)


async def check(context: ToolContext, given: CheckArguments) -> Checked:
    """Check a text before you give it: bind each number to its cell, {71,398|f1.revenue[1997]},
    [#1] for the first row, sum(f1.x), a / b - 1; bind "rose", "highest", "because" too where no
    bound number says so. Mend until nothing fails."""
    frames = await _frames(context, given.text)
    found = await context.client.texts.check(given.text, frames, context.workspace.opened)
    return Checked(
        ok=not found.failures,
        failures=[failure_object(one) for one in found.failures],
        bound=found.bound,
    )


async def publish(context: ToolContext, given: PublishArguments) -> PublishedPage:
    """Publish a text that passes `check` as one HTML page, each number a link to its cell, with
    proofs beside it."""
    client, session = context.client, context.workspace.opened
    text = titled(clean(given.text), given.title)
    draft = Draft(text, await _frames(context, text), session)
    found = await check_draft(client, draft)
    if found.failures:
        shift = text.count("\n") - clean(given.text).count("\n")
        failures = [failure_object(one) for one in found.failures]
        lines = [{**one, "line": max(one["line"] - shift, 1)} for one in failures]
        return PublishedPage(ok=False, failures=lines)
    name = page_name(given.title, f"{session}\n{text}")
    page = context.folder / PUBLISHED / f"{name}.html"
    written = await write_page(client, draft, found, Places(page, page.with_suffix(".proof")))
    said = written.object()
    return PublishedPage(ok=True, page=said["page"], proof=said["proof"])


async def _frames(context: ToolContext, text: str) -> dict[str, str]:
    """Whole ids of the jobs that a text itself names, by its names for them. Raises AssayError."""
    client = context.client
    frames = {name: await whole_id(client, job) for name, job in frames_cited(text, []).items()}
    for job_id in frames.values():
        context.offered.check_policy(await client.get_job(job_id))
    return frames


async def investigate(context: ToolContext, given: InvestigateArguments) -> Answer:
    """Find what explains why a metric moved between two periods. May take minutes."""
    movement = Movement(given.metric, given.baseline, given.compare, by=tuple(given.by))
    question = replace(context.offered.chosen(given.data), movement=movement)
    return await _lasting(context, question, background=given.background)


async def cause(context: ToolContext, given: CauseArguments) -> Answer:
    """Estimate what one column does to another, and say if the data cannot tell. May take
    minutes."""
    question = replace(
        context.offered.chosen(given.data), study=Study(given.treatment, given.outcome)
    )
    return await _lasting(context, question, background=given.background)


async def verify(context: ToolContext, given: VerifyArguments) -> Verified:
    """Check a job's proof."""
    client = context.client
    job = await _named(context, given.job)
    found, frames = await verified(client, job, Trust())
    if given.recompute and found[-1].ok:
        async with aclosing(client.recompute(job.job_id)) as steps:
            found.append(recomputed([step async for step in steps], frames or None))
    return Verified(
        ok=all(one.ok for one in found),
        checks=[f"{one.name}: {one.detail}{'' if one.ok else ' WRONG'}" for one in found],
        job=job.job_id,
    )


async def list_sources(context: ToolContext, given: ListSourcesArguments) -> Sources:
    """Names of the data there are; with look_into, their tables, columns, doubts and questions to
    begin with."""
    offered = context.offered
    kept = [one.name for one in await context.client.sources.all()]
    names = [*offered.names, *(name for name in kept if not offered.kept or name in offered.kept)]
    if not given.look_into:
        return Sources(names=names)
    seen = look_object(await context.client.look(offered.chosen(given.look_into)))
    return Sources(
        names=names,
        tables=[_table(table) for table in seen["tables"][:_MOST_TABLES]],
        doubts=[_doubted(doubt) for doubt in seen["doubts"]] + seen["notes"],
        questions=seen["questions"],
    )


async def get_job(context: ToolContext, given: GetJobArguments) -> Answer:
    """A job or frame as it stands, with more rows of its table if wanted."""
    job = checked(await _named(context, given.job))
    return await build_answer(
        context.client, job, context.folder, rows=given.rows, first=given.first
    )


async def _named(context: ToolContext, name: str) -> Job:
    """The job of a frame or id, that may be shown here. Raises AssayError."""
    client = context.client
    job = await client.get_job(await context.workspace.job(client, name))
    context.offered.check_policy(job)
    return job


async def _lasting(context: ToolContext, question: Question, *, background: bool) -> Answer:
    question.check()
    request = await context.client.request(question)
    if background:
        job = await context.client.submit(request)
    else:
        job = await done(context.client, request, context.progress)
    answer = await build_answer(context.client, job, context.folder)
    if job.state == JobState.JOB_STATE_WAITING:
        answer.notes.append("call again with what the option says")
    return answer


def _meaning(given: Means | None) -> Meaning:
    if given is None:
        return Meaning()
    return Meaning(
        given.metric, tuple(given.by), tuple(given.filter), given.time, given.period, given.grain
    )


def _doubted(doubt: dict[str, Any]) -> str:
    """A doubt in a sentence, with what would mend it or what was done."""
    mend = " or ".join(doubt["repairs"])
    if doubt["repaired"]:
        return f"{doubt['table']}: {doubt['said']}; repaired: {mend}"
    return f"{doubt['table']}: {doubt['said']}" + (f"; repairs: {mend}" if mend else "")


def _table(table: dict[str, Any]) -> dict[str, Any]:
    """A table of a look, as short as it can be to ask of it."""
    return {
        "table": table["table"],
        "rows": table["rows"],
        "columns": [
            " ".join(filter(None, (_column_name(one["column"]), one["kind"], one["unit"])))
            for one in table["columns"][:_MOST_COLUMNS]
        ],
    }


def _column_name(name: str) -> str:
    """A column as a statement names it: in quotation marks where it is more than one word."""
    return name if re.fullmatch(r"\w+", name) else '"' + name.replace('"', '""') + '"'


TOOLS: tuple[OfferedTool[Any], ...] = (
    OfferedTool(ask, AskArguments, Answer),
    OfferedTool(follow_up, FollowUpArguments, Answer),
    OfferedTool(query, QueryArguments, Queried),
    OfferedTool(test, TestArguments, Tested),
    OfferedTool(chart, ChartArguments, Charted),
    OfferedTool(check, CheckArguments, Checked, reads_only=True),
    OfferedTool(publish, PublishArguments, PublishedPage),
    OfferedTool(investigate, InvestigateArguments, Answer),
    OfferedTool(cause, CauseArguments, Answer),
    OfferedTool(verify, VerifyArguments, Verified, reads_only=True),
    OfferedTool(list_sources, ListSourcesArguments, Sources, reads_only=True),
    OfferedTool(get_job, GetJobArguments, Answer, reads_only=True),
)
