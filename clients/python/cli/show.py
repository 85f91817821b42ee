"""`assay show`: a job as it stands, or its audit record."""

from __future__ import annotations

import json
import sys
from datetime import UTC
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, JobId, Server, User, WhyThis

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.result import Result
    from clients.python.cli.screen import Screen
    from clients.python.client import AssayClient


def show(
    job: JobId,
    as_json: AsJson = False,
    entries: Annotated[
        bool, typer.Option("--entries", help="The audit record instead, a line an entry.")
    ] = False,
    jsonl: Annotated[
        bool,
        typer.Option("--jsonl", help="The audit record as JSON Lines, byte for byte as hashed."),
    ] = False,
    why_this: WhyThis = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Show a job, or its audit record.

    What was understood, its steps as they stand, its answer, its files and its proof. A job that
    failed is shown with its reason; the exit code is about the showing, and about the proof: 4
    where it could not be checked now, as while the audit service is away.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.meanwhile import TABLES, importing
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    if entries or jsonl:
        return execute(lambda screen: _show_record(screen, place, job, raw=jsonl), as_json=as_json)
    importing(TABLES)
    return execute(lambda screen: _show_job(screen, place, job, why=why_this), as_json=as_json)


async def _show_job(screen: Screen, place: Place, job_id: str, *, why: bool = False) -> int:
    from clients.python import words_of
    from clients.python.cli.as_json import (
        models_of,
        plan_state_name,
        result_object,
        sources_of,
        state_name,
    )
    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_id
    from clients.python.cli.progress import PlanView
    from clients.python.cli.result import gather
    from clients.python.cli.screen import Parts
    from clients.python.cli.statements import show_lines, show_statements
    from clients.python.cli.why import show_why
    from clients.python.cli.words import listed, moment, short_id
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        job = await client.get_job(await whole_id(client, job_id))
        result = await gather(client, job, whole_table=screen.as_json)
        code = ExitCode.ANSWERED if result.proven else ExitCode.VERIFICATION_FAILED
        if result.unchecked:
            code = ExitCode.UNAVAILABLE
        if screen.as_json:
            screen.object(result_object(result))
            return code
        if job.analysis.statement:
            show_lines(screen, "statement", job.analysis.statement.splitlines())
        else:
            screen.row("question", words_of.question(job))
        if words_of.work(job).data_sources:
            screen.row("source", listed(sources_of(words_of.work(job))))
        if job.analysis.domains:
            screen.row("domain", listed([domain.name for domain in job.analysis.domains]))
        if models := models_of(words_of.work(job)):
            screen.row("model", listed(models))
        asked = moment(job.created_at.ToDatetime(UTC))
        parts = [short_id(job.job_id), state_name(job.state)]
        parts += [f"plan {plan_state_name(job.plan.state)}"] if job.plan.state else []
        parts.append(f"asked {asked}")
        screen.row("job", Parts(parts))
        if job.understood:
            screen.row("understood", job.understood)
        view = PlanView()
        for step in job.steps:
            view.changed(step)
        if view.steps:
            screen.show(view)
        if not job.analysis.statement:  # which was shown as it was written
            show_statements(screen, job.steps)
        if why:
            show_why(screen, job)
        _show_end(screen, result)
        return code


def _show_end(screen: Screen, result: Result) -> None:
    """Print an answer, what is unclear, or why there is neither."""
    from clients.python.cli.result import failure_of, show_files, show_result
    from clients.python.cli.unclear import answering, show_unclear

    job = result.job
    if job.HasField("answer"):
        show_result(screen, result)
    elif job.HasField("clarification"):
        show_unclear(screen, job.clarification, answering(job))
    elif (failed := failure_of(job)) is not None:
        screen.error(failed)
        show_files(screen, result)


async def _show_record(screen: Screen, place: Place, job_id: str, *, raw: bool) -> int:
    from clients.python.cli.connection import connected
    from mesh.errors import ExitCode
    from mesh.text.harmless import harmless_json

    async with connected(place, screen) as client:
        content = await _record(client, job_id)
    if raw and sys.stdout.isatty():
        sys.stdout.write(harmless_json(content.decode(errors="replace")))
        return ExitCode.ANSWERED
    if raw:  # byte for byte, for whatever checks the hashes
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return ExitCode.ANSWERED
    entries = [json.loads(line) for line in content.splitlines()]
    if screen.as_json:
        screen.object({"entries": entries})
        return ExitCode.ANSWERED
    for entry in entries:
        screen.line(
            f"{entry['sequence_number']:>4}  ",
            f"{entry['timestamp'][:23]:<24} {entry['event_type']:<22} {entry['actor']:<9}"
            f"{entry['hash'][:12]}",
        )
    return ExitCode.ANSWERED


async def _record(client: AssayClient, job_id: str) -> bytes:
    from clients.python.cli.naming import whole_id

    whole = await whole_id(client, job_id)
    return b"".join([piece async for piece in client.export_chain(whole)])
