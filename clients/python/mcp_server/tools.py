"""The tools: what each does, and what a model reads of it.

A tool's description is its docstring: it says when to use it in as few words as will do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
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
from clients.python.cli.words import short_id
from clients.python.client import AssayClient
from clients.python.definitions import STATES
from clients.python.mcp_server.answers import build_answer
from clients.python.mcp_server.looked import doubts_of, matches_of, tables_left, tables_of
from clients.python.mcp_server.offered import Offered
from clients.python.mcp_server.queried import charted, queried, tested
from clients.python.mcp_server.shapes import (
    Answer,
    AskArguments,
    ChartArguments,
    Charted,
    CheckArguments,
    Checked,
    DefineArguments,
    Defined,
    FollowUpArguments,
    GetJobArguments,
    LookArguments,
    Looked,
    Means,
    PublishArguments,
    PublishedPage,
    Queried,
    QueryArguments,
    Shape,
    TestArguments,
    Tested,
    TestedColumns,
    Verified,
    VerifyArguments,
    WhyArguments,
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
from mesh.prose.front_matter import is_short_name

A = TypeVar("A", bound=BaseModel)
PUBLISHED = "assay-published"
"""The folder of pages, in that of all files."""


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
    """Answer a question about data, or frames (data: ["f1"]), with proof. Starts a conversation."""
    question = await _about(context, given.data)
    terms = await context.client.request(question)
    job, turn = await run_turn(context.client, given.question, context.progress, terms=terms)
    return await build_answer(
        context.client, job, context.folder, response=turn.response, conversation=turn.conversation
    )


async def _about(context: ToolContext, data: Sequence[str]) -> Question:
    """What data and frames are named, within the policy. Raises AssayError."""
    frames = [one for one in data if is_short_name(one)]
    question = context.offered.chosen([one for one in data if one not in frames])
    if not frames:
        return question
    jobs = [await context.workspace.job(context.client, one) for one in frames]
    for job in jobs:
        context.offered.check_policy(await context.client.get_job(job))
    if len(frames) == len(data):
        question = replace(question, data=(), databases=(), on=())
    return replace(question, frames=tuple(jobs))


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
    return PublishedPage(
        ok=True,
        page=said["page"],
        proof=said["proof"],
        link=f"assay page show {short_id(said['publication_id'])}",
    )


async def _frames(context: ToolContext, text: str) -> dict[str, str]:
    """Whole ids of the jobs that a text itself names, by its names for them. Raises AssayError."""
    client = context.client
    frames = {name: await whole_id(client, job) for name, job in frames_cited(text, []).items()}
    for job_id in frames.values():
        context.offered.check_policy(await client.get_job(job_id))
    return frames


async def define(context: ToolContext, given: DefineArguments) -> Defined:
    """Propose what data means: a metric, a join, the date rows are told by, names of values. A
    person decides; until then nothing changes."""
    client, session = context.client, context.workspace.opened
    question = context.offered.chosen(given.data)
    question = replace(question, session="" if client.opens_paths else session)
    made = await client.define(question, given.model, given.because, session)
    return Defined(
        definition=short_id(made.definition_id),
        state=STATES[made.state],
        measured=list(made.facts),
        changes=[f"{one.frame or short_id(one.job_id)}: {one.change}" for one in made.effects],
    )


async def why(context: ToolContext, given: WhyArguments) -> Answer:
    """Why a `metric` moved between two periods, or what a `treatment` does to an `outcome`, and if
    the data cannot tell. May take minutes."""
    question = context.offered.chosen(given.data)
    if given.is_causal:
        question = replace(question, study=Study(given.treatment, given.outcome))
    else:
        movement = Movement(given.metric, given.baseline, given.compare, by=tuple(given.by))
        question = replace(question, movement=movement)
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


async def look(context: ToolContext, given: LookArguments) -> Looked:
    """Look before you query: what data there is; of those named, what a row is, columns, joins,
    declared metrics, doubts, and where the `values` you look for are."""
    offered = context.offered
    kept = [one.name for one in await context.client.sources.all()]
    names = [*offered.names, *(name for name in kept if not offered.kept or name in offered.kept)]
    if not given.data:
        return Looked(names=names)
    question = offered.chosen(given.data)
    seen = look_object(await context.client.look(question, values=given.values))
    return Looked(
        names=names,
        doubts=doubts_of(seen) if not given.first else [],
        tables=tables_of(seen, given.first),
        more=tables_left(seen, given.first),
        matches=matches_of(seen),
        questions=seen["questions"] if not given.first else [],
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


TOOLS: tuple[OfferedTool[Any], ...] = (
    OfferedTool(look, LookArguments, Looked, reads_only=True),
    OfferedTool(ask, AskArguments, Answer),
    OfferedTool(follow_up, FollowUpArguments, Answer),
    OfferedTool(query, QueryArguments, Queried),
    OfferedTool(test, TestArguments, Tested),
    OfferedTool(chart, ChartArguments, Charted),
    OfferedTool(check, CheckArguments, Checked, reads_only=True),
    OfferedTool(publish, PublishArguments, PublishedPage),
    OfferedTool(define, DefineArguments, Defined),
    OfferedTool(why, WhyArguments, Answer),
    OfferedTool(verify, VerifyArguments, Verified, reads_only=True),
    OfferedTool(get_job, GetJobArguments, Answer, reads_only=True),
)
