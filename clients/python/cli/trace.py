"""`assay trace`: where the time of a job went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, JobId, Server, User

if TYPE_CHECKING:
    from assay.common.v1.job_pb2 import Job
    from assay.gateway.v1.job_service_pb2 import GetTraceResponse, Span
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen

_WORK = ("analysis", "investigation", "causal")
"""What the span of a planner's work on a job is called: the job's kind."""
_ELSEWHERE = "other machines keep theirs, and what another planner took up is a trace of its own"


def trace(
    job: JobId,
    exchange: Annotated[
        bool,
        typer.Option("--exchange", help="What was said to a language model, where that is kept."),
    ] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Show where the time of a job went.

    Its spans as a tree: when each began, how long it took, and in which service. With --exchange,
    what a language model was told and answered, where the server keeps it.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _show_trace(screen, place, job, exchange), as_json=as_json)


async def _show_trace(screen: Screen, place: Place, job_id: str, exchange: bool = False) -> int:
    from google.protobuf.json_format import MessageToDict
    from rich.text import Text

    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_id
    from clients.python.cli.tracing import kept_here
    from mesh.errors import NOT_FOUND, AssayError, ExitCode

    async with connected(place, screen) as client:
        job = await client.get_job(await whole_id(client, job_id))
        found = await client.trace(job.job_id)
    found.spans.extend(kept_here(place, found.trace_id))
    if exchange:
        return _show_exchange(screen, found.spans)
    missing = not_here(job, found.spans)
    if screen.as_json:
        value = MessageToDict(found, preserving_proto_field_name=True)
        screen.object({**value, "not_here": missing})
        return ExitCode.ANSWERED
    if not found.spans:
        raise AssayError(
            NOT_FOUND,
            f"no spans of job {job_id} were kept on the server's machine",
            hint="Traces sent elsewhere by OTEL_EXPORTER_OTLP_ENDPOINT are found there.",
        )
    _print_tree(screen, found)
    if missing:
        screen.show(Text(f"not here: spans of {', '.join(missing)} ({_ELSEWHERE})", "dim"))
    return ExitCode.ANSWERED


def _show_exchange(screen: Screen, spans: Sequence[Span]) -> int:
    from rich.text import Text

    from clients.python.cli.exchanged import exchanges
    from mesh.errors import ExitCode

    texts = list(exchanges(spans))
    if screen.as_json:
        screen.object({"exchange": [{"who": who, "said": sentence} for who, sentence in texts]})
        return ExitCode.ANSWERED
    for who, text in texts:
        screen.show(Text(who, "bold cyan"))
        screen.show(Text(text))
    return ExitCode.ANSWERED


def _print_tree(screen: Screen, found: GetTraceResponse) -> None:
    from rich.table import Table
    from rich.text import Text

    from clients.python.cli.words import count, duration

    began = min(span.started_at.ToNanoseconds() for span in found.spans)
    ended = max(span.ended_at.ToNanoseconds() for span in found.spans)
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("at", justify="right", no_wrap=True)
    grid.add_column("took", justify="right", no_wrap=True)
    grid.add_column("span", no_wrap=True, overflow="ellipsis")
    grid.add_column("service", no_wrap=True)
    for guide, span in branches(one_a_call(found.spans)):
        name = Text.assemble((guide, "dim"), (short_name(span.name), "red" if span.error else ""))
        if tokens := describe_span(span):
            name.append(f"  {tokens}", "dim")
        if span.error:
            name.append(f"  ✘ {span.error}", "red")
        grid.add_row(
            duration((span.started_at.ToNanoseconds() - began) / 1e9),
            duration((span.ended_at.ToNanoseconds() - span.started_at.ToNanoseconds()) / 1e9),
            name,
            Text(service_of(span), "cyan"),
        )
    screen.show(grid)
    total = duration((ended - began) / 1e9)
    screen.show(
        Text(f"{count(len(found.spans), 'span')} · {total} · trace {found.trace_id}", "dim")
    )


def not_here(job: Job, spans: Sequence[Span]) -> list[str]:
    """Whose spans are known to lack: services that answered a call, or took the job's steps, and
    callers of services.

    Nothing of a job that has not ended: its spans are still to come. Of a caller of the gateway
    nothing is known: it is no service of the mesh.
    """
    from assay.common.v1.job_pb2 import JobState, StepState

    if job.state not in (
        JobState.JOB_STATE_COMPLETED,
        JobState.JOB_STATE_PARTIAL_SUCCESS,
        JobState.JOB_STATE_FAILED,
        JobState.JOB_STATE_CANCELLED,
    ):
        return []
    served = {(span.parent_span_id, span.name) for span in spans}
    services = {
        called
        for span in spans
        if (called := service_of(span)) != span.service
        and not span.error  # nobody may have answered
        and (span.span_id, span.name) not in served
    }
    if any(step.state == StepState.STEP_STATE_DONE for step in job.steps) and not any(
        span.name in _WORK for span in spans
    ):
        services.add("planner")
    known = {"", *(span.span_id for span in spans)}
    begun = {span.service for span in spans if span.parent_span_id not in known}
    return [*sorted(services), *(f"callers of {each}" for each in sorted(begun - {"gateway"}))]


def describe_span(span: Span) -> str:
    """What a request to a language model took, or what one looked up, in words; empty for other
    work."""
    from clients.python.cli.words import count

    value = json.loads(span.attributes_json or "{}")
    if looked_up := value.get("assay.lookup"):
        return f"{looked_up}: {value.get('assay.found', '')}"
    used = [value.get(f"gen_ai.usage.{way}_tokens") for way in ("input", "output")]
    return "" if None in used else count(sum(map(int, used)), "token")


def one_a_call(spans: Sequence[Span]) -> list[Span]:
    """The spans with each call once: its server's half goes, its children move to the caller's."""
    from assay.gateway.v1.job_service_pb2 import Span

    by_id = {span.span_id: span for span in spans}
    merged = {
        span.span_id: span.parent_span_id
        for span in spans
        if span.parent_span_id in by_id and by_id[span.parent_span_id].name == span.name
    }
    kept = []
    for span in spans:
        if span.span_id in merged:
            continue
        once = Span()
        once.CopyFrom(span)
        once.parent_span_id = merged.get(span.parent_span_id, span.parent_span_id)
        kept.append(once)
    return kept


def service_of(span: Span) -> str:
    """The service that did the work: the called one, for calls."""
    package = span.name.rpartition("/")[0].split(".")
    if package[:2] == ["arrow", "flight"]:
        return "executor"
    return package[1] if package[0] == "assay" and len(package) > 2 else span.service


def branches(spans: Sequence[Span]) -> Iterator[tuple[str, Span]]:
    """Every span with the lines that lead to it, parents first, children in order of start.

    A span whose parent was not kept stands at the root.
    """
    known = {span.span_id for span in spans}
    children: dict[str, list[Span]] = {}
    for span in sorted(spans, key=lambda span: span.started_at.ToNanoseconds()):
        parent = span.parent_span_id if span.parent_span_id in known else ""
        children.setdefault(parent, []).append(span)

    def below(parent: str, lead: str) -> Iterator[tuple[str, Span]]:
        family = children.get(parent, [])
        for place, span in enumerate(family, start=1):
            last = place == len(family)
            root = not parent
            yield ("" if root else lead + ("└─ " if last else "├─ ")), span
            yield from below(span.span_id, "" if root else lead + ("   " if last else "│  "))

    yield from below("", "")


def short_name(name: str) -> str:
    """A span's name without its package: "JobService/CreateJob"."""
    package, slash, method = name.rpartition("/")
    return f"{package.rpartition('.')[2]}{slash}{method}" if slash else name
